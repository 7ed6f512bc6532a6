/**
 * When evidence is taken automatically. A capture costs the target milliseconds and uses up part of a small budget, so
 * each must show something that the earlier ones do not.
 *
 *     first of life   the process before anything grew, to compare with later captures
 *     doubling        twice the goroutines of the last capture
 *     slope           at once when something is suspected; then a second look, to see what grew
 *     heap ramp       the live heap a quarter above the last capture, while something grows
 *     pre-OOM         four fifths of the limit, and again at each tenth above
 *     routine         only the heap profile, every six hours: what it keeps is known before anything is suspected
 */
import { mayLeak, type Verdict } from '../../judge/verdict.ts';
import { formatAge, formatBytes, formatCount } from '../../base/say.ts';

export type Trigger = 'first of life' | 'doubling' | 'slope' | 'heap ramp' | 'pre-OOM' | 'routine' | 'asked for';

export interface CapturePolicy {
  /** Between captures of one target; what cannot wait waits only a minute: pre-OOM, and the first look at a suspicion. */
  readonly cooldownSeconds: number;
  readonly urgentCooldownSeconds: number;
  /** After a start: what loads at once is not growth. */
  readonly warmUpSeconds: number;
  readonly leastGoroutines: number;
  readonly rampShare: number;
  readonly rampsPerLife: number;
  readonly preOomShare: number;
  readonly preOomStep: number;
  /** Cores. A busier process is left alone unless it is about to die. */
  readonly maxCpuCores: number;
  readonly perHour: number;
  /** The share of the hourly captures for processes in which nothing grows. */
  readonly firstOfLifeShare: number;
  /** Between two heap profiles of a target in which nothing happens; Infinity for none. */
  readonly routineSeconds: number;
  /** The share of the targets that may be asked for one within a minute. */
  readonly routineSharePerMinute: number;
}

export const CAPTURE_POLICY: CapturePolicy = {
  cooldownSeconds: 600,
  urgentCooldownSeconds: 60,
  warmUpSeconds: 900,
  leastGoroutines: 1000,
  rampShare: 0.25,
  rampsPerLife: 5,
  preOomShare: 0.8,
  preOomStep: 0.1,
  maxCpuCores: 2,
  perHour: 30,
  firstOfLifeShare: 0.5,
  routineSeconds: 6 * 3600,
  routineSharePerMinute: 0.01,
};

/** The values at the last capture of this life. */
export interface LastCapture {
  readonly at: number;
  readonly goroutines: number | undefined;
  readonly liveHeapBytes: number | undefined;
  readonly memoryBytes: number | undefined;
  readonly trigger: Trigger;
}

export interface TriggerState {
  readonly now: number;
  readonly lifeSeconds: number | undefined;
  readonly goroutines: number | undefined;
  readonly liveHeapBytes: number | undefined;
  /** Resident, or the working set of its cgroup. */
  readonly memoryBytes: number | undefined;
  readonly memoryLimitBytes: number | undefined;
  readonly cpuCores: number | undefined;
  readonly verdict: Verdict;
  /** The near end of the interval. */
  readonly hoursToLimit: number | undefined;
  /** Captures of this life, newest last. */
  readonly captures: readonly LastCapture[];
}

export interface CaptureWish {
  readonly trigger: Trigger;
  /** With the numbers that triggered it. */
  readonly reason: string;
}

export function captureWish(state: TriggerState, policy: CapturePolicy): CaptureWish | undefined {
  const { now, captures } = state;
  const last = captures.at(-1);
  const sinceLast = last === undefined ? Infinity : now - last.at;
  const dying = preOom(state, policy, sinceLast);
  if (dying !== undefined) return dying;
  if (isBusy(state, policy)) return undefined;
  const suspected = firstLook(state, policy);
  if (suspected !== undefined) return sinceLast < policy.urgentCooldownSeconds ? undefined : suspected;
  if (sinceLast < policy.cooldownSeconds) return undefined;
  if ((state.lifeSeconds ?? Infinity) < policy.warmUpSeconds) return undefined;
  return (
    doubling(state, policy) ??
    secondLook(state) ??
    ramp(state, policy) ??
    (captures.length === 0 ? { trigger: 'first of life', reason: 'to compare with if it grows' } : undefined)
  );
}

/** Whether a process is left alone, unless it is about to die. */
function isBusy({ cpuCores }: Pick<TriggerState, 'cpuCores'>, { maxCpuCores }: CapturePolicy): boolean {
  return (cpuCores ?? 0) > maxCpuCores;
}

function preOom(state: TriggerState, policy: CapturePolicy, sinceLast: number): CaptureWish | undefined {
  const { memoryBytes, memoryLimitBytes, captures } = state;
  if (memoryBytes === undefined || memoryLimitBytes === undefined || !(memoryLimitBytes > 0)) return undefined;
  const share = memoryBytes / memoryLimitBytes;
  if (share < policy.preOomShare || sinceLast < policy.urgentCooldownSeconds) return undefined;
  const before = captures.findLast(one => one.trigger === 'pre-OOM')?.memoryBytes;
  if (before !== undefined && share < before / memoryLimitBytes + policy.preOomStep) return undefined;
  const percent = Math.round(share * 100);
  return {
    trigger: 'pre-OOM',
    reason: `${formatBytes(memoryBytes)} are ${percent}% of the limit of ${formatBytes(memoryLimitBytes)}`,
  };
}

function doubling({ goroutines, captures }: TriggerState, policy: CapturePolicy): CaptureWish | undefined {
  const before = captures.findLast(one => one.goroutines !== undefined)?.goroutines;
  if (goroutines === undefined || before === undefined || goroutines <= policy.leastGoroutines) return undefined;
  if (goroutines < 2 * before) return undefined;
  return {
    trigger: 'doubling',
    reason: `${formatCount(goroutines)} goroutines, ${formatCount(before)} at the last capture`,
  };
}

/** A process is suspected only after this share of its warm-up. */
const SUSPECT_WARM_UP = 1 / 3;

/** A suspicion is young: its capture shows ages and retention, which may prove it or clear it. */
function firstLook(
  { verdict, hoursToLimit, captures, lifeSeconds = Infinity }: TriggerState,
  { warmUpSeconds }: CapturePolicy,
): CaptureWish | undefined {
  if (!mayLeak(verdict) || slopeCaptures(captures) > 0) return undefined;
  // Right after a restart, the suspicion is about the process before.
  if (lifeSeconds < warmUpSeconds * SUSPECT_WARM_UP) return undefined;
  return { trigger: 'slope', reason: `the verdict is ${verdict}${limitNote(hoursToLimit)}` };
}

function secondLook({ verdict, hoursToLimit, captures }: TriggerState): CaptureWish | undefined {
  if (!mayLeak(verdict) || slopeCaptures(captures) !== 1) return undefined;
  return { trigger: 'slope', reason: `a second look, to see what grew since the first${limitNote(hoursToLimit)}` };
}

function slopeCaptures(captures: readonly LastCapture[]): number {
  return captures.filter(({ trigger }) => trigger === 'slope').length;
}

function limitNote(hoursToLimit: number | undefined): string {
  return hoursToLimit === undefined ? '' : `; the limit may be ${formatAge(hoursToLimit * 3600)} away`;
}

function ramp({ verdict, liveHeapBytes, captures }: TriggerState, policy: CapturePolicy): CaptureWish | undefined {
  if (!mayLeak(verdict)) return undefined;
  if (captures.filter(({ trigger }) => trigger === 'heap ramp').length >= policy.rampsPerLife) return undefined;
  const before = captures.findLast(one => one.liveHeapBytes !== undefined)?.liveHeapBytes;
  if (liveHeapBytes === undefined || before === undefined || liveHeapBytes < before * (1 + policy.rampShare))
    return undefined;
  return {
    trigger: 'heap ramp',
    reason: `${formatBytes(liveHeapBytes)} of live heap, ${formatBytes(before)} at the last capture`,
  };
}

/** The captures of the last hour, of all targets of a cluster. */
export class CaptureBudget {
  /** By cluster, where there are several. */
  readonly #times = new Map<string, readonly number[]>();
  readonly #policy: CapturePolicy;

  constructor(policy: CapturePolicy) {
    this.#policy = policy;
  }

  /** Whether there is room for a capture; if so, counts it. */
  spend(now: number, trigger: Trigger, cluster = ''): boolean {
    // A clock that goes back must not use up the budget forever.
    const times = (this.#times.get(cluster) ?? []).filter(time => time > now - 3600 && time <= now);
    const { perHour, firstOfLifeShare } = this.#policy;
    const room = trigger === 'first of life' ? perHour * firstOfLifeShare : perHour;
    if (trigger !== 'asked for' && times.length >= room) return false;
    this.#times.set(cluster, [...times, now]);
    return true;
  }
}

/**
 * Heap profiles that are taken while nothing happens, so that what a process keeps is known when something does:
 *
 *     every 6 h of each target, at most 1 % of the targets within a minute, a day of them kept
 */
export interface RoutineState {
  readonly now: number;
  readonly lifeSeconds: number | undefined;
  readonly cpuCores: number | undefined;
  /** When the last heap profile was taken or tried, for whatever reason. */
  readonly lastHeapAt: number | undefined;
}

export function isRoutineDue(state: RoutineState, policy: CapturePolicy): boolean {
  const { now, lifeSeconds, lastHeapAt } = state;
  if (!Number.isFinite(policy.routineSeconds)) return false;
  if ((lifeSeconds ?? Infinity) < policy.warmUpSeconds || isBusy(state, policy)) return false;
  return lastHeapAt === undefined || now - lastHeapAt >= policy.routineSeconds;
}

/** The routine profiles of the last minute. */
export class RoutineBudget {
  #times: readonly number[] = [];
  readonly #policy: CapturePolicy;

  constructor(policy: CapturePolicy) {
    this.#policy = policy;
  }

  spend(now: number, targetCount: number): boolean {
    this.#times = this.#times.filter(time => time > now - 60 && time <= now);
    if (this.#times.length >= Math.max(1, Math.floor(targetCount * this.#policy.routineSharePerMinute))) return false;
    this.#times = [...this.#times, now];
    return true;
  }
}
