/**
 * Whether a restart did what the plan expected, from the log, the node and the scrapes since.
 *
 *     restart -> ready -> pods -> PLEG, errors -> memory, goroutines -> slope
 *
 * The first that is bad decides; if all are good, the slope does.
 */
import { formatAge, formatBytes, formatCount, formatSeconds } from '../base/say.ts';
import type { NodePlan } from './plan/plan.ts';
import type { NodeVerification, VerifyCheck, VerifyOutcome, VerifySample, VerifySlopes } from './plan-verification.ts';
import { factsOf, type ResourceUnit } from '../evidence/resource.ts';
import { afterRestart, type KnownSlope, medianOf } from '../judge/cycle/after-restart.ts';
import { hoursToKnow, noiseAround } from '../judge/growth/hours-to-know.ts';

export interface VerifyFacts {
  readonly nodePlan: NodePlan;
  readonly nowSeconds: number;
  /** In order of time, of both lives; the last is of now. Empty if the metrics cannot be read. */
  readonly samples: readonly VerifySample[];
  /** Why there is no sample of now. */
  readonly unread: string | undefined;
  readonly isReady: boolean | undefined;
  /** Seconds from the restart to Ready, by the log. */
  readonly readyAfterSeconds: number | undefined;
  /** Undefined: that of the plan. */
  readonly warmUpSeconds: number | undefined;
  /** The slope of the life before, if a Prometheus has it. */
  readonly before: KnownSlope | undefined;
}

const MOVED_SECONDS = 1.5;
const PLEG_SECONDS = 1;
const ERROR_SHARE = 0.05;
const PODS_SHARE = 0.9;
/** Times the level of youth, or the level before. */
const YOUTH_FACTOR = 1.6;
const OLD_SHARE = 0.8;
const GROWN_FACTOR = 1.2;
const MIN_SAMPLES = 6;
/** A process that lived so many times as long has used more CPU than one that starts. */
const LONGER_LIFE = 10;

export function verifyNode(facts: VerifyFacts): NodeVerification {
  const { nodePlan, samples, nowSeconds } = facts;
  const { before } = nodePlan.verification;
  const now = samples.at(-1)?.values;
  const start = now?.['process_start_time_seconds'];
  if (now === undefined || start === undefined || facts.unread !== undefined)
    return nothing(nodePlan.node, 'unread', facts.unread ?? 'its metrics have no start time of the process');
  if (before.processStartSeconds !== null && start <= before.processStartSeconds + MOVED_SECONDS)
    return nothing(
      nodePlan.node,
      'not restarted',
      `the process has run for ${formatAge(nowSeconds - start)}, from before the plan on`,
    );
  const life = samples.filter(
    one => Math.abs((one.values['process_start_time_seconds'] ?? 0) - start) <= MOVED_SECONDS,
  );
  const old = samples.findLast(one => (one.values['process_start_time_seconds'] ?? Infinity) < start - MOVED_SECONDS);
  const checks = [
    restarted(start, life[0], old, nowSeconds),
    ready(facts),
    podsBack(nodePlan, now, nowSeconds - start >= warmUpOf(facts)),
    pleg(now, nowSeconds),
    errors(now),
    memoryBack(nodePlan, now, facts),
    goroutinesBack(nodePlan, now),
  ];
  const bad = checks.find(({ state }) => state === 'bad');
  const slope = slopeOf(facts, life, start);
  const all = [...checks, slope.check];
  const outcome: VerifyOutcome =
    bad === undefined || slope.outcome === 'came back, intrinsic' ? slope.outcome : 'unwell';
  const sentence = outcome === 'unwell' ? `${nodePlan.node}: ${bad?.text}` : `${nodePlan.node}: ${slope.check.text}`;
  return { node: nodePlan.node, outcome, sentence, checks: all, ...slope.numbers };
}

function nothing(node: string, outcome: VerifyOutcome, why: string): NodeVerification {
  const check: VerifyCheck = { name: 'restart', state: outcome === 'unread' ? 'unknown' : 'bad', text: why };
  return {
    node,
    outcome,
    sentence: `${node}: ${why}`,
    checks: [check],
    slopes: null,
    knownAt: null,
    nextLimitAt: null,
  };
}

type Values = Readonly<Record<string, number>>;

/** `first` is the first scrape after it: by now the new process may have used more than the old one. */
function restarted(
  start: number,
  first: VerifySample | undefined,
  old: VerifySample | undefined,
  nowSeconds: number,
): VerifyCheck {
  const cpu = first?.values['process_cpu_seconds_total'];
  const cpuBefore = old?.values['process_cpu_seconds_total'];
  const text = `restarted ${formatAge(nowSeconds - start)} ago`;
  if (cpu === undefined || cpuBefore === undefined) return { name: 'restart', state: 'good', text };
  if (cpu < cpuBefore) {
    const reset = `its CPU counter from ${formatSeconds(Math.round(cpuBefore))} to ${formatSeconds(Math.round(cpu))}`;
    return { name: 'restart', state: 'good', text: `${text}, ${reset}` };
  }
  // After a short life, or when the first scrape is late, a higher counter is no sign of the old process.
  if (ageOf(old) < LONGER_LIFE * ageOf(first)) return { name: 'restart', state: 'good', text };
  return {
    name: 'restart',
    state: 'bad',
    text: `the start time moved, but the CPU counter did not start again (${formatSeconds(Math.round(cpu))})`,
  };
}

function ageOf(sample: VerifySample | undefined): number {
  return sample === undefined ? 0 : sample.at - (sample.values['process_start_time_seconds'] ?? sample.at);
}

function ready({ isReady, readyAfterSeconds }: VerifyFacts): VerifyCheck {
  if (isReady === undefined)
    return { name: 'ready', state: 'unknown', text: 'whether the node is Ready cannot be read' };
  const after = readyAfterSeconds === undefined ? '' : ` ${formatAge(readyAfterSeconds)} after the restart`;
  return isReady
    ? { name: 'ready', state: 'good', text: `Ready again${after}` }
    : { name: 'ready', state: 'bad', text: 'the node is not Ready' };
}

/** A node that was drained gets its pods from the scheduler, and one that has just started again starts them one by one. */
function podsBack({ verification: { before }, steps }: NodePlan, now: Values, isWarm: boolean): VerifyCheck {
  const pods = now['kubelet_running_pods'];
  const expected = before.pods;
  if (pods === undefined || expected === null)
    return { name: 'pods', state: 'unknown', text: 'how many pods run is not known' };
  const wasDrained = steps.some(({ kind }) => kind === 'drain');
  const text = `${pods} pods run, ${expected} before${wasDrained ? '; they were evicted' : ''}`;
  if (pods >= PODS_SHARE * expected) return { name: 'pods', state: 'good', text };
  return { name: 'pods', state: wasDrained || !isWarm ? 'unknown' : 'bad', text };
}

function pleg(now: Values, nowSeconds: number): VerifyCheck {
  const sum = now['kubelet_pleg_relist_duration_seconds_sum'];
  const count = now['kubelet_pleg_relist_duration_seconds_count'];
  const seen = now['kubelet_pleg_last_seen_seconds'];
  if (sum === undefined || count === undefined || count === 0)
    return { name: 'pleg', state: 'unknown', text: 'PLEG has no metrics yet' };
  const mean = sum / count;
  const silent = seen === undefined ? 0 : nowSeconds - seen;
  const isGood = mean <= PLEG_SECONDS && silent < 180;
  return {
    name: 'pleg',
    state: isGood ? 'good' : 'bad',
    text: `PLEG relists in ${formatSeconds(mean.toFixed(3))} on average`,
  };
}

function errors(now: Values): VerifyCheck {
  const all = now['kubelet_runtime_operations_total'] ?? 0;
  const failed = now['kubelet_runtime_operations_errors_total'] ?? 0;
  if (all === 0) return { name: 'errors', state: 'unknown', text: 'no operations of the runtime are counted yet' };
  const isGood = failed / all <= ERROR_SHARE;
  return {
    name: 'errors',
    state: isGood ? 'good' : 'bad',
    text: `${formatCount(failed)} of ${formatCount(all)} operations of the runtime failed`,
  };
}

function memoryBack(nodePlan: NodePlan, now: Values, facts: VerifyFacts): VerifyCheck {
  const { residentBytes, liveHeapBytes } = nodePlan.verification.before;
  const resident = now['process_resident_memory_bytes'];
  if (resident === undefined || residentBytes === null)
    return { name: 'memory', state: 'unknown', text: 'the memory before or now is not known' };
  const text = `${formatBytes(resident)} of memory, ${formatBytes(residentBytes)} before`;
  const heap = now['go_gc_heap_live_bytes'];
  const youth = nodePlan.expected.level;
  const isYoung =
    resident <= OLD_SHARE * residentBytes ||
    (youth !== null && heap !== undefined && heap <= YOUTH_FACTOR * youth) ||
    (liveHeapBytes !== null && heap !== undefined && heap <= OLD_SHARE * liveHeapBytes);
  const isGrown = resident > GROWN_FACTOR * residentBytes;
  // A process that did not grow before has nothing to lose.
  const hadNothing = slopeBefore(facts) === undefined && !isGrown;
  return { name: 'memory', state: isYoung || hadNothing ? 'good' : isGrown ? 'bad' : 'unknown', text };
}

function goroutinesBack({ verification: { before } }: NodePlan, now: Values): VerifyCheck {
  const goroutines = now['go_goroutines'];
  if (goroutines === undefined || before.goroutines === null)
    return { name: 'goroutines', state: 'unknown', text: 'the goroutines before or now are not known' };
  const text = `${formatCount(goroutines)} goroutines, ${formatCount(before.goroutines)} before`;
  return { name: 'goroutines', state: goroutines <= 1.2 * before.goroutines + 20 ? 'good' : 'bad', text };
}

interface SlopeAnswer {
  readonly outcome: VerifyOutcome;
  readonly check: VerifyCheck;
  readonly numbers: Pick<NodeVerification, 'slopes' | 'knownAt' | 'nextLimitAt'>;
}

function warmUpOf({ warmUpSeconds, nodePlan }: VerifyFacts): number {
  return warmUpSeconds ?? nodePlan.verification.warmUpSeconds;
}

function slopeOf(facts: VerifyFacts, life: readonly VerifySample[], start: number): SlopeAnswer {
  const { nodePlan, nowSeconds } = facts;
  const { before, decidedAfterHours } = nodePlan.verification;
  const known = facts.before ?? slopeBefore(facts);
  const none = { slopes: null, knownAt: null, nextLimitAt: null };
  const settled = start + warmUpOf(facts);
  if (known === undefined || !(known.perHour > 0)) {
    // Being well is all that can be shown.
    const text =
      known === undefined
        ? 'no growth was measured before the restart, so whether it helped cannot be said'
        : 'it did not grow before the restart, so there is nothing that it could have cleared';
    return { outcome: 'unknown', check: { name: 'slope', state: 'unknown', text }, numbers: none };
  }
  const resource = before.resource ?? 'live heap';
  const { unit, metrics } = factsOf(resource);
  const metric = metrics.find(name => life.some(({ values }) => values[name] !== undefined)) ?? metrics[0] ?? '';
  const rows = life.filter(({ at, values }) => at >= settled && values[metric] !== undefined);
  const times = rows.map(({ at }) => at);
  const values = rows.map(one => one.values[metric] ?? 0);
  const hours = times.map(at => at / 3600);
  const noise = noiseAround(hours, values, Math.max(0, roughSlope(hours, values)));
  const needHours = noise === undefined ? undefined : Math.max(hoursToKnow(known.perHour, noise), MIN_HOURS);
  const leastSeconds = 3600 * (needHours ?? decidedAfterHours ?? DEFAULT_HOURS);
  const knownAt = knownAfter(Math.max(settled, times[0] ?? settled) + leastSeconds, nowSeconds);
  if (rows.length < MIN_SAMPLES) return early(`too early to tell: known at about ${clockText(knownAt)}`, knownAt, null);
  const pods = medianOf(rows.flatMap(one => one.values['kubelet_running_pods'] ?? []));
  const compared = afterRestart({
    unit,
    before: known,
    after: { times, values, pods },
    leastSeconds,
    family: undefined,
  });
  const slopes = slopesOf(compared.slopes, unit);
  if (compared.verdict === 'too early') {
    const isDue = times[0] !== undefined && times[0] + leastSeconds <= nowSeconds;
    const later = isDue ? knownAfter(nowSeconds + leastSeconds / 2, nowSeconds) : knownAt;
    return early(`too early to tell (${compared.text}): known at about ${clockText(later)}`, later, slopes);
  }
  if (compared.verdict === 'cleared, external trigger')
    return {
      outcome: 'cleared',
      check: { name: 'slope', state: 'good', text: `cleared: ${compared.text}` },
      numbers: { slopes, knownAt: null, nextLimitAt: null },
    };
  const nextLimitAt = limitAt(before.limit, values.at(-1), slopes?.after, nowSeconds);
  const limit =
    nextLimitAt === null ? '' : `; at the limit again on ${nextLimitAt.slice(0, 16).replace('T', ' at ')} UTC`;
  return {
    outcome: 'came back, intrinsic',
    check: { name: 'slope', state: 'bad', text: `came back, intrinsic: ${compared.text}${limit}` },
    numbers: { slopes, knownAt: null, nextLimitAt },
  };
}

/** A look takes a while, and a sample more may be needed: never the minute that it is now. */
function knownAfter(atSeconds: number, nowSeconds: number): string {
  const minutes = Math.ceil((Math.max(atSeconds, nowSeconds) + KNOWN_MARGIN_SECONDS) / 60);
  return new Date(minutes * 60_000).toISOString();
}

const KNOWN_MARGIN_SECONDS = 60;

/** Below this nothing is believed, however quiet it is. */
const MIN_HOURS = 0.05;
const DEFAULT_HOURS = 24;

function early(text: string, knownAt: string, slopes: VerifySlopes | null): SlopeAnswer {
  return {
    outcome: 'too early',
    check: { name: 'slope', state: 'unknown', text },
    numbers: { slopes, knownAt, nextLimitAt: null },
  };
}

function slopeBefore({ nodePlan }: VerifyFacts): KnownSlope | undefined {
  const { slopePerHour, slopeInterval, pods } = nodePlan.verification.before;
  if (slopePerHour === null || slopePerHour <= 0) return undefined;
  return { perHour: slopePerHour, interval: slopeInterval ?? [slopePerHour, slopePerHour], pods: pods ?? undefined };
}

/** From the first third to the last: enough to take a trend out of the noise. */
function roughSlope(hours: readonly number[], values: readonly number[]): number {
  const third = Math.floor(hours.length / 3);
  if (third === 0) return 0;
  const mean = (list: readonly number[]): number => list.reduce((sum, one) => sum + one, 0) / list.length;
  const rise = mean(values.slice(-third)) - mean(values.slice(0, third));
  const run = mean(hours.slice(-third)) - mean(hours.slice(0, third));
  return run > 0 ? rise / run : 0;
}

function slopesOf(slopes: ReturnType<typeof afterRestart>['slopes'], unit: ResourceUnit): VerifySlopes | null {
  if (slopes === null) return null;
  return { unit, before: slopes.before.perHour, after: slopes.after.perHour, interval: slopes.after.interval };
}

function limitAt(
  limit: number | null,
  level: number | undefined,
  slope: number | undefined,
  nowSeconds: number,
): string | null {
  if (limit === null || level === undefined || slope === undefined || !(slope > 0) || level >= limit) return null;
  const at = nowSeconds + (3600 * (limit - level)) / slope;
  return Number.isFinite(at) && at < 8.64e12 ? new Date(at * 1000).toISOString() : null;
}

function clockText(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
}
