/**
 * One step: read the world, write that it begins, do it, write how it ended.
 *
 *     log says ended        -> nothing
 *     log says begun        -> hasHappened? -> already-done, or as below
 *     preconditions broken  -> stop, nothing done
 *     otherwise             -> step-began  call  step-ended
 */
import type { StepOutcome } from '../../store/plan-log.ts';
import type { NodePlan } from '../plan/plan.ts';
import type { PlanStep } from '../plan/plan-step.ts';
import { type ActContext, type StepEnd, stop } from './act-context.ts';
import { overBudget } from './budgets.ts';
import { drainNode } from './drain-node.ts';
import { markBegin, markEnd, markRestarted } from './node-marks.ts';
import { readProcessStart } from './process-start.ts';
import { checkPreconditions, type WorldAccess } from './preconditions.ts';
import { hasHappened } from './has-happened.ts';
import { runRestart } from './restart-step.ts';
import { runRequest } from './send-request.ts';
import { takeStepLock } from './lock-step.ts';
import { waitReady } from './wait-ready.ts';

export interface StepPlace {
  readonly nodePlan: NodePlan | undefined;
  /** What `oakum verify` says right after the act. */
  readonly verify: (node: NodePlan) => Promise<StepEnd>;
  /** Scrapes the process that is about to end, to compare with. */
  readonly observe: (node: NodePlan) => Promise<void>;
}

export async function runStep(context: ActContext, step: PlanStep, place: StepPlace): Promise<StepEnd> {
  const { journal, clock, signal } = context;
  const state = journal.stateOf(step.id);
  // Each run takes the lock for itself.
  if (step.kind !== 'lock' && state.kind === 'ended' && state.outcome !== 'failed') return { kind: 'done', detail: '' };
  if (signal.aborted) return stop('interrupted', 'stopped');
  const lost = step.kind === 'lock' ? undefined : context.lock?.whyLost();
  if (lost !== undefined) return stop('lock-lost', `the lock is lost: ${lost}`);
  const began = clock.now();
  if (state.kind === 'begun') {
    const before = place.nodePlan?.verification.before.processStartSeconds ?? undefined;
    const happened = await hasHappened(context, step, state.atSeconds, before);
    if (happened?.kind === 'stop') return happened;
    if (happened !== undefined) return ended(context, step, happened, 'already-done', began);
  }
  const before = await whyNotNow(context, step, place);
  // Reading the world takes a while: who stopped us meanwhile wants nothing more begun, and nothing undone.
  if (signal.aborted) return stop('interrupted', 'stopped');
  if (before !== undefined) return before;
  await journal.write({ kind: 'step-began', step: step.id, node: step.node });
  context.say(step.sentence);
  await markBegin(context, step);
  const end = signal.aborted ? stop('interrupted', 'stopped') : await call(context, step, place);
  return ended(context, step, end, end.kind === 'done' ? 'done' : 'failed', began);
}

async function whyNotNow(context: ActContext, step: PlanStep, { nodePlan }: StepPlace): Promise<StepEnd | undefined> {
  const access: WorldAccess = {
    actions: context.actions,
    clock: context.clock,
    planId: context.plan.id,
    processStart: async node => readProcessStart(await context.kubelet(node)),
    whyLockLost: () => (context.lock === undefined ? 'it was never taken' : context.lock.whyLost()),
  };
  const checked = await checkPreconditions(step.preconditions, access);
  if (checked.kind === 'unread') return stop(checked.isForbidden ? 'forbidden' : 'no-answer', checked.detail);
  if (checked.kind === 'broken') {
    const special = {
      'not-ready-below': 'too-many-not-ready',
      'cordoned-below': 'too-many-not-ready',
      'lock-held': 'lock-lost',
    } as const;
    const why = special[checked.precondition as keyof typeof special] ?? 'precondition';
    return stop(why, checked.detail);
  }
  if (nodePlan === undefined) return undefined;
  // Before the first step, too: a node must not stay cordoned and empty until the hour is over.
  const isFirst = step === nodePlan.steps[0] && nodePlan.steps.some(isAct);
  return isFirst || isAct(step) ? overBudget(context, nodePlan.node) : undefined;
}

function isAct({ kind }: PlanStep): boolean {
  return kind === 'restart' || kind === 'delete-node';
}

async function ended(
  context: ActContext,
  step: PlanStep,
  end: StepEnd,
  outcome: StepOutcome,
  began: number,
): Promise<StepEnd> {
  const { journal, clock } = context;
  const tookSeconds = Math.round((clock.now() - began) * 1000) / 1000;
  // Interrupted in the middle: the log keeps it open, so that a resumed run looks at the world.
  const isOpen = end.kind === 'stop' && ['interrupted', 'lock-lost', 'no-answer'].includes(end.why);
  if (step.kind === 'restart' && step.node !== null && end.kind === 'done') await markRestarted(context, step.node);
  if (!isOpen) {
    await journal.write({
      kind: 'step-ended',
      step: step.id,
      node: step.node,
      outcome,
      detail: end.detail,
      tookSeconds,
    });
    if (isAct(step) && step.node !== null && end.kind === 'done') context.begun.delete(step.node);
    await markEnd(context, step, outcome, end.detail);
  }
  if (end.kind === 'done' && end.detail !== '') context.say(`${step.id}: ${end.detail}`);
  return end;
}

async function call(context: ActContext, step: PlanStep, place: StepPlace): Promise<StepEnd> {
  const { call: what } = step;
  switch (what.kind) {
    case 'request':
      return runRequest(context, step.id, what);
    case 'lease-acquire':
      return takeStepLock(context, what.durationSeconds);
    case 'lease-release':
      await context.lock?.release();
      return { kind: 'done', detail: '' };
    case 'drain':
      return drain(context, step, what);
    case 'command':
    case 'pod':
    case 'print': {
      if (place.nodePlan !== undefined) await place.observe(place.nodePlan);
      const start = place.nodePlan?.verification.before.processStartSeconds ?? (await startOf(context, step));
      if (context.signal.aborted) return stop('interrupted', 'stopped');
      return typeof start === 'string' ? stop('no-answer', start) : runRestart(context, step, start);
    }
    case 'wait-ready':
      return waitReady(context, {
        node: step.node ?? '',
        stableSeconds: what.stableSeconds,
        timeoutSeconds: step.timeoutSeconds,
        sinceSeconds: restartSeenAt(context, place),
      });
    case 'verify':
      return place.nodePlan === undefined ? { kind: 'done', detail: '' } : place.verify(place.nodePlan);
  }
}

async function startOf(context: ActContext, { node }: PlanStep): Promise<number | string> {
  return readProcessStart(await context.kubelet(node ?? ''));
}

/** The new process reports later than this; undefined if nothing was restarted. */
function restartSeenAt({ journal }: ActContext, { nodePlan }: StepPlace): number | undefined {
  const restart = nodePlan?.steps.find(({ kind }) => kind === 'restart');
  const record = restart === undefined ? undefined : journal.lastOf(restart.id, 'step-ended');
  const said = /started again at (\S+Z)/.exec(record?.detail ?? '')?.[1];
  return said === undefined ? undefined : Date.parse(said) / 1000;
}

async function drain(
  context: ActContext,
  step: PlanStep,
  what: Extract<PlanStep['call'], { kind: 'drain' }>,
): Promise<StepEnd> {
  const { actions, clock, journal, say } = context;
  const end = new AbortController();
  const halt = (): void => end.abort();
  const signals = [context.signal, ...(context.lock === undefined ? [] : [context.lock.lost])];
  for (const signal of signals) signal.addEventListener('abort', halt, { once: true });
  if (signals.some(({ aborted }) => aborted)) halt();
  const drained = await drainNode({
    actions,
    clock,
    call: what,
    timeoutSeconds: step.timeoutSeconds,
    signal: end.signal,
    onPod: async ({ namespace, name, uid }, outcome, detail) => {
      await journal.write({ kind: 'pod', step: step.id, namespace, name, uid, outcome, detail });
      if (outcome !== 'left') say(`${namespace}/${name} ${outcome}${detail === '' ? '' : `: ${detail}`}`);
    },
    onProgress: say,
  });
  for (const signal of signals) signal.removeEventListener('abort', halt);
  if (drained.kind === 'drained') return { kind: 'done', detail: drained.detail };
  if (drained.kind === 'failed') return stop(drained.why, drained.detail);
  const lost = context.lock?.whyLost();
  return lost === undefined ? stop('interrupted', 'stopped') : stop('lock-lost', `the lock is lost: ${lost}`);
}
