/** Nodes: their conditions, boot id, and since when they are registered. */
import type { BootObservation, ConditionObservation } from '../../cycle/cycle.ts';
import { recordOf, textOf } from '../../../base/json.ts';
import { type KubeObject, timeOf } from './objects.ts';

export interface NodeStatus {
  readonly node: string;
  readonly conditions: readonly Omit<ConditionObservation, 'source'>[];
  readonly boot: Omit<BootObservation, 'source'> | undefined;
}

/** No node has more; node-problem-detector adds a dozen. */
const MAX_CONDITIONS = 200;

/** Undefined when the object is not a node. That a node is registered becomes a condition `Registered`. */
export function readNodeStatus(object: KubeObject): NodeStatus | undefined {
  const status = recordOf(object['status']);
  const { nodeInfo, conditions } = status;
  const metadata = recordOf(object['metadata']);
  const node = textOf(metadata['name']);
  const kind = textOf(object['kind']);
  if (node === '' || !Array.isArray(conditions) || (kind !== 'Node' && nodeInfo === undefined)) return undefined;
  const read = conditions.slice(0, MAX_CONDITIONS).map(one => conditionOf(recordOf(one)));
  const seen = read.flatMap(({ atSeconds }) => (atSeconds === undefined ? [] : [atSeconds]));
  const atSeconds = seen.length === 0 ? undefined : Math.max(...seen);
  const created = timeOf(metadata['creationTimestamp']);
  if (created !== undefined) {
    const registered = { type: 'Registered', status: 'True', reason: '', message: '', sinceSeconds: created };
    read.push({ kind: 'condition', atSeconds: created, ...registered });
  }
  const bootId = textOf(recordOf(nodeInfo)['bootID']);
  return { node, conditions: read, boot: bootId === '' ? undefined : { kind: 'boot', atSeconds, bootId } };
}

function conditionOf(one: KubeObject): Omit<ConditionObservation, 'source'> {
  const sinceSeconds = timeOf(one['lastTransitionTime']);
  return {
    kind: 'condition',
    atSeconds: timeOf(one['lastHeartbeatTime']) ?? sinceSeconds,
    type: textOf(one['type']),
    status: textOf(one['status']),
    reason: textOf(one['reason']),
    message: textOf(one['message']).slice(0, 1000),
    sinceSeconds,
  };
}
