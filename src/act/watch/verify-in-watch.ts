/** Whether a plan helped, from the samples that the watch takes anyway. */
import type { KnownSlope } from '../../judge/cycle/after-restart.ts';
import { slopeBeforeRestart } from '../verify-plan.ts';
import type { NodePlan, Plan } from '../plan/plan.ts';
import type { NodeVerification, VerifySample } from '../plan-verification.ts';
import { verifyNode } from '../verify-node.ts';
import { Journal } from '../apply/journal.ts';
import type { PlanRecord } from '../../store/plan-log.ts';
import { factsOf } from '../../evidence/resource.ts';
import { targetIn } from './plan-subject.ts';
import type { SampleStore } from '../../store/ports.ts';
import type { PlanLog, VerifySamples } from '../ports.ts';

const METRICS = [
  'process_start_time_seconds',
  'process_cpu_seconds_total',
  'process_resident_memory_bytes',
  'go_goroutines',
  'go_gc_heap_live_bytes',
  'kubelet_running_pods',
];
const MAX_POINTS = 5000;
/** After this time nobody waits for an answer any more. */
const MAX_SECONDS = 21 * 86_400;
/** With these, it is not known yet whether a plan helped. */
const OPEN: ReadonlySet<string> = new Set(['too early', 'unread', 'unwell']);
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

/**
 * Writes into the log of an applied plan whether it helped, as far as it is known now.
 *
 * `write` runs the writing, unless the plan is applied or aborted by then, which writes into the same log.
 */
export async function followPlan(
  { plan, log, records, now, store }: FollowedPlan,
  write: (work: () => Promise<void>) => Promise<boolean>,
  changed: (text: string) => void,
): Promise<void> {
  const head = { planId: plan.id, planHash: plan.hash, actor: 'oakum watch' };
  const journal = new Journal(log, head, records, now);
  const beganAt = now();
  for (const nodePlan of openNodes(plan, records, beganAt)) {
    const { node, outcome, sentence } = await verifyWatched(plan, nodePlan, records, store, beganAt);
    const last = records.findLast(record => record.kind === 'verified' && record.node === node);
    // Samples of a moment ago may be missing: only an answer is new.
    if (outcome === 'unread' || (last?.kind === 'verified' && last.outcome === outcome)) continue;
    if (!(await write(() => journal.write({ kind: 'verified', node, outcome, detail: sentence })))) return;
    changed(`${plan.id}: ${outcome}: ${sentence}`);
  }
}

interface FollowedPlan {
  readonly plan: Plan;
  readonly log: PlanLog;
  readonly records: readonly PlanRecord[];
  readonly now: () => number;
  readonly store: SampleStore;
}

/** The nodes of a plan about which it is not known yet whether it helped. */
function openNodes(plan: Plan, records: readonly PlanRecord[], now: number): NodePlan[] {
  const end = records.findLast(({ kind }) => kind === 'apply-ended');
  if (plan.action !== 'restart' || end?.kind !== 'apply-ended' || end.outcome !== 'done') return [];
  if (now - Date.parse(end.at) / 1000 > MAX_SECONDS) return [];
  return plan.waves
    .flatMap(({ nodes }) => nodes)
    .filter(({ node }) => {
      const last = records.findLast(record => record.kind === 'verified' && record.node === node);
      return last?.kind !== 'verified' || OPEN.has(last.outcome);
    });
}

/** From the samples that the watch took since. Until there is one, the last is of the old process, and says nothing. */
async function verifyWatched(
  plan: Plan,
  nodePlan: NodePlan,
  records: readonly PlanRecord[],
  store: SampleStore,
  now: number,
): Promise<NodeVerification> {
  const from = Date.parse(plan.createdAt) / 1000 - 600;
  const samples = await watchedSamples(store, plan, nodePlan, from, () => now).read();
  const restart = nodePlan.steps.find(({ kind }) => kind === 'restart');
  const ended = records.findLast(record => record.kind === 'step-ended' && record.step === restart?.id);
  const restartedAt = Date.parse(ended?.at ?? plan.createdAt) / 1000;
  return verifyNode({
    nodePlan,
    nowSeconds: now,
    samples,
    unread: (samples.at(-1)?.at ?? 0) > restartedAt ? undefined : 'the watch has no samples of it since',
    isReady: undefined,
    readyAfterSeconds: undefined,
    warmUpSeconds: undefined,
    before: await slopeBefore(store, plan, nodePlan),
  });
}
