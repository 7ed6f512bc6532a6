/** The fields of Nodes and Pods that a plan and its steps look at, and who else is at work on a node. */
import { listOf, recordOf, textOf, type JsonRecord, parseJson } from '../../base/json.ts';
import { allocatableMemory, nodeAttributes } from '../../evidence/node-attributes.ts';
import type { NodeFacts } from './cluster-facts.ts';
import { PLAN_ANNOTATION, RESTARTED_ANNOTATION } from '../../evidence/plan-marks.ts';

const CONTROL_PLANE = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master'];

export function readNode(node: JsonRecord): NodeFacts {
  const metadata = recordOf(node['metadata']);
  const spec = recordOf(node['spec']);
  const status = recordOf(node['status']);
  const info = recordOf(status['nodeInfo']);
  const labels = textsOf(metadata['labels']);
  const { zone, pool } = nodeAttributes(node);
  const conditions = listOf(status['conditions']).map(recordOf);
  const addresses = listOf(status['addresses']).map(recordOf);
  const name = textOf(metadata['name']);
  return {
    name,
    uid: textOf(metadata['uid']),
    zone: zone ?? null,
    pool: pool ?? null,
    isControlPlane: CONTROL_PLANE.some(label => Object.hasOwn(labels, label)),
    kubeletVersion: textOf(info['kubeletVersion']),
    osImage: textOf(info['osImage']),
    operatingSystem: textOf(info['operatingSystem']),
    bootId: textOf(info['bootID']),
    address: textOf(addresses.find(({ type }) => type === 'InternalIP')?.['address']) || name,
    providerId: textOf(spec['providerID']),
    isReady: conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
    isCordoned: spec['unschedulable'] === true,
    isLeaving: textOf(metadata['deletionTimestamp']) !== '',
    labels,
    annotations: textsOf(metadata['annotations']),
    taints: listOf(spec['taints']).map(taint => textOf(recordOf(taint)['key'])),
    trueConditions: conditions.filter(({ status: is }) => is === 'True').map(({ type }) => textOf(type)),
    conditionTypes: conditions.map(({ type }) => textOf(type)),
    images: listOf(status['images']).flatMap(image => listOf(recordOf(image)['names']).map(textOf)),
    memoryBytes: allocatableMemory(node) ?? null,
  };
}

/** A map of texts: labels or annotations. */
export function textsOf(value: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(recordOf(value)).map(([key, text]) => [key, textOf(text)]));
}

/** The fields of a Pod that acting looks at. */
export interface PodFacts {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly isTerminating: boolean;
}

export function podFacts(pod: JsonRecord): PodFacts {
  const metadata = recordOf(pod['metadata']);
  return {
    namespace: textOf(metadata['namespace']),
    name: textOf(metadata['name']),
    uid: textOf(metadata['uid']),
    isTerminating: textOf(metadata['deletionTimestamp']) !== '',
  };
}

/**
 * The devices of a pod: extended resources and claims. A kubelet that starts admits every pod again, and refuses one
 * whose device plugin has not registered yet (kubernetes#133382).
 */
const PLAIN = /^(?:cpu|memory|ephemeral-storage|pods|storage|hugepages-.*)$/;

/** A pod that has ended is not admitted again. */
export function devicesOf(pod: JsonRecord): string[] {
  const phase = textOf(recordOf(pod['status'])['phase']);
  if (phase === 'Succeeded' || phase === 'Failed') return [];
  const spec = recordOf(pod['spec']);
  const containers = [...listOf(spec['initContainers']), ...listOf(spec['containers'])].map(recordOf);
  const found = new Set<string>();
  for (const container of containers) {
    const { limits, requests } = recordOf(container['resources']);
    for (const key of [...Object.keys(recordOf(limits)), ...Object.keys(recordOf(requests))])
      if (!PLAIN.test(key)) found.add(key);
  }
  for (const claim of listOf(spec['resourceClaims'])) found.add(`claim ${textOf(recordOf(claim)['name'])}`);
  return [...found];
}

/** Others at work on a node: reboots, maintenance, repairs, and plans of ours that are not this one. */
/** Any plan leaves this node alone; the value says why. */
const OPT_OUT_ANNOTATION = 'oakum.dev/opt-out';
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
  const optOut = annotations[OPT_OUT_ANNOTATION] ?? '';
  if (optOut !== '' && optOut !== 'false')
    return `${name} is left out by its owners (annotation ${OPT_OUT_ANNOTATION}): ${optOut}`;
  if (Object.hasOwn(annotations, KURED_AT_WORK)) return `kured is rebooting ${name} (its annotation ${KURED_AT_WORK})`;
  const taint = taints.find(key => MAINTENANCE_TAINTS.includes(key));
  if (taint !== undefined) return `${name} has the taint ${taint}: someone maintains or removes it`;
  const other = annotations[PLAN_ANNOTATION] ?? '';
  if (other !== '' && other !== planId)
    return `${other} is at work on ${name} (annotation ${PLAN_ANNOTATION}); resume it with oakum apply, or end it with oakum plan abort --node ${name}`;
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

export interface NodeState {
  readonly name: string;
  readonly uid: string;
  readonly bootId: string;
  readonly kubeletVersion: string;
  readonly zone: string;
  readonly isReady: boolean;
  /** Unix seconds; NaN if there is none. */
  readonly heartbeatSeconds: number;
  readonly isCordoned: boolean;
  readonly annotations: JsonRecord;
  /** Unix seconds; undefined if Oakum never restarted it. */
  readonly restartedAt: number | undefined;
  readonly restartedBy: string;
}

/** The fields of a Node that acting looks at. */
export function nodeState(node: JsonRecord): NodeState {
  const metadata = recordOf(node['metadata']);
  const status = recordOf(node['status']);
  const info = recordOf(status['nodeInfo']);
  const annotations = recordOf(metadata['annotations']);
  const ready = listOf(status['conditions'])
    .map(recordOf)
    .find(({ type }) => type === 'Ready');
  const [restarted = '', by = ''] = textOf(annotations[RESTARTED_ANNOTATION]).split(' ');
  const restartedAt = Date.parse(restarted) / 1000;
  return {
    name: textOf(metadata['name']),
    uid: textOf(metadata['uid']),
    bootId: textOf(info['bootID']),
    kubeletVersion: textOf(info['kubeletVersion']),
    zone: textOf(recordOf(metadata['labels'])['topology.kubernetes.io/zone']),
    isReady: ready?.['status'] === 'True',
    heartbeatSeconds: Date.parse(textOf(ready?.['lastHeartbeatTime'])) / 1000,
    isCordoned: recordOf(node['spec'])['unschedulable'] === true,
    annotations,
    restartedAt: Number.isNaN(restartedAt) ? undefined : restartedAt,
    restartedBy: by,
  };
}
