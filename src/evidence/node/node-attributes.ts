/** Attributes of a node, for cohorts: nodes that leak often have one of these in common. */
import { recordOf, textOf } from '../../base/json.ts';
import type { KubeObject } from '../../formats/kube-json/objects.ts';

const OF_NODE_INFO: readonly (readonly [attribute: string, field: string])[] = [
  ['version', 'kubeletVersion'],
  ['kernel', 'kernelVersion'],
  ['os', 'osImage'],
  ['runtime', 'containerRuntimeVersion'],
  ['arch', 'architecture'],
];

/** The first of these labels that a node has is the attribute. */
const OF_LABELS: readonly (readonly [attribute: string, ...labels: string[]])[] = [
  ['zone', 'topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone'],
  ['type', 'node.kubernetes.io/instance-type', 'beta.kubernetes.io/instance-type'],
  [
    'pool',
    'cloud.google.com/gke-nodepool',
    'eks.amazonaws.com/nodegroup',
    'karpenter.sh/nodepool',
    'kubernetes.azure.com/agentpool',
    'agentpool',
    'node.kubernetes.io/pool',
    'lab/group',
  ],
];

const MAX_TEXT = 100;

export function nodeAttributes(object: KubeObject): Record<string, string> {
  const info = recordOf(recordOf(object['status'])['nodeInfo']);
  const labels = recordOf(recordOf(object['metadata'])['labels']);
  const attributes: Record<string, string> = {};
  const set = (attribute: string, value: string): void => {
    if (value !== '') attributes[attribute] = value.slice(0, MAX_TEXT);
  };
  for (const [attribute, field] of OF_NODE_INFO) set(attribute, textOf(info[field]));
  for (const [attribute, ...names] of OF_LABELS)
    set(attribute, names.map(name => textOf(labels[name])).find(value => value !== '') ?? '');
  return attributes;
}

const MEMORY_UNITS: Readonly<Record<string, number>> = {
  '': 1,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  k: 1e3,
  M: 1e6,
  G: 1e9,
};

/** `16374564Ki` of `status.allocatable.memory` in bytes; undefined when it has none. */
export function allocatableMemory(object: KubeObject): number | undefined {
  const text = textOf(recordOf(recordOf(object['status'])['allocatable'])['memory']);
  const [, number = '', unit = ''] = /^(\d{1,18})(Ki|Mi|Gi|k|M|G)?$/.exec(text) ?? [];
  return number === '' ? undefined : Number(number) * (MEMORY_UNITS[unit] ?? NaN);
}
