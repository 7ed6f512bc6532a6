/** Undoes what a plan did on a node and can be undone, in reverse order, and says what cannot. */
import type { PlanStep } from '../plan/plan-step.ts';
import { type ActContext, requestHolds, sendLogged } from './act-context.ts';
import { STEP_ANNOTATION } from '../../evidence/plan-marks.ts';
import { removeLeftPod } from './restart-step.ts';

export interface Undone {
  readonly step: string;
  readonly outcome: 'undone' | 'nothing-to-undo' | 'cannot' | 'failed';
  readonly detail: string;
}

export async function undoSteps(context: ActContext, steps: readonly PlanStep[]): Promise<readonly Undone[]> {
  const all: Undone[] = [];
  for (const step of steps.toReversed()) {
    const undone = await undoStep(context, step);
    if (undone === undefined) continue;
    all.push(undone);
    await context.journal.write({ kind: 'undone', ...undone });
  }
  await clearStepAnnotations(context, all, steps);
  return all;
}

/** Undefined if the step never began or leaves nothing. */
async function undoStep(context: ActContext, step: PlanStep): Promise<Undone | undefined> {
  const state = context.journal.stateOf(step.id);
  if (state.kind === 'not-begun' || state.kind === 'undone') return undefined;
  const say = (outcome: Undone['outcome'], detail: string): Undone => ({ step: step.id, outcome, detail });
  if (step.kind === 'restart') {
    const pod = await removeLeftPod(context, step);
    const isDone = state.kind === 'ended' && state.outcome !== 'failed';
    const what = isDone ? 'a restart cannot be undone' : 'whether it was restarted is not known; it cannot be undone';
    if (state.kind === 'ended' && state.outcome === 'failed') return pod === undefined ? undefined : say('undone', pod);
    return say('cannot', pod === undefined ? what : `${what}; ${pod}`);
  }
  if (step.kind === 'drain') {
    const count = context.journal.records.filter(
      record => record.kind === 'pod' && record.step === step.id && record.outcome === 'evicted',
    ).length;
    return count === 0
      ? undefined
      : say('cannot', `${count} evicted pods do not come back by themselves to ${step.node}`);
  }
  if (step.isFinal) return say('cannot', `${step.sentence}: this cannot be undone`);
  if (step.undo?.call.kind !== 'request' || step.call.kind !== 'request') return undefined;
  // What someone changed since is theirs.
  const isOurs = await requestHolds(context, step.call);
  if (isOurs === undefined) return say('failed', `${step.call.path} cannot be read; later: ${step.undo.sentence}`);
  if (!isOurs) return say('nothing-to-undo', 'it is undone already, or someone changed it since');
  const { method, path, body, contentType } = step.undo.call;
  const sent = await sendLogged(context, step.id, {
    method,
    path,
    body: body ?? undefined,
    ...(contentType === null ? {} : { contentType }),
  });
  return sent.kind === 'done'
    ? say('undone', step.undo.sentence)
    : say('failed', `${step.undo.sentence}: ${sent.message}`);
}

async function clearStepAnnotations(
  { actions }: ActContext,
  undone: readonly Undone[],
  steps: readonly PlanStep[],
): Promise<void> {
  const touched = steps.filter(({ id }) => undone.some(({ step }) => step === id)).flatMap(({ node }) => node ?? []);
  for (const node of new Set(touched))
    await actions.patchNode(node, { metadata: { annotations: { [STEP_ANNOTATION]: null } } });
}
