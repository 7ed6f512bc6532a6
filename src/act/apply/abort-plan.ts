/** `oakum plan abort`: undoes what a plan did and can be undone, also long after its run ended or was killed. */
import { stepsOf } from '../plan/read-plan.ts';
import type { ActPorts } from './act-context.ts';
import { type ApplyRequest, contextOf } from './apply-plan.ts';
import { takeStepLock } from './lock-step.ts';
import { undoSteps, type Undone } from './undo.ts';

export type AbortResult =
  | { readonly kind: 'nothing-begun' }
  | { readonly kind: 'refused'; readonly detail: string }
  | { readonly kind: 'undone'; readonly undone: readonly Undone[] };

export async function abortPlan(
  request: Omit<ApplyRequest, 'verify' | 'observe' | 'oakumVersion'>,
  ports: ActPorts,
): Promise<AbortResult> {
  const { plan, log } = request;
  const records = await log.read();
  const other = records.find(({ planHash }) => planHash !== plan.hash);
  if (other !== undefined) return { kind: 'refused', detail: `the log is that of another plan (${other.planId})` };
  if (records.length === 0) return { kind: 'nothing-begun' };
  const context = contextOf(request, ports, records);
  const { journal } = context;
  // An apply of this plan that still runs keeps its lock.
  const locked = await takeStepLock(context, plan.policy.lock.durationSeconds);
  if (locked.kind === 'stop') return { kind: 'refused', detail: locked.detail };
  const undone = await undoSteps(context, stepsOf(plan));
  const outcome = 'aborted';
  await journal.write({ kind: 'apply-ended', outcome, detail: '' });
  await context.lock?.release();
  return { kind: 'undone', undone };
}
