/** Several watches over one store. */
import { choice, custom } from './kinds.ts';
import type { OptionTable } from './option.ts';
import { isNamespace } from './plan.ts';
import { Failure } from '../../base/errors.ts';

export type ReplicaMode = 'auto' | 'postgres' | 'lease';

export interface ReplicaValues {
  readonly replica: ReplicaMode | undefined;
  readonly replicaId: string | undefined;
  readonly replicaNamespace: string | undefined;
}

const section = 'Replicas';

export const REPLICA_OPTIONS: OptionTable<ReplicaValues> = {
  replica: choice(['auto', 'postgres', 'lease'])({
    section,
    help: 'share the targets with other watches over the same --store; they know of each other by its rows, or by Leases of the cluster (auto: Leases inside the cluster that it watches)',
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
  replicaNamespace: custom(
    'NAME',
    'a namespace',
    namespaceOfLeases,
  )({
    section,
    needs: ['replica'],
    defaultNote: 'that of the pod, or oakum',
    help: 'of the Leases',
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

function namespaceOfLeases(text: string): string {
  if (!isNamespace(text)) throw new Failure('usage', `--replica-namespace: ${text} is not a namespace`);
  return text;
}
