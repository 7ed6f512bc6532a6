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
export function withLimit(target: WatchedTarget, values: Values): Values {
  if (limitSourceIn(values) !== undefined) return values;
  if (target.cgroupLimitBytes !== undefined) return { ...values, [CGROUP_LIMIT]: target.cgroupLimitBytes };
  if (target.givenLimitBytes !== undefined || target.allocatableBytes === undefined) return values;
  return { ...values, [NODE_ALLOCATABLE]: target.allocatableBytes };
}

/** After a sample that has no limit. A refusal is no failure: the rest of the sample is there. */
export async function readLimit(state: WatchState, target: WatchedTarget, values: Values): Promise<void> {
  const { connection } = target;
  if (connection === undefined || targetKind(target.name) !== 'node' || limitSourceIn(values) !== undefined) return;
  const now = state.ports.clock.now();
  if (target.limitReadAt !== undefined && now - target.limitReadAt < EVERY_SECONDS) return;
  target.limitReadAt = now;
  const { deadlineSeconds } = state.options;
  const reply = await connection.get('/metrics/cadvisor', {
    deadlineSeconds,
    maxBytes: MAX_BYTES,
    signal: state.stopping,
  });
  if (reply.kind !== 'answer' || reply.status !== 200 || reply.cut !== undefined) return;
  target.cgroupLimitBytes = cgroupLimitIn(reply.body);
}
