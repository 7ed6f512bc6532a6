/** Keeps asking whether a plan helped, after it was applied, until it is known. */
import { verifyNode } from '../verify/verify-node.ts';
import type { PlanRecord } from '../../store/plan-log.ts';
import type { NodeVerification } from '../verify/plan-verification.ts';
import type { NodePlan, Plan } from '../plan/plan.ts';
import type { SampleStore } from '../../store/sample-store.ts';
import { slopeBefore, watchedSamples } from './verify-in-watch.ts';

/** After this time nobody waits for an answer any more. */
const MOST_SECONDS = 21 * 86_400;
const OPEN: ReadonlySet<string> = new Set(['too early', 'unread', 'unwell']);

/** The nodes of a plan about which it is not known yet whether it helped. */
export function openNodes(plan: Plan, records: readonly PlanRecord[], now: number): NodePlan[] {
  const end = records.findLast(({ kind }) => kind === 'apply-ended');
  if (plan.action !== 'restart' || end?.kind !== 'apply-ended' || end.outcome !== 'done') return [];
  if (now - Date.parse(end.at) / 1000 > MOST_SECONDS) return [];
  return plan.waves
    .flatMap(({ nodes }) => nodes)
    .filter(({ node }) => {
      const last = records.findLast(record => record.kind === 'verified' && record.node === node);
      return last?.kind !== 'verified' || OPEN.has(last.outcome);
    });
}

/** From the samples that the watch took since. Until there is one, the last is of the old process, and says nothing. */
export async function verifyWatched(
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
