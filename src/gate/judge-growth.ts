/**
 * Whether each operation leaves something behind, from the level after each round of operations.
 *
 *     level     100 | 160 | 190 | 241 | 292 | 341 ...
 *     warm-up    +60   +30 |                            the first rounds: caches fill, pools grow
 *     growth                 +51   +51   +49  ...       the slope over the operations of the rest
 */

const MAX_MEMORY = 0.7;

export type GrowthDecision = 'leaks' | 'within' | 'undecided';
export type Interval = readonly [low: number, middle: number, high: number];

export interface Round {
  readonly operations: number;
  /** The level at rest after it. */
  readonly level: number;
}

export interface GrowthRule {
  /** Growth per operation that is allowed. */
  readonly budget: number;
  /** The chance of a wrong answer. */
  readonly alpha: number;
  /** A level is not known better than this: a goroutine more or less, some kilobytes that the measurement allocates. */
  readonly levelNoise: number;
}

export interface JudgedGrowth {
  readonly decision: GrowthDecision;
  /** Per operation, after the warm-up. */
  readonly perOperation: Interval;
  readonly warmUpRounds: number;
  readonly rounds: number;
  /** The least growth per operation of the last three rounds, or of three stretches where single rounds are noise. */
  readonly weakest: number;
  /** How far single levels are from the line through them. */
  readonly deviation: number;
  /** How many more operations would decide; undefined once decided, or if nothing can be said. */
  readonly operationsNeeded: number | undefined;
}

/** A round that adds less than this share of the one before is still warming up. */
const FALLING = 0.8;
/** At least this share of all rounds is warm-up. */
const WARM_UP_SHARE = 1 / 3;
/** The growth of a cache or a pool falls; that of a leak does not. Below this share it falls, whatever the noise. */
const MIN_STEADINESS = 0.6;
/** Below this share it falls as far as the noise of single levels lets one tell. */
const FALLS_BELOW = 0.85;
/** What looks like a leak must look so for this many more rounds: what fills to a bound often ends in them. */
const CONFIRMING_ROUNDS = 3;
const STRETCHES = 3;
const MAX_ROUNDS = 2000;

/** `before` is the level at rest before the first round. */
export function judgeGrowth(before: number, rounds: readonly Round[], rule: GrowthRule): JudgedGrowth {
  const judged = judgeAtOnce(before, rounds, rule);
  if (judged.decision !== 'leaks' || rounds.length <= CONFIRMING_ROUNDS) return judged;
  const earlier = judgeAtOnce(before, rounds.slice(0, -CONFIRMING_ROUNDS), rule);
  if (earlier.decision === 'leaks') return judged;
  const operations = rounds.slice(-CONFIRMING_ROUNDS).reduce((sum, round) => sum + round.operations, 0);
  return { ...judged, decision: 'undecided', operationsNeeded: operations };
}

function judgeAtOnce(before: number, rounds: readonly Round[], rule: GrowthRule): JudgedGrowth {
  const points = pointsOf(before, rounds);
  const warmUpRounds = Math.max(warmUpOf(points, rule.budget), Math.ceil(rounds.length * WARM_UP_SHARE));
  const measured = points.slice(warmUpRounds);
  const count = measured.length;
  const slope = levelSlope(measured, rule.levelNoise);
  if (slope === undefined) {
    const perOperation: Interval = [-Infinity, NaN, Infinity];
    return {
      decision: 'undecided',
      perOperation,
      warmUpRounds,
      rounds: count,
      weakest: NaN,
      deviation: rule.levelNoise,
      operationsNeeded: undefined,
    };
  }
  const margin = criticalT(count, count - 2, rule.alpha) * slope.standardError;
  const perOperation: Interval = [slope.perOperation - margin, slope.perOperation, slope.perOperation + margin];
  const last = lastStretches(measured, slope, rule.budget);
  const weakest = Math.min(...last);
  const isLeak = perOperation[0] > rule.budget && weakest > rule.budget && isSteady(measured);
  const decision = isLeak ? 'leaks' : perOperation[2] < rule.budget ? 'within' : 'undecided';
  const operationsNeeded = decision === 'undecided' ? needed(measured, slope, rule) : undefined;
  return { decision, perOperation, warmUpRounds, rounds: count, weakest, deviation: slope.deviation, operationsNeeded };
}

/** The first point is the level before any operation. */
function pointsOf(before: number, rounds: readonly Round[]): Point[] {
  let operations = 0;
  return [
    { operations, level: before },
    ...rounds.map(round => ({ operations: (operations += Math.max(1, round.operations)), level: round.level })),
  ];
}

/** The rounds at the beginning that add more than is allowed, each less than the one before. */
function warmUpOf(points: readonly Point[], budget: number): number {
  const growth = points.slice(1).map((point, i) => growthBetween(points[i], point));
  let rounds = 1;
  const isFalling = (round: number): boolean => {
    const before = growth[round - 1] ?? 0;
    return before > budget && (growth[round] ?? 0) < FALLING * before;
  };
  while (rounds < growth.length && isFalling(rounds)) rounds++;
  return rounds;
}

function growthBetween(from: Point | undefined, to: Point | undefined): number {
  if (from === undefined || to === undefined) return NaN;
  return (to.level - from.level) / (to.operations - from.operations);
}

/** Growth in the last three stretches; a stretch is one round, or as many as are needed to see past the noise. */
function lastStretches(points: readonly Point[], { perOperation, deviation }: LevelSlope, budget: number): number[] {
  const longest = Math.max(1, Math.floor((points.length - 1) / STRETCHES));
  const each = operationsPerRound(points);
  const excess = Math.abs(perOperation - budget) * each;
  const length = Math.min(longest, Math.max(1, Math.ceil((2 * Math.SQRT2 * deviation) / excess)));
  return Array.from({ length: STRETCHES }, (_, i) => {
    const end = points.length - 1 - i * length;
    return growthBetween(points[end - length], points[end]);
  }).filter(growth => !Number.isNaN(growth));
}

/** The second half grows nearly as fast as the first. */
function isSteady(points: readonly Point[]): boolean {
  const middle = points.length >> 1;
  const early = growthBetween(points[0], points[middle]);
  const late = growthBetween(points[middle], points.at(-1));
  if (late < MIN_STEADINESS * early) return false;
  const each = operationsPerRound(points) * Math.max(1, points.length - 1 - middle);
  return !(late + (2 * bendNoise(points)) / each < FALLS_BELOW * early);
}

/**
 * How far single levels scatter, whatever the shape of the growth: from how each level differs from the middle of its
 * neighbours. Distances from a straight line would count the bend of a fill as noise, and so hide it.
 */
function bendNoise(points: readonly Point[]): number {
  let square = 0;
  let count = 0;
  for (let i = 1; i + 1 < points.length; i++) {
    const [a, b, c] = [points[i - 1], points[i], points[i + 1]];
    if (a === undefined || b === undefined || c === undefined) continue;
    square += (a.level - 2 * b.level + c.level) ** 2;
    count++;
  }
  return count === 0 ? 0 : Math.sqrt(square / (6 * count));
}

/** As if the slope and the noise stayed as they are. */
function needed(points: readonly Point[], slope: LevelSlope, { budget, alpha }: GrowthRule): number | undefined {
  const distance = Math.abs(slope.perOperation - budget);
  const now = points.length;
  for (let n = now + 1; n < MAX_ROUNDS; n = Math.ceil(n * 1.1)) {
    const standardError = slope.standardError * (now / n) ** 1.5;
    if (criticalT(n, n - 2, alpha) * standardError < distance) {
      return Math.ceil(((n - now) * operationsPerRound(points)) / (1 - WARM_UP_SHARE));
    }
  }
  return undefined;
}

function operationsPerRound(points: readonly Point[]): number {
  return ((points.at(-1)?.operations ?? 0) - (points[0]?.operations ?? 0)) / Math.max(1, points.length - 1);
}

/**
 * The slope of a level over operations, with its error.
 *
 *     level = start + slope · operations + noise
 *
 * Levels at rest wander a little and come back, so noise of one round may last into the next ones. Its memory is
 * estimated from the residuals, with a margin, and widens the error as it would fewer rounds.
 */
interface Point {
  /** Operations since the beginning. */
  readonly operations: number;
  readonly level: number;
}

interface LevelSlope {
  readonly perOperation: number;
  readonly standardError: number;
  /** The deviation of a single level from the line. */
  readonly deviation: number;
}

/** Undefined for fewer than three points. `leastDeviation` is how well a level can be known at all. */
function levelSlope(points: readonly Point[], leastDeviation: number): LevelSlope | undefined {
  const n = points.length;
  if (n < 3) return undefined;
  const meanX = mean(points.map(({ operations }) => operations));
  const meanY = mean(points.map(({ level }) => level));
  let spread = 0;
  let product = 0;
  for (const { operations, level } of points) {
    spread += (operations - meanX) ** 2;
    product += (operations - meanX) * (level - meanY);
  }
  if (spread === 0) return undefined;
  const slope = product / spread;
  const residuals = points.map(({ operations, level }) => level - meanY - slope * (operations - meanX));
  const variance = residuals.reduce((sum, residual) => sum + residual ** 2, 0) / (n - 2);
  const deviation = Math.max(Math.sqrt(variance), leastDeviation);
  const memory = Math.min(MAX_MEMORY, Math.max(0, autocorrelation(residuals) + 1.5 / Math.sqrt(n)));
  const inflation = Math.sqrt((1 + memory) / (1 - memory));
  return { perOperation: slope, standardError: (deviation * inflation) / Math.sqrt(spread), deviation };
}

function autocorrelation(residuals: readonly number[]): number {
  let product = 0;
  let square = 0;
  residuals.forEach((residual, i) => {
    square += residual ** 2;
    product += residual * (residuals[i + 1] ?? 0);
  });
  return square === 0 ? 0 : product / square;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** How large effects are expected, in standard deviations of a round. */
const PRIOR_SPREAD = 2;

/**
 * How many standard errors an estimate must be away from a budget that is looked at after every round.
 *
 * A bound for one look would be exceeded by chance sooner or later. This one is that of a t-test with a prior for the
 * effect (Gönen's Bayes factor, a test martingale; Ville's inequality): it holds for all looks together.
 *
 *     BF(t) = (1 + n g²)^(-1/2) · ((1 + t²/ν) / (1 + t²/(ν (1 + n g²))))^((ν+1)/2) = 1/alpha
 *
 * Infinity if no t of so few rounds is enough. `freedom` is the number of rounds less the estimated parameters.
 */
export function criticalT(rounds: number, freedom: number, alpha: number): number {
  if (freedom < 1) return Infinity;
  const wanted = Math.log(1 / alpha);
  const spread = 1 + rounds * PRIOR_SPREAD ** 2;
  const logFactor = (t: number): number =>
    -Math.log(spread) / 2 +
    ((freedom + 1) / 2) * (Math.log1p((t * t) / freedom) - Math.log1p((t * t) / (freedom * spread)));
  // As t grows, the factor approaches spread^(freedom/2).
  if ((freedom / 2) * Math.log(spread) <= wanted) return Infinity;
  let high = 1;
  while (logFactor(high) < wanted) high *= 2;
  let low = high / 2;
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2;
    if (logFactor(middle) < wanted) low = middle;
    else high = middle;
  }
  return high;
}
