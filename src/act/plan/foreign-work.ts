/** Others at work on a node: reboots, maintenance, repairs, and plans of ours that are not this one. */
import { parseJson, recordOf, textOf, type JsonRecord } from '../../base/json.ts';
import type { NodeFacts } from './cluster-facts.ts';
import { PLAN_ANNOTATION } from '../../evidence/plan-marks.ts';

const KURED_LOCK = 'weave.works/kured-node-lock';
const KURED_AT_WORK = 'weave.works/kured-reboot-in-progress';
const MAINTENANCE_TAINTS = [
  'medik8s.io/drain',
  'medik8s.io/remediation',
  'node.kubernetes.io/out-of-service',
  'ToBeDeletedByClusterAutoscaler',
  'karpenter.sh/disrupted',
];
const WORK_CONDITIONS = ['KubeletUnhealthy', 'DrainInProgress', 'MaintenanceInProgress', 'DrainScheduled'];

type NodeMarks = Pick<NodeFacts, 'name' | 'annotations' | 'taints' | 'trueConditions'>;

/** Who is at work on the node, in a sentence; undefined if nobody is. */
export function foreignWorkOn(
  { name, annotations, taints, trueConditions }: NodeMarks,
  planId: string,
): string | undefined {
  if (Object.hasOwn(annotations, KURED_AT_WORK)) return `kured is rebooting ${name} (its annotation ${KURED_AT_WORK})`;
  const taint = taints.find(key => MAINTENANCE_TAINTS.includes(key));
  if (taint !== undefined) return `${name} has the taint ${taint}: someone maintains or removes it`;
  const other = annotations[PLAN_ANNOTATION] ?? '';
  if (other !== '' && other !== planId)
    return `${other} is at work on ${name} (annotation ${PLAN_ANNOTATION}); end it with oakum plan abort`;
  const condition = trueConditions.find(type => WORK_CONDITIONS.includes(type));
  if (condition !== undefined)
    return `${name} has the condition ${condition}: someone is at work on it, or about to be`;
  return undefined;
}

/** kured keeps its lock on its own DaemonSet, for one holder or for several. Who holds it, in a sentence. */
export function kuredLockOn(daemonSets: readonly JsonRecord[], nowSeconds: number): string | undefined {
  for (const daemonSet of daemonSets) {
    const text = textOf(recordOf(recordOf(daemonSet['metadata'])['annotations'])[KURED_LOCK]);
    const lock = recordOf(parseJson(text));
    const locks = Array.isArray(lock['locks']) ? lock['locks'].map(recordOf) : [lock];
    const held = locks.find(one => textOf(one['nodeID']) !== '' && !hasRunOut(one, nowSeconds));
    if (held !== undefined) return `kured is rebooting ${textOf(held['nodeID'])} and holds its lock`;
  }
  return undefined;
}

/** A TTL in nanoseconds, as Go writes durations; 0 is for ever. */
function hasRunOut(lock: JsonRecord, nowSeconds: number): boolean {
  const ttl = Number(lock['TTL'] ?? 0) / 1e9;
  const created = Date.parse(textOf(lock['created'])) / 1000;
  return ttl > 0 && created + ttl < nowSeconds;
}
