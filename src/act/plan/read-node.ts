/** The fields of a Node that a plan looks at. */
import { listOf, recordOf, textOf, type JsonRecord } from '../../base/json.ts';
import { allocatableMemory, nodeAttributes } from '../../evidence/node-attributes.ts';
import type { NodeFacts } from './cluster-facts.ts';

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
