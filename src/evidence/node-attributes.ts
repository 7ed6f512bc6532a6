/** Attributes of a node, for cohorts: nodes that leak often have one of these in common. */
import { listOf, recordOf, textOf } from '../base/json.ts';
import type { KubeObject } from './formats/kube-objects.ts';

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
  ['region', 'topology.kubernetes.io/region', 'failure-domain.beta.kubernetes.io/region'],
  [
    'image',
    'kubernetes.azure.com/node-image-version',
    'eks.amazonaws.com/nodegroup-image',
    'cloud.google.com/gke-os-distribution',
    'node.openshift.io/os_id',
  ],
  [
    'capacity',
    'karpenter.sh/capacity-type',
    'eks.amazonaws.com/capacityType',
    'cloud.google.com/gke-provisioning',
    'kubernetes.azure.com/scalesetpriority',
  ],
  ['type', 'node.kubernetes.io/instance-type', 'beta.kubernetes.io/instance-type'],
  [
    'pool',
    'cloud.google.com/gke-nodepool',
    'eks.amazonaws.com/nodegroup',
    'karpenter.sh/nodepool',
    'kubernetes.azure.com/agentpool',
    'agentpool',
    'alpha.eksctl.io/nodegroup-name',
    'hypershift.openshift.io/nodePool',
    'doks.digitalocean.com/node-pool',
    'ibm-cloud.kubernetes.io/worker-pool-name',
    'alibabacloud.com/nodepool-id',
    'k8s.scaleway.com/pool-name',
    'lke.linode.com/pool-id',
    'kops.k8s.io/instancegroup',
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
  attributes['taints'] = taintsOf(object);
  return attributes;
}

/** Those that the cluster sets by itself come and go with the health of the node. */
const OWN_TAINT = /^(?:node\.kubernetes\.io|node\.cloudprovider\.kubernetes\.io|ToBeDeletedByClusterAutoscaler)/;

function taintsOf(object: KubeObject): string {
  const taints = listOf(recordOf(object['spec'])['taints']).map(recordOf);
  const kept = taints
    .filter(({ key }) => !OWN_TAINT.test(textOf(key)))
    .map(
      ({ key, value, effect }) => `${textOf(key)}${textOf(value) === '' ? '' : `=${textOf(value)}`}:${textOf(effect)}`,
    );
  return kept.length === 0 ? 'none' : kept.sort().join(' ').slice(0, MAX_TEXT);
}

/**
 * The revision of a DaemonSet's pod on a node, as an attribute of the node: the network, storage and monitoring agents
 * change on their own.
 */
export function daemonSetAttribute(
  object: KubeObject,
): { readonly node: string; readonly attributes: Record<string, string> } | undefined {
  const metadata = recordOf(object['metadata']);
  const node = textOf(recordOf(object['spec'])['nodeName']);
  const revision = textOf(recordOf(metadata['labels'])['controller-revision-hash']);
  const owner = listOf(metadata['ownerReferences'])
    .map(recordOf)
    .find(one => textOf(one['kind']) === 'DaemonSet');
  // A pod that is going is followed by its successor.
  if (node === '' || revision === '' || owner === undefined || metadata['deletionTimestamp'] !== undefined)
    return undefined;
  const name = `daemonset/${textOf(metadata['namespace'])}/${textOf(owner['name'])}`;
  return { node, attributes: { [name.slice(0, MAX_TEXT)]: revision.slice(0, MAX_TEXT) } };
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
