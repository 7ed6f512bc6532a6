/**
 * The devices of a pod: extended resources and claims. A kubelet that starts admits every pod again, and refuses one
 * whose device plugin has not registered yet (kubernetes#133382).
 */
import { listOf, recordOf, textOf, type JsonRecord } from '../../base/json.ts';

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
