/**
 * The memory limit of a kubelet where its metrics have none: that of its cgroup, as cAdvisor shows it. Its metrics are
 * large, so they are read once an hour at most, up to a size, and not at all where a limit is known.
 */
import { CGROUP_LIMIT, cgroupLimitIn } from '../../evidence/cgroup-limit.ts';
import { limitSourceIn, NODE_ALLOCATABLE } from '../../evidence/resource.ts';
import { targetKind } from '../../evidence/target.ts';
import type { WatchState } from '../state/watch-state.ts';
import type { WatchedTarget } from '../state/watched-target.ts';

const EVERY_SECONDS = 3600;
const MAX_BYTES = 16 * 1024 * 1024;

type Values = Readonly<Record<string, number>>;

/** The sample with what is known about its limit besides. */
export function withLimit({ limits }: WatchedTarget, values: Values): Values {
  const { cgroupBytes, givenBytes, allocatableBytes } = limits;
  if (limitSourceIn(values) !== undefined) return values;
  if (cgroupBytes !== undefined) return { ...values, [CGROUP_LIMIT]: cgroupBytes };
  if (givenBytes !== undefined || allocatableBytes === undefined) return values;
  return { ...values, [NODE_ALLOCATABLE]: allocatableBytes };
}

/** After a sample that has no limit. A refusal is no failure: the rest of the sample is there. */
export async function readLimit(state: WatchState, target: WatchedTarget, values: Values): Promise<void> {
  const { connection } = target;
  if (connection === undefined || targetKind(target.name) !== 'node' || limitSourceIn(values) !== undefined) return;
  const now = state.ports.clock.now();
  if (now - (target.limits.readAt ?? -Infinity) < EVERY_SECONDS) return;
  target.limits.readAt = now;
  const { deadlineSeconds } = state.options;
  const reply = await connection.get('/metrics/cadvisor', {
    deadlineSeconds,
    maxBytes: MAX_BYTES,
    signal: state.stopping,
  });
  if (reply.kind !== 'answer' || reply.status !== 200 || reply.cut !== undefined) return;
  target.limits.cgroupBytes = cgroupLimitIn(reply.body);
}
