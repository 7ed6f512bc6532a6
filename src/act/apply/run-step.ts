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
import {
  type ActContext,
  type StepEnd,
  rideOver,
  SILENT_SECONDS,
  stop,
  stopFor,
  takeStepLock,
  runRequest,
  requestHolds,
} from './act-context.ts';
import { drainNode } from './drain-node.ts';
import { readProcessStart, hasMoved, waitForRestart, runRestart, removeLeftPod } from './restart-step.ts';
import { checkPreconditions, type WorldAccess } from './preconditions.ts';
import { formatAge } from '../../base/say.ts';
import { nodeState } from '../plan/read-node.ts';
import { markBegin, markEnd, markRestarted } from './step-marks.ts';
import { formatClock } from './journal.ts';

/** The command may have reached the node just before it was ended. */
const SETTLE_SECONDS = 20;

/** Waits until a node is Ready again, by a report of the process that was started, and stays so. */
const PAUSE_SECONDS = 2;

/** The budgets of a plan, counted over the whole cluster: other plans and other people restart kubelets too. */
const HOUR_SECONDS = 3600;

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
  const before = (await lockAgain(context, step)) ?? (await whyNotNow(context, step, place));
  // Reading the world takes a while: who stopped us meanwhile wants nothing more begun, and nothing undone.
  if (signal.aborted) return stop('interrupted', 'stopped');
  if (before !== undefined) return before;
  await journal.write({ kind: 'step-began', step: step.id, node: step.node });
  context.say(step.sentence);
  await markBegin(context, step);
  const end = signal.aborted ? stop('interrupted', 'stopped') : await call(context, step, place);
  return ended(context, step, end, end.kind === 'done' ? 'done' : 'failed', began);
}

/** A printed restart gave the lock back while someone else was to do it. */
async function lockAgain(context: ActContext, { preconditions }: PlanStep): Promise<StepEnd | undefined> {
  const { lock, journal, plan } = context;
  const wasTaken = plan.before.some(({ kind, id }) => kind === 'lock' && journal.stateOf(id).kind === 'ended');
  if (lock !== undefined || !wasTaken || !preconditions.some(({ kind }) => kind === 'lock-held')) return undefined;
  const taken = await takeStepLock(context, plan.policy.lock.durationSeconds);
  return taken.kind === 'stop' ? taken : undefined;
}

async function whyNotNow(context: ActContext, step: PlanStep, { nodePlan }: StepPlace): Promise<StepEnd | undefined> {
  const access: WorldAccess = {
    actions: context.actions,
    clock: context.clock,
    planId: context.plan.id,
    processStart: async node => readProcessStart(await context.kubelet(node)),
    whyLockLost: () => (context.lock === undefined ? 'it was never taken' : context.lock.whyLost()),
  };
  const checked = await rideOver(
    context,
    () => checkPreconditions(step.preconditions, access),
    one => one.kind === 'unread' && !one.isForbidden,
  );
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

/** Undefined if one more act on the node is within the budgets; then the node counts as begun until it is restarted. */
async function overBudget(context: ActContext, node: string): Promise<StepEnd | undefined> {
  const { plan, clock, actions, begun, journal } = context;
  const { maxPerHour, coolDownSeconds } = plan.policy;
  const listed = await rideOver(
    context,
    () => actions.nodes(),
    ({ kind }) => kind === 'lost',
  );
  if (listed.kind !== 'done') return stopFor(listed, 'the nodes cannot be listed');
  const now = clock.now();
  const facts = listed.value.items.map(nodeState);
  const own = facts.find(({ name }) => name === node);
  if (own?.restartedAt !== undefined && own.restartedBy !== plan.id && now - own.restartedAt < coolDownSeconds)
    return stop(
      'cool-down',
      `${node} was restarted by ${own.restartedBy} ${formatAge(now - own.restartedAt)} ago, and ${formatAge(coolDownSeconds)} must pass between two restarts; a leak that returns so soon needs another cure`,
    );
  const recent = facts.flatMap(({ restartedAt }) =>
    restartedAt !== undefined && now - restartedAt < HOUR_SECONDS ? [restartedAt] : [],
  );
  // Nodes that were replaced have nothing left to read it from.
  for (const record of journal.records) {
    if (record.kind !== 'step-ended' || !record.step.endsWith('/delete-node') || record.outcome === 'failed') continue;
    const at = Date.parse(record.at) / 1000;
    if (now - at < HOUR_SECONDS) recent.push(at);
  }
  // Those of the same wave that will be restarted while this node is drained.
  const ahead = [...begun].filter(other => other !== node).length;
  if (recent.length + ahead < maxPerHour) {
    begun.add(node);
    return undefined;
  }
  const freeAt = (recent.sort((a, b) => a - b)[Math.max(0, recent.length + ahead - maxPerHour)] ?? now) + HOUR_SECONDS;
  const soon = ahead === 0 ? '' : ` or are about to be`;
  return stop(
    'per-hour',
    `${recent.length + ahead} kubelets were restarted in the last hour${soon}, the most the plan allows; the same command goes on after ${formatClock(freeAt)}`,
  );
}

interface ReadyWait {
  readonly node: string;
  readonly stableSeconds: number;
  readonly timeoutSeconds: number;
  /** Reports from before are those of the old process; undefined: any counts. */
  readonly sinceSeconds: number | undefined;
}

async function waitReady(
  { actions, clock, signal }: Pick<ActContext, 'actions' | 'clock' | 'signal'>,
  { node, stableSeconds, timeoutSeconds, sinceSeconds }: ReadyWait,
): Promise<StepEnd> {
  const began = clock.now();
  let readySince: number | undefined;
  let why = '';
  let answeredAt = began;
  for (;;) {
    if (signal.aborted) return stop('interrupted', `stopped while waiting for ${node}`);
    const found = await actions.node(node);
    if (found.kind !== 'lost') answeredAt = clock.now();
    else if (clock.now() - answeredAt > SILENT_SECONDS)
      return stop('no-answer', `the API server does not answer: ${found.message}`);
    const facts = found.kind === 'done' ? nodeState(found.value) : undefined;
    const isFresh = sinceSeconds === undefined || (facts?.heartbeatSeconds ?? 0) >= Math.floor(sinceSeconds);
    const isReady = facts?.isReady === true && isFresh;
    if (isReady) readySince ??= clock.now();
    else readySince = undefined;
    why =
      found.kind !== 'done'
        ? found.message
        : facts?.isReady === true
          ? 'no report since the restart'
          : 'it is not Ready';
    if (readySince !== undefined && clock.now() - readySince >= stableSeconds)
      return { kind: 'done', detail: `${node} is Ready again after ${formatAge(readySince - began)}` };
    if (clock.now() - began > timeoutSeconds)
      return stop('failure', `${node} is not Ready ${formatAge(timeoutSeconds)} after the restart: ${why}`);
    await clock.sleep(PAUSE_SECONDS, signal);
  }
}

/**
 * Whether a step that began in an earlier run happened before that run was killed. The world decides, not the log.
 *
 *     request   the object is as the request makes it
 *     restart   the start time of the process moved; if not, what is left of the command is ended first
 *     others    are safe to do again: the lock, a drain (evictions carry UIDs), waiting
 *
 * Undefined: it did not, and is to be done now.
 */
async function hasHappened(
  context: ActContext,
  step: PlanStep,
  begunAt: number,
  startBefore: number | undefined,
): Promise<StepEnd | undefined> {
  if (step.kind === 'restart') return restartHappened(context, step, begunAt, startBefore);
  if (step.call.kind !== 'request') return undefined;
  const { call: request } = step;
  const holds = await rideOver(
    context,
    () => requestHolds(context, request),
    known => known === undefined,
  );
  if (holds === undefined)
    return stop('no-answer', `${step.call.path} cannot be read: it is not known whether ${step.id} was done`);
  return holds ? { kind: 'done', detail: 'it was done before the interruption' } : undefined;
}

async function restartHappened(
  context: ActContext,
  step: PlanStep,
  begunAt: number,
  startBefore: number | undefined,
): Promise<StepEnd | undefined> {
  const { clock, journal, commands, signal, say } = context;
  if (startBefore === undefined)
    return stop('precondition', `the plan does not say when the kubelet of ${step.node} was started`);
  const connection = await context.kubelet(step.node ?? '');
  const read = (): Promise<number | string> => readProcessStart(connection);
  const done = (): StepEnd => ({
    kind: 'done',
    detail: `the kubelet of ${step.node} was restarted before the interruption`,
  });
  const start = await read();
  if (typeof start === 'number' && hasMoved(startBefore, start)) {
    await removeLeftPod(context, step);
    return done();
  }
  const began = journal.lastOf(step.id, 'command-began');
  const ended = journal.lastOf(step.id, 'command');
  // The command went to its end: the restart is on its way, or failed.
  const mayStillCome = step.call.kind !== 'command' || ended !== undefined || began === undefined;
  if (began !== undefined && ended === undefined && (await commands.endOrphan(began)))
    say(`ended the command of the interrupted run (pid ${began.pid})`);
  // A pod of ours goes on without us, and so does a command whose pid was not written any more.
  const until = mayStillCome ? begunAt + step.timeoutSeconds : clock.now() + SETTLE_SECONDS;
  if (await isCertainlyNotBegun(context, step)) return undefined;
  if (until > clock.now()) say(`waiting: ${step.id} may have begun before the interruption`);
  const seen = await waitForRestart({ clock, read, startBefore, untilSeconds: until, signal });
  if (seen.kind === 'stopped') return stop('interrupted', `stopped while waiting for ${step.node}`);
  await removeLeftPod(context, step);
  return seen.kind === 'restarted' ? done() : undefined;
}

/** A pod that was never created restarts nothing. */
async function isCertainlyNotBegun(context: ActContext, { id, call }: PlanStep): Promise<boolean> {
  if (call.kind !== 'pod') return false;
  const found = await context.actions.request({ method: 'GET', path: `${call.path}/${podName(call.manifest)}` });
  const wasSent = context.journal.lastOf(id, 'request') !== undefined;
  return found.kind === 'refused' && found.status === 404 && !wasSent;
}

function podName(manifest: unknown): string {
  const { metadata } = manifest as { readonly metadata?: { readonly name?: string } };
  return metadata?.name ?? '';
}
