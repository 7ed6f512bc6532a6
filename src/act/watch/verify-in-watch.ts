/** Whether a plan helped, from the samples that the watch takes anyway. */
import type { KnownSlope } from '../../judge/cycle/after-restart.ts';
import { slopeBeforeRestart } from '../verify/slope-before.ts';
import type { NodePlan, Plan } from '../plan/plan.ts';
import type { VerifySample } from '../verify/plan-verification.ts';
import { factsOf } from '../../evidence/resource.ts';
import { targetIn } from './plan-subject.ts';
import type { SampleStore } from '../../store/ports.ts';
import type { VerifySamples } from '../ports.ts';

const METRICS = [
  'process_start_time_seconds',
  'process_cpu_seconds_total',
  'process_resident_memory_bytes',
  'go_goroutines',
  'go_gc_heap_live_bytes',
  'kubelet_running_pods',
];
const MAX_POINTS = 5000;
/** How much of the life before is looked at. */
const BEFORE_SECONDS = 3 * 86_400;

/** Those of the watch since `from`, and those that are taken for the plan. */
export function watchedSamples(
  store: SampleStore,
  { cluster }: Pick<Plan, 'cluster'>,
  nodePlan: NodePlan,
  from: number,
  now: () => number,
): VerifySamples {
  const { node, verification } = nodePlan;
  const { resource } = verification.before;
  const metrics = [...new Set([...METRICS, ...(resource === null ? [] : factsOf(resource).metrics)])];
  const taken: VerifySample[] = [];
  return {
    async read() {
      const target = targetIn(cluster, node);
      const found = await store.query({ target, metrics, from, to: now(), maxPoints: MAX_POINTS });
      const rows = new Map<number, Record<string, number>>();
      for (const { metric, times, values } of found) {
        for (let i = 0; i < times.length; i++) {
          const [at, value] = [times[i] ?? NaN, values[i] ?? NaN];
          if (!Number.isFinite(at) || !Number.isFinite(value)) continue;
          const row = rows.get(at) ?? {};
          row[metric] = value;
          rows.set(at, row);
        }
      }
      const watched = [...rows].map(([at, values]) => ({ node, at, values }));
      return [...watched, ...taken].sort((a, b) => a.at - b.at);
    },
    append: async sample => void taken.push(sample),
  };
}

/** How fast it grew before the plan, with its interval; undefined if the store does not know. */
export async function slopeBefore(
  store: SampleStore,
  plan: Pick<Plan, 'cluster'>,
  nodePlan: NodePlan,
): Promise<KnownSlope | undefined> {
  const to = Date.parse(nodePlan.verification.before.at) / 1000;
  const samples = await watchedSamples(store, plan, nodePlan, to - BEFORE_SECONDS, () => to).read();
  return slopeBeforeRestart(samples, nodePlan);
}
