/** Undoes what a plan did on a node and can be undone, in reverse order, and says what cannot. */
import type { PlanStep } from '../plan/plan-step.ts';
import { type ActContext, requestHolds, sendLogged } from './act-context.ts';
import { markRestarted } from './step-marks.ts';
import { readProcessStart, removeLeftPod } from './restart-step.ts';
import { nodeState } from '../plan/read-node.ts';
import type { NodePlan } from '../plan/plan.ts';

export interface Undone {
  readonly step: string;
  readonly outcome: 'undone' | 'nothing-to-undo' | 'cannot' | 'failed' | 'kept';
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
  return all;
}

/**
 * After a stop: nodes that are well are as before. One that may not be well keeps its cordon, its annotation and its
 * cool-down: uncordoned, it would take pods that nobody runs.
 */
export async function undoNodes(context: ActContext, nodes: readonly NodePlan[]): Promise<readonly Undone[]> {
  const all: Undone[] = [];
  for (const nodePlan of nodes.toReversed()) {
    const why = await whyKept(context, nodePlan);
    all.push(...(why === undefined ? await undoSteps(context, nodePlan.steps) : await keep(context, nodePlan, why)));
  }
  return all;
}

/** Undefined if the node is as it was, or well again. */
async function whyKept(context: ActContext, { node, steps }: NodePlan): Promise<string | undefined> {
  const { journal } = context;
  const stepOf = (kind: PlanStep['kind']): PlanStep | undefined => steps.find(one => one.kind === kind);
  const [drain, restart, deletion] = [stepOf('drain'), stepOf('restart'), stepOf('delete-node')];
  if (deletion !== undefined && journal.stateOf(deletion.id).kind !== 'not-begun')
    return 'its deletion began, and it was emptied for it';
  const state = restart === undefined ? undefined : journal.stateOf(restart.id);
  if (restart !== undefined && state !== undefined && state.kind !== 'not-begun') {
    const why = await whyUnwell(context, node, restart);
    if (why === undefined) return undefined;
    if (state.kind !== 'ended' || state.outcome === 'failed') await markRestarted(context, node);
    return why;
  }
  if (drain === undefined) return undefined;
  const end = journal.stateOf(drain.id);
  const isHalf = end.kind === 'begun' || (end.kind === 'ended' && end.outcome === 'failed');
  const evicted = evictedBy(context, drain);
  return isHalf && evicted > 0
    ? `it is half drained: ${evicted} ${evicted === 1 ? 'pod was' : 'pods were'} evicted`
    : undefined;
}

async function whyUnwell(context: ActContext, node: string, restart: PlanStep): Promise<string | undefined> {
  const { actions, journal, kubelet } = context;
  const found = await actions.node(node);
  if (found.kind !== 'done') return `whether it is well is not known: ${found.message}`;
  const { isReady, heartbeatSeconds } = nodeState(found.value);
  if (!isReady) return 'it is not Ready after the restart';
  const ended = journal.lastOf(restart.id, 'step-ended');
  const isDone = ended !== undefined && ended.outcome !== 'failed';
  if (isDone && !(heartbeatSeconds >= Math.floor(Date.parse(ended.at) / 1000)))
    return 'it has not reported since the restart';
  const start = await readProcessStart(await kubelet(node));
  return typeof start === 'string' ? `its kubelet does not answer: ${start}` : undefined;
}

async function keep({ journal, plan }: ActContext, { node, steps }: NodePlan, why: string): Promise<Undone[]> {
  const isCordoned = steps.some(({ kind, id }) => kind === 'cordon' && journal.stateOf(id).kind === 'ended');
  const step = steps.find(({ kind }) => kind === (isCordoned ? 'cordon' : 'announce'));
  if (step === undefined || journal.stateOf(step.id).kind === 'not-begun') return [];
  const what = isCordoned
    ? `${node} stays cordoned, with the annotation of ${plan.id}`
    : `the annotation stays on ${node}`;
  const detail = `${what}: ${why}; look at the node, then oakum plan abort --node ${node}`;
  await journal.write({ kind: 'undone', step: step.id, outcome: 'kept', detail });
  return [{ step: step.id, outcome: 'kept', detail }];
}

function evictedBy({ journal }: ActContext, { id }: PlanStep): number {
  return journal.records.filter(record => record.kind === 'pod' && record.step === id && record.outcome === 'evicted')
    .length;
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
    const count = evictedBy(context, step);
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
