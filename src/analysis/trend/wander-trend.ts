/**
 * The slope of a series whose level wanders by itself, with an error that survives the wandering.
 *
 *     y(t) = level of its epoch + slope * t + curve + daily wave + x(t) + e(t)
 *            x: wanders with a memory of tau hours (infinite: a random walk), e: white noise
 *
 * How long the memory is and how much is white cannot be known from one short series, and the slope's error hangs on
 * it: with a memory of hours a week of data pins the slope, with a random walk it does not. So every model of a grid is
 * fitted (generalised least squares by a Kalman filter, O(n)), weighed by how well it predicts the series and by how
 * common it is in the fleet, and the slope is their mixture.
 */
import { assert } from '../../base/assert.ts';
import { studentTail } from './student-t.ts';

export interface NoiseModel {
  /** Infinity: a random walk. */
  readonly tauHours: number;
  /** White variance of an hourly value, as a multiple of the wander's (of its hourly steps, for a random walk). */
  readonly white: number;
}

export const NOISE_MODELS: readonly NoiseModel[] = [2, 6, 16, 40, 100, Infinity].flatMap(tauHours =>
  (tauHours === Infinity ? [0.2, 4, 60] : [0.05, 0.5, 5]).map(white => ({ tauHours, white })),
);

/** Points in time order; `epoch` numbers the process's lives, each with a level of its own. */
export interface TrendPoints {
  readonly count: number;
  readonly hours: Float64Array;
  readonly values: Float64Array;
  readonly epoch: Uint16Array;
  /** Hours that a point is the mean of. */
  readonly stepHours: number;
}

/** One model's fit: everything up to the unknown noise scale. */
export interface ModelFit {
  readonly logLikelihood: number;
  readonly slope: number;
  readonly slopeVariance: number;
  /** Of the fit with a curve: the slope at the last point. */
  readonly endSlope: number;
  readonly endSlopeVariance: number;
  readonly sigma2: number;
}

export interface WanderTrend {
  readonly fits: readonly ModelFit[];
  readonly degrees: number;
  readonly spanHours: number;
}

export interface Slope {
  readonly perHour: number;
  /** Of the mixture. */
  readonly standardError: number;
  /** P(slope <= 0). */
  readonly tail: number;
  readonly endPerHour: number;
  readonly endStandardError: number;
  readonly degrees: number;
}

// Columns that are whitened together: intercept, t, t squared, sine, cosine, y.
const ONE = 0;
const T = 1;
const Q = 2;
const Y = 5;
const COLUMNS = 6;

const state = new Float64Array(COLUMNS);
const whitened = new Float64Array(COLUMNS);
const row = new Float64Array(COLUMNS);
/** Sums of products of whitened columns, the intercepts taken out: 5 x 5 for t, q, s, c, y. */
const gram = new Float64Array(25);
const epochSums = new Float64Array(COLUMNS * COLUMNS);

/** undefined when there are too few points for a slope. `waves`: fit the daily wave too. */
export function wanderTrend(
  points: TrendPoints,
  waves: boolean,
  prior?: { degrees: number; sigma2: number },
): WanderTrend | undefined {
  const { count, hours } = points;
  if (count < 8) return undefined;
  const first = hours[0];
  const last = hours[count - 1];
  const span = last - first;
  if (span <= 0) return undefined;
  const middle = (first + last) / 2;
  const half = span / 2;
  let epochs = 1;
  for (let i = 1; i < count; i++) if (points.epoch[i] !== points.epoch[i - 1]) epochs++;
  const parameters = epochs + 1 + (waves ? 2 : 0);
  const degrees = count - parameters;
  if (degrees < 4) return undefined;
  const fits = NOISE_MODELS.map(model => fitModel(points, model, middle, half, waves, degrees, prior));
  return { fits, degrees, spanHours: span };
}

function fitModel(
  points: TrendPoints,
  model: NoiseModel,
  middle: number,
  half: number,
  waves: boolean,
  degrees: number,
  prior: { degrees: number; sigma2: number } | undefined,
): ModelFit {
  const { count, hours, values, epoch, stepHours } = points;
  const walk = model.tauHours === Infinity;
  const white = model.white / stepHours;
  gram.fill(0);
  let logDeterminant = 0;
  let variance = 0;
  let previous = 0;
  let start = true;
  for (let i = 0; i < count; i++) {
    if (i > 0 && epoch[i] !== epoch[i - 1]) {
      logDeterminant += closeEpoch();
      start = true;
    }
    const hour = hours[i];
    if (start) {
      start = false;
      state.fill(0);
      epochSums.fill(0);
      // A random walk's own start is in the epoch's level.
      variance = walk ? 0 : 1;
    } else {
      const gap = hour - previous;
      if (walk) {
        variance += gap;
      } else {
        const keep = Math.exp(-gap / model.tauHours);
        variance = 1 - keep * keep * (1 - variance);
        for (let c = 0; c < COLUMNS; c++) state[c] *= keep;
      }
    }
    previous = hour;
    const u = (hour - middle) / half;
    row[ONE] = 1;
    row[T] = u;
    row[Q] = u * u;
    const angle = (hour * Math.PI) / 12;
    row[3] = waves ? Math.sin(angle) : 0;
    row[4] = waves ? Math.cos(angle) : 0;
    row[Y] = values[i];
    const total = variance + white;
    const gain = variance / total;
    const weight = 1 / Math.sqrt(total);
    logDeterminant += Math.log(total);
    for (let c = 0; c < COLUMNS; c++) {
      const innovation = row[c] - state[c];
      state[c] += gain * innovation;
      whitened[c] = innovation * weight;
    }
    variance *= 1 - gain;
    for (let a = 0; a < COLUMNS; a++) {
      const wa = whitened[a];
      for (let b = a; b < COLUMNS; b++) epochSums[a * COLUMNS + b] += wa * whitened[b];
    }
  }
  logDeterminant += closeEpoch();
  return solve(half, waves, degrees, logDeterminant, prior);
}

/** Takes the epoch's level out of its sums and adds them to the whole; returns the log of the level's information. */
function closeEpoch(): number {
  const information = epochSums[0];
  for (let a = 1; a < COLUMNS; a++) {
    for (let b = a; b < COLUMNS; b++) {
      const value = epochSums[a * COLUMNS + b] - (epochSums[a] * epochSums[b]) / information;
      gram[(a - 1) * 5 + b - 1] += value;
    }
  }
  return Math.log(information);
}

function solve(
  half: number,
  waves: boolean,
  degrees: number,
  logDeterminant: number,
  prior: { degrees: number; sigma2: number } | undefined,
): ModelFit {
  const g = (a: number, b: number): number => (a <= b ? gram[a * 5 + b] : gram[b * 5 + a]);
  // Sweep the waves out first, then t; what is left of y is the residual.
  const m: number[][] = [];
  for (let a = 0; a < 5; a++) m.push([g(a, 0), g(a, 1), g(a, 2), g(a, 3), g(a, 4)]);
  let logInformation = 0;
  const sweep = (pivot: number): void => {
    const d = m[pivot][pivot];
    if (d <= 1e-12) return;
    logInformation += Math.log(d);
    for (let a = 0; a < 5; a++) {
      if (a === pivot) continue;
      const factor = m[a][pivot] / d;
      for (let b = 0; b < 5; b++) if (b !== pivot) m[a][b] -= factor * m[pivot][b];
      m[a][pivot] = 0;
    }
  };
  if (waves) {
    sweep(2);
    sweep(3);
  }
  const tt = m[0][0];
  assert(tt > 0, 'a slope needs points at different times');
  const ty = m[0][4];
  logInformation += Math.log(tt);
  const residual = Math.max(m[4][4] - (ty * ty) / tt, 0);
  // With a curve: 2 x 2 system of t and q.
  const tq = m[0][1];
  const qq = m[1][1];
  const qy = m[1][4];
  const determinant = tt * qq - tq * tq;
  const priorDegrees = prior?.degrees ?? 0;
  const sigma2 = (residual + priorDegrees * (prior?.sigma2 ?? 0)) / (degrees + priorDegrees);
  const logLikelihood = -0.5 * (logDeterminant + logInformation + degrees * Math.log(residual / degrees + 1e-300));
  const slope = ty / tt;
  let endSlope = slope;
  let endVariance = 1 / tt;
  if (determinant > 1e-9 * tt * qq) {
    const linear = (qq * ty - tq * qy) / determinant;
    const curve = (tt * qy - tq * ty) / determinant;
    // d/du (linear u + curve u^2) at u = 1
    endSlope = linear + 2 * curve;
    endVariance = (qq - 4 * tq + 4 * tt) / determinant;
  }
  return {
    logLikelihood,
    slope: slope / half,
    slopeVariance: sigma2 / tt / (half * half),
    endSlope: endSlope / half,
    endSlopeVariance: (sigma2 * endVariance) / (half * half),
    sigma2,
  };
}

/** How likely each model is, given the series and how common it is. */
export function modelWeights(trend: WanderTrend, prior: Float64Array): Float64Array {
  const weights = new Float64Array(NOISE_MODELS.length);
  let best = -Infinity;
  for (const fit of trend.fits) best = Math.max(best, fit.logLikelihood);
  let total = 0;
  for (let i = 0; i < weights.length; i++) {
    weights[i] = prior[i] * Math.exp(trend.fits[i].logLikelihood - best);
    total += weights[i];
  }
  for (let i = 0; i < weights.length; i++) weights[i] /= total;
  return weights;
}

/** The slope over all models; `extraVariance` is what the confounders add. */
export function mixtureSlope(trend: WanderTrend, weights: Float64Array, extraVariance: number): Slope {
  let perHour = 0;
  let end = 0;
  for (let i = 0; i < weights.length; i++) {
    perHour += weights[i] * trend.fits[i].slope;
    end += weights[i] * trend.fits[i].endSlope;
  }
  let variance = 0;
  let endVariance = 0;
  let tail = 0;
  for (let i = 0; i < weights.length; i++) {
    if (weights[i] < 1e-6) continue;
    const fit = trend.fits[i];
    const own = fit.slopeVariance + extraVariance;
    variance += weights[i] * (own + (fit.slope - perHour) ** 2);
    endVariance += weights[i] * (fit.endSlopeVariance + extraVariance + (fit.endSlope - end) ** 2);
    tail += weights[i] * (own === 0 ? (fit.slope > 0 ? 0 : 1) : studentTail(fit.slope / Math.sqrt(own), trend.degrees));
  }
  return {
    perHour,
    standardError: Math.sqrt(variance),
    tail,
    endPerHour: end,
    endStandardError: Math.sqrt(endVariance),
    degrees: trend.degrees,
  };
}
