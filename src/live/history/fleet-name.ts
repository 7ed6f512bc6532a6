/** Which target of a fleet a process in a continuous profiler is. */
import type { PastLabels } from '../profile-history.ts';

/** `by` is the label that tells targets apart, if the user gave one. */
export function fleetName(
  targets: readonly string[],
  by: string | undefined,
): (labels: PastLabels) => string | undefined {
  const known = new Set(targets);
  return labels => {
    // The pods of a node have its label, too, but are not its kubelet.
    const ofNode = labels['pod'] === undefined ? ['node', 'hostname'] : [];
    const names = [...(by === undefined ? [] : [by]), 'instance', 'pod', ...ofNode, 'service_name', 'job'];
    return names.flatMap(name => labels[name] ?? []).find(name => known.has(name));
  };
}
