/** Several watches over one store. */
import { Failure } from '../../base/failure.ts';
import { choice, custom } from './kinds.ts';
import type { OptionTable } from './option.ts';

export type ReplicaMode = 'auto' | 'postgres' | 'lease';

export interface ReplicaValues {
  readonly replica: ReplicaMode | undefined;
  readonly replicaId: string | undefined;
}

const section = 'Replicas';

export const REPLICA_OPTIONS: OptionTable<ReplicaValues> = {
  replica: choice(['auto', 'postgres', 'lease'])({
    section,
    help: 'share the targets with other watches over the same --store; they know of each other by its rows, or by Leases of the cluster (auto: Leases inside a cluster)',
  }),
  replicaId: custom(
    'NAME',
    'a name of at most 63 letters, digits, dots and dashes',
    replicaId,
  )({
    section,
    needs: ['replica'],
    defaultNote: 'the name of the host',
    help: 'of this replica; each has its own',
  }),
};

export function isReplicaId(text: string): boolean {
  return /^[A-Za-z0-9]([A-Za-z0-9.-]{0,61}[A-Za-z0-9])?$/.test(text);
}

function replicaId(text: string): string {
  if (!isReplicaId(text))
    throw new Failure('usage', `--replica-id takes a name of at most 63 letters, digits, dots and dashes, not ${text}`);
  return text;
}
