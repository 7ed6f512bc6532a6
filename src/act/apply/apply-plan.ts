/**
 * Applies a plan, or resumes one that was interrupted.
 *
 *     check    log, age, cluster, rights          nothing is written yet
 *     before   the lock
 *     waves    the nodes of a wave side by side; a pause after the canary
 *     after    the lock is released
 *
 * When something stops it, what can be undone is undone, the lock is released, and the log says why. A node that may not
 * be well stays cordoned.
 */
import { formatSeconds } from '../../base/say.ts';
import type { PlanRecord, StopReason } from '../../store/plan-log.ts';
import type { NodeVerification } from '../plan-verification.ts';
import type { NodePlan, Plan, PlanWave } from '../plan/plan.ts';
import type { PlanStep, PlanPrecondition } from '../plan/plan-step.ts';
import { type ActContext, type ActPorts, type StepEnd, stop, takeStepLock } from './act-context.ts';
import { missingRights, otherCluster, otherNodes, type Refusal, standingOf, type Standing } from './check-plan.ts';
import { refusedByRules } from './approval.ts';
import { abortOnNodes, type NodesAborted } from './abort-node.ts';
import { Journal } from './journal.ts';
import { runStep } from './run-step.ts';
import { undoNodes, undoSteps, type Undone } from './undo.ts';
import type { PlanLog } from '../ports.ts';
import { stepsOf } from '../plan/derive-plan.ts';
import { readProcessStart } from './restart-step.ts';
import { checkPreconditions } from './preconditions.ts';

interface ApplyRequest {
  readonly plan: Plan;
  /** Of --image, by whoever acts; null without. */
  readonly image: string | null;
  readonly log: PlanLog;
  readonly actor: string;
  readonly oakumVersion: string;
  /** `PLAN@HOST/PID`. */
  readonly holder: string;
  readonly hasEnded: (holder: string) => boolean;
  readonly signal: AbortSignal;
  readonly verify: (node: NodePlan, records: readonly PlanRecord[]) => Promise<NodeVerification>;
  readonly observe: (node: NodePlan) => Promise<void>;
}

type AbortRequest = Omit<ApplyRequest, 'verify' | 'observe' | 'oakumVersion' | 'image'>;

export type ApplyResult =
  | { readonly kind: 'done'; readonly wasDone: boolean }
  | { readonly kind: 'refused'; readonly why: StopReason; readonly detail: string }
  | {
      readonly kind: 'stopped';
      readonly why: StopReason;
      readonly step: string | null;
      readonly detail: string;
      readonly undone: readonly Undone[];
    };

type Stopped = Extract<StepEnd, { kind: 'stop' }> & { readonly step: string | null };

export async function applyPlan(request: ApplyRequest, ports: ActPorts): Promise<ApplyResult> {
  const { plan, log, actor } = request;
  const { clock } = ports;
  const records = await log.read();
  const standing = standingOf(plan, records, clock.now());
  if (standing.kind === 'refused') return standing;
  if (standing.kind === 'done') return { kind: 'done', wasDone: true };
  const refusal = await whyNotHere(request, ports, records);
  if (refusal !== undefined) return { kind: 'refused', ...refusal };
  const context = contextOf(request, ports, records);
  const { journal } = context;
  const isResumed = standing.kind === 'resumed';
  await journal.write({ kind: 'apply-began', oakumVersion: request.oakumVersion, isResumed });
  ports.say(isResumed ? `resuming ${plan.id} as ${actor}` : `applying ${plan.id} as ${actor}`);
  const stopped = await runAll(context, request);
  if (stopped === undefined) {
    await journal.write({ kind: 'apply-ended', outcome: 'done', detail: '' });
    return { kind: 'done', wasDone: false };
  }
  return windUp(context, stopped);
}

/** The log is elsewhere or lost: the cluster says what the plan left. */
async function abortWithoutLog(request: AbortRequest, ports: ActPorts): Promise<AbortResult> {
  const { plan } = request;
  const nodes = plan.waves.flatMap(wave => wave.nodes.map(({ node }) => node));
  const ended = await abortOnNodes({ ...request, nodes, planId: plan.id, lock: plan.policy.lock }, ports);
  return ended.kind === 'undone' && ended.undone.length === 0 ? { kind: 'nothing-begun' } : ended;
}

/** Nothing is written before all of this is read. */
async function whyNotHere(
  { plan, image, actor }: Pick<ApplyRequest, 'plan' | 'image' | 'actor'>,
  { actions, clock }: ActPorts,
  records: readonly PlanRecord[],
): Promise<Refusal | undefined> {
  const isNew = records.length === 0;
  const elsewhere = (await otherCluster(plan, actions)) ?? (await otherNodes(plan, actions, { image, isNew }));
  // Who may not even read that is told about every right at once.
  if (elsewhere !== undefined)
    return (elsewhere.why === 'forbidden' ? await missingRights(plan, actions) : undefined) ?? elsewhere;
  const missing = await missingRights(plan, actions);
  return missing ?? (isNew ? refusedByRules(plan, actor, actions, clock.now()) : undefined);
}

function contextOf(
  { plan, log, actor, holder, hasEnded, signal }: Omit<ApplyRequest, 'verify' | 'observe' | 'oakumVersion' | 'image'>,
  ports: ActPorts,
  records: readonly PlanRecord[],
): ActContext {
  const journal = new Journal(log, { planId: plan.id, planHash: plan.hash, actor }, records, () => ports.clock.now());
  return { ...ports, plan, journal, actor, holder, hasEnded, signal, begun: new Set(), lock: undefined };
}

async function runAll(context: ActContext, request: ApplyRequest): Promise<Stopped | undefined> {
  const { plan } = context;
  const { observe } = request;
  const verify = (node: NodePlan): Promise<StepEnd> => verified(context, request, node);
  const run = async (
    steps: readonly PlanStep[],
    nodePlan?: NodePlan,
    others?: AbortSignal,
  ): Promise<Stopped | undefined> => {
    for (const step of steps) {
      if (others?.aborted === true) return undefined;
      if (nodePlan !== undefined && isMoot(context.journal, step, nodePlan.steps)) continue;
      const end = await runStep(context, step, { nodePlan, verify, observe });
      if (end.kind === 'stop') return { ...end, step: step.id };
    }
    return undefined;
  };
  const before = await run(plan.before);
  if (before !== undefined) return before;
  for (const wave of plan.waves) {
    const failed = new AbortController();
    const ends = await Promise.all(
      wave.nodes.map(async nodePlan => {
        const end = await run(nodePlan.steps, nodePlan, failed.signal);
        // Who is within the budget of the hour finishes: half-way, a node would be left cordoned.
        if (end !== undefined && end.why !== 'per-hour') failed.abort();
        return end;
      }),
    );
    const end = ends.find(one => one !== undefined) ?? (await pauseAfter(context, wave));
    if (end !== undefined) return end;
  }
  return run(plan.after);
}

/** A node that is not well after its restart stops the plan; that it is too early to know does not. */
async function verified(context: ActContext, { verify }: ApplyRequest, nodePlan: NodePlan): Promise<StepEnd> {
  const { node } = nodePlan;
  const { outcome, sentence } = await verify(nodePlan, context.journal.records);
  await context.journal.write({ kind: 'verified', node, outcome, detail: sentence });
  const isBad = outcome === 'unwell' || outcome === 'not restarted';
  return isBad
    ? stopOf('failure', `${node} is not well after the restart: ${sentence}`)
    : { kind: 'done', detail: sentence };
}

/** Counts from the end of the wave, also when that was in an earlier run. */
async function pauseAfter(context: ActContext, wave: PlanWave): Promise<Stopped | undefined> {
  const { clock, journal, signal, lock, say } = context;
  const steps = wave.nodes.flatMap(({ steps: all }) => all);
  const ends = steps.flatMap(({ id }) => {
    const state = journal.stateOf(id);
    return state.kind === 'ended' ? [state.atSeconds] : [];
  });
  const until = Math.max(...ends, 0) + wave.thenWaitSeconds;
  const seconds = until - clock.now();
  if (seconds <= 0) return undefined;
  say(`waiting ${formatSeconds(Math.ceil(seconds))} before the next node`);
  const end = new AbortController();
  const halt = (): void => end.abort();
  const signals = [signal, ...(lock === undefined ? [] : [lock.lost])];
  for (const one of signals) one.addEventListener('abort', halt, { once: true });
  if (signals.some(({ aborted }) => aborted)) halt();
  await clock.sleep(seconds, end.signal);
  for (const one of signals) one.removeEventListener('abort', halt);
  if (signal.aborted) return { ...stopOf('interrupted', 'stopped'), step: null };
  const lost = lock?.whyLost();
  return lost === undefined ? undefined : { ...stopOf('lock-lost', `the lock is lost: ${lost}`), step: null };
}

function stopOf(why: StopReason, detail: string): Extract<StepEnd, { kind: 'stop' }> {
  return stop(why, detail) as Extract<StepEnd, { kind: 'stop' }>;
}

/**
 * Interrupted or silent servers leave everything as it is, for a resumed run; all else is undone where it can be. Also
 * at the end of the hour's budget: nobody leaves a node cordoned for an hour, and a resumed run begins it again.
 */
async function windUp(context: ActContext, { why, detail, step }: Stopped): Promise<ApplyResult> {
  const { journal, plan, lock } = context;
  await journal.write({ kind: 'stopped', why, step, detail });
  const isPaused = why === 'interrupted' || why === 'no-answer';
  const open = plan.waves.flatMap(({ nodes }) => nodes).filter(({ steps }) => !isWhole(context, steps));
  const undone = isPaused ? [] : await undoNodes(context, open);
  if (why === 'lock-lost' || why === 'no-answer') await lock?.abandon();
  else await lock?.release();
  await journal.write({ kind: 'apply-ended', outcome: 'stopped', detail });
  return { kind: 'stopped', why, step, detail, undone };
}

/** Every step of the node ended well: nothing of it is undone because of another node. */
function isWhole({ journal }: ActContext, steps: readonly PlanStep[]): boolean {
  return steps.every(({ id }) => {
    const state = journal.stateOf(id);
    return state.kind === 'ended' && state.outcome !== 'failed';
  });
}

/** What a resumed run leaves out, because an earlier one undid what it belongs to. */
function isMoot(journal: Journal, { kind }: PlanStep, steps: readonly PlanStep[]): boolean {
  const stateOf = (of: PlanStep['kind']) => {
    const step = steps.find(one => one.kind === of);
    return step === undefined ? undefined : journal.stateOf(step.id);
  };
  // A node is not emptied once more for an act that was done.
  if (kind === 'cordon' || kind === 'drain') {
    const act = stateOf('restart') ?? stateOf('delete-node');
    return act?.kind === 'ended' && act.outcome !== 'failed' && stateOf('cordon')?.kind === 'undone';
  }
  return kind === 'uncordon' && stateOf('cordon')?.kind === 'undone';
}

interface PlanPreview {
  readonly standing: Standing;
  readonly steps: readonly { readonly step: string; readonly why: string | undefined; readonly isDone: boolean }[];
}

/** These come to hold by earlier steps. */
const BY_STEPS: ReadonlySet<PlanPrecondition['kind']> = new Set(['lock-held', 'cordoned-by-us']);

/** What an apply would do now, without doing any of it. */
export async function previewPlan(
  request: Omit<ApplyRequest, 'verify' | 'observe' | 'oakumVersion'>,
  ports: ActPorts,
): Promise<PlanPreview> {
  const { plan, log } = request;
  const { actions, clock } = ports;
  const records = await log.read();
  const standing = standingOf(plan, records, clock.now());
  if (standing.kind === 'refused' || standing.kind === 'done') return { standing, steps: [] };
  const refusal = await whyNotHere(request, ports, records);
  if (refusal !== undefined) return { standing: { kind: 'refused', ...refusal }, steps: [] };
  const { journal } = contextOf(request, ports, records);
  const access = {
    actions,
    clock,
    planId: plan.id,
    processStart: async (node: string) => readProcessStart(await ports.kubelet(node)),
    whyLockLost: () => undefined,
  };
  const steps: { step: string; why: string | undefined; isDone: boolean }[] = [];
  for (const { id, kind, preconditions } of stepsOf(plan)) {
    const state = journal.stateOf(id);
    const isDone = kind !== 'lock' && state.kind === 'ended' && state.outcome !== 'failed';
    const checked = isDone
      ? { kind: 'holds' as const }
      : await checkPreconditions(
          preconditions.filter(one => !BY_STEPS.has(one.kind)),
          access,
        );
    steps.push({ step: id, why: checked.kind === 'holds' ? undefined : checked.detail, isDone });
  }
  return { standing, steps };
}

export type AbortResult = { readonly kind: 'nothing-begun' } | NodesAborted;

/** `oakum plan abort`: undoes what a plan did and can be undone, also long after its run ended or was killed. */
export async function abortPlan(request: AbortRequest, ports: ActPorts): Promise<AbortResult> {
  const { plan, log } = request;
  const records = await log.read();
  const other = records.find(({ planHash }) => planHash !== plan.hash);
  if (other !== undefined) return { kind: 'refused', detail: `the log is that of another plan (${other.planId})` };
  const elsewhere = await otherCluster(plan, ports.actions);
  if (elsewhere !== undefined) return { kind: 'refused', detail: elsewhere.detail };
  if (records.length === 0) return abortWithoutLog(request, ports);
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
