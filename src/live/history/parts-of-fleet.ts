/**
 * A fleet in parts that can be asked for and judged one after the other.
 *
 *     node-1 kubelet 10.0.0.1:10250, node-1 exporter 10.0.0.1:9100      one part: their names are told apart together
 */

/** The labels of one target. */
export interface TargetLabels {
  readonly node: string;
  readonly instance: string;
}

/** Instances that share a node, or an instance in two clusters, stay in one part; parts grow to `most` at least. */
export function partsOfFleet(targets: readonly TargetLabels[], most: number): (readonly string[])[] {
  const parts: string[][] = [];
  let part: string[] = [];
  for (const instances of groupsOf(targets)) {
    if (part.length > 0 && part.length + instances.length > most) {
      parts.push(part);
      part = [];
    }
    part.push(...instances);
  }
  if (part.length > 0) parts.push(part);
  return parts;
}

/** Instances that are connected by their names, in the order of the names. */
function groupsOf(targets: readonly TargetLabels[]): (readonly string[])[] {
  const instancesOf = new Map<string, Set<string>>();
  const namesOf = new Map<string, Set<string>>();
  for (const { node, instance } of targets) {
    if (instance === '') continue;
    const name = node || instance;
    instancesOf.set(name, (instancesOf.get(name) ?? new Set()).add(instance));
    namesOf.set(instance, (namesOf.get(instance) ?? new Set()).add(name));
  }
  const seen = new Set<string>();
  return [...instancesOf.keys()].sort().flatMap(first => {
    const group: string[] = [];
    const waiting = [first];
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (seen.has(name)) continue;
      seen.add(name);
      for (const instance of instancesOf.get(name) ?? []) {
        if (!group.includes(instance)) group.push(instance);
        waiting.push(...(namesOf.get(instance) ?? []));
      }
    }
    return group.length === 0 ? [] : [group];
  });
}
