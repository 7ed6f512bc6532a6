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
import {
  COLUMNS,
  COSINE,
  type Design,
  designOf,
  type ModelDesign,
  NOISE_MODELS,
  Q,
  SINE,
  T,
  type TrendTimes,
  whiten,
} from './noise-design.ts';
import { studentTail } from './student-t.ts';
import { assert } from '../../base/errors.ts';

export interface TrendPoints extends TrendTimes {
  readonly values: Float64Array;
}

/** Every model's fit, by index of NOISE_MODELS. */
export interface WanderTrend {
  readonly logLikelihood: Float64Array;
  readonly slope: Float64Array;
  readonly slopeVariance: Float64Array;
  /** The slope at the last point of the fit with a curve. */
  readonly endSlope: Float64Array;
  readonly endSlopeVariance: Float64Array;
  readonly degrees: number;
}

export interface Slope {
  readonly perHour: number;
  /** The mixture's. */
  readonly standardError: number;
  /** P(slope <= 0). */
  readonly tail: number;
  readonly endPerHour: number;
  readonly endStandardError: number;
  readonly degrees: number;
}

const MIN_POINTS = 8;
const MIN_DEGREES = 4;
const MAX_POINTS = 512;

const whitened = new Float64Array(MAX_POINTS);
/** Products of t, q, sine, cosine and y, levels taken out: the columns' from the design, y's own row and column. */
const SIZE = COLUMNS + 1;
const Y = COLUMNS;
const matrix = new Float64Array(SIZE * SIZE);

/** undefined when there are too few points for a slope. `waves`: fit the daily wave too. */
export function wanderTrend(points: TrendPoints, waves: boolean): WanderTrend | undefined {
  const { count, hours } = points;
  if (count < MIN_POINTS || hours[count - 1] <= hours[0]) return undefined;
  assert(count <= MAX_POINTS, 'too many points for a slope');
  const design = designOf(points, waves);
  const degrees = count - design.starts.length - (waves ? 2 : 0);
  if (degrees < MIN_DEGREES) return undefined;
  const models = NOISE_MODELS.length;
  const trend: WanderTrend = {
    logLikelihood: new Float64Array(models),
    slope: new Float64Array(models),
    slopeVariance: new Float64Array(models),
    endSlope: new Float64Array(models),
    endSlopeVariance: new Float64Array(models),
    degrees,
  };
  design.models.forEach((model, index) => fit(points, design, model, trend, index));
  return trend;
}

function fit(points: TrendPoints, design: Design, model: ModelDesign, trend: WanderTrend, index: number): void {
  addValues(points.values, design, model);
  let logInformation = 0;
  if (design.waves) logInformation += sweep(SINE) + sweep(COSINE);
  const tt = matrix[T * SIZE + T];
  const tq = matrix[T * SIZE + Q];
  const qq = matrix[Q * SIZE + Q];
  const ty = matrix[T * SIZE + Y];
  const qy = matrix[Q * SIZE + Y];
  const { half } = design;
  const { degrees } = trend;
  const residual = Math.max(matrix[Y * SIZE + Y] - (ty * ty) / tt, 0);
  const sigma2 = residual / degrees;
  trend.logLikelihood[index] =
    -0.5 * (model.logDeterminant + logInformation + Math.log(tt) + degrees * Math.log(sigma2 + 1e-300));
  trend.slope[index] = ty / tt / half;
  trend.slopeVariance[index] = sigma2 / tt / (half * half);
  const determinant = tt * qq - tq * tq;
  const linear = (qq * ty - tq * qy) / determinant;
  const curve = (tt * qy - tq * ty) / determinant;
  // What the curve explains is not noise.
  const curveSigma2 = Math.max(residual - (curve * curve * determinant) / tt, 0) / Math.max(1, degrees - 1);
  // d/du (linear u + curve u^2) at u = 1
  trend.endSlope[index] = (linear + 2 * curve) / half;
  trend.endSlopeVariance[index] = (curveSigma2 * (qq - 4 * tq + 4 * tt)) / determinant / (half * half);
}

/** Fills the matrix: the design's products, and the values' with them. */
function addValues(values: Float64Array, design: Design, model: ModelDesign): void {
  const { count, starts } = design;
  const { one, columns, gram, levelInformation, levelProducts } = model;
  whiten(model, values, whitened, 0);
  let yy = 0;
  let ty = 0;
  let qy = 0;
  let sy = 0;
  let cy = 0;
  for (let i = 0; i < count; i++) {
    const y = whitened[i];
    yy += y * y;
    ty += y * columns[i];
    qy += y * columns[count + i];
  }
  if (design.waves) {
    for (let i = 0; i < count; i++) {
      sy += whitened[i] * columns[SINE * count + i];
      cy += whitened[i] * columns[COSINE * count + i];
    }
  }
  for (let e = 0; e + 1 < starts.length; e++) {
    let level = 0;
    for (let i = starts[e]; i < starts[e + 1]; i++) level += one[i] * whitened[i];
    const share = level / levelInformation[e];
    yy -= level * share;
    ty -= levelProducts[e * COLUMNS + T] * share;
    qy -= levelProducts[e * COLUMNS + Q] * share;
    sy -= levelProducts[e * COLUMNS + SINE] * share;
    cy -= levelProducts[e * COLUMNS + COSINE] * share;
  }
  for (let a = 0; a < COLUMNS; a++) {
    for (let b = 0; b < COLUMNS; b++) matrix[a * SIZE + b] = gram[a * COLUMNS + b];
  }
  setValueProduct(T, ty);
  setValueProduct(Q, qy);
  setValueProduct(SINE, sy);
  setValueProduct(COSINE, cy);
  matrix[Y * SIZE + Y] = yy;
}

function setValueProduct(column: number, product: number): void {
  matrix[column * SIZE + Y] = product;
  matrix[Y * SIZE + column] = product;
}

/** Takes a column out of all others; returns the log of the information on it. */
function sweep(pivot: number): number {
  const information = matrix[pivot * SIZE + pivot];
  if (information <= 1e-12) return 0;
  for (let a = 0; a < SIZE; a++) {
    if (a === pivot) continue;
    const factor = matrix[a * SIZE + pivot] / information;
    for (let b = 0; b < SIZE; b++) if (b !== pivot) matrix[a * SIZE + b] -= factor * matrix[pivot * SIZE + b];
    matrix[a * SIZE + pivot] = 0;
  }
  return Math.log(information);
}

/** How likely each model is, given the series and how common it is. */
export function modelWeights(trend: WanderTrend, prior: Float64Array): Float64Array {
  const logs = trend.logLikelihood;
  const weights = new Float64Array(logs.length);
  let best = -Infinity;
  for (const log of logs) best = Math.max(best, log);
  let total = 0;
  for (let i = 0; i < weights.length; i++) {
    weights[i] = prior[i] * Math.exp(logs[i] - best);
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
    perHour += weights[i] * trend.slope[i];
    end += weights[i] * trend.endSlope[i];
  }
  let variance = 0;
  let endVariance = 0;
  let tail = 0;
  for (let i = 0; i < weights.length; i++) {
    if (weights[i] < 1e-6) continue;
    const own = trend.slopeVariance[i] + extraVariance;
    variance += weights[i] * (own + (trend.slope[i] - perHour) ** 2);
    endVariance += weights[i] * (trend.endSlopeVariance[i] + extraVariance + (trend.endSlope[i] - end) ** 2);
    tail +=
      weights[i] * (own > 0 ? studentTail(trend.slope[i] / Math.sqrt(own), trend.degrees) : trend.slope[i] > 0 ? 0 : 1);
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
