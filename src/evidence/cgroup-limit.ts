/** The memory limit of a kubelet's cgroup, as cAdvisor shows it in `/metrics/cadvisor`. */
import { readExposition } from './formats/exposition/read.ts';
import { isLimit } from './resource.ts';
import { forEachSample } from './formats/exposition/exposition.ts';
import { ruleFor } from './recording/source.ts';

export const CGROUP_LIMIT = 'container_spec_memory_limit_bytes';

/** Undefined when the kubelet's cgroup has none. */
export function cgroupLimitIn(body: Uint8Array): number | undefined {
  let limit: number | undefined;
  forEachSample(readExposition(body, { select: name => name === CGROUP_LIMIT }), (series, value) => {
    if (ruleFor(series)?.metric === CGROUP_LIMIT && isLimit(value)) limit = Math.min(limit ?? Infinity, value);
  });
  return limit;
}
