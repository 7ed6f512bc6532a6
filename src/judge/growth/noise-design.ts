/**
 * The part of a slope's fit that depends on the times alone, per noise model: the filter's gains and the whitened
 * columns.
 *
 * columns  1 (per epoch)   t   t^2   sine   cosine        whitened: as uncorrelated as white noise
 *
 * Times of full windows repeat over targets and evaluations, so designs are cached and a series costs only its values.
 */
export interface NoiseModel {
  /** Infinity: a random walk. */
  readonly tauHours: number;
  /**
   * White variance of an hourly value, as a multiple of the wandering level's (of its hourly steps, for a random walk).
   */
  readonly white: number;
}

export const NOISE_MODELS: readonly NoiseModel[] = [2, 6, 16, 40, 100, Infinity].flatMap(tauHours =>
  (tauHours === Infinity ? [0.2, 4, 60] : [0.05, 0.5, 5]).map(white => ({ tauHours, white })),
);

/** Points in time order; `epoch` numbers the process's lives, each with its own level. */
export interface TrendTimes {
  readonly count: number;
  readonly hours: Float64Array;
  readonly epoch: Uint16Array;
  /** How many hours a point is the mean of. */
  readonly stepHours: number;
}

/** Columns besides the levels of the epochs. */
export const T = 0;
export const Q = 1;
export const SINE = 2;
export const COSINE = 3;
export const COLUMNS = 4;

export interface ModelDesign {
  readonly keep: Float64Array;
  readonly gain: Float64Array;
  readonly weight: Float64Array;
  /** The epochs' level column, whitened. */
  readonly one: Float64Array;
  /** t, t^2, sine, cosine, whitened, one after the other. */
  readonly columns: Float64Array;
  /** Per epoch: information about its level, and the columns' products with it. */
  readonly levelInformation: Float64Array;
  readonly levelProducts: Float64Array;
  /** Products of the columns, with levels removed. */
  readonly gram: Float64Array;
  readonly logDeterminant: number;
}

export interface Design {
  readonly count: number;
  readonly waves: boolean;
  /** Hours from the middle to each end. */
  readonly half: number;
  /** Where each epoch begins, and how many there are. */
  readonly starts: Int32Array;
  readonly models: readonly ModelDesign[];
}

const KEPT_DESIGNS = 48;
const kept = new Map<string, Design>();

export function designOf(times: TrendTimes, waves: boolean): Design {
  const key = regularKey(times, waves);
  if (key === undefined) return makeDesign(times, waves);
  let design = kept.get(key);
  if (design === undefined) {
    if (kept.size >= KEPT_DESIGNS) kept.delete(kept.keys().next().value as string);
    kept.set(key, (design = makeDesign(times, waves)));
  }
  return design;
}

/** One epoch, evenly spaced. */
function regularKey(times: TrendTimes, waves: boolean): string | undefined {
  const { count, hours, epoch, stepHours } = times;
  for (let i = 1; i < count; i++) {
    if (epoch[i] !== epoch[0] || hours[i] - hours[i - 1] !== stepHours) return undefined;
  }
  return `${count} ${stepHours} ${waves ? hours[0] % 24 : 'plain'}`;
}

function makeDesign(times: TrendTimes, waves: boolean): Design {
  const { count, hours, epoch } = times;
  const starts = [0];
  for (let i = 1; i < count; i++) if (epoch[i] !== epoch[i - 1]) starts.push(i);
  starts.push(count);
  const design = {
    count,
    waves,
    half: (hours[count - 1] - hours[0]) / 2,
    starts: Int32Array.from(starts),
  };
  return { ...design, models: NOISE_MODELS.map(model => makeModel(times, design, model)) };
}

function makeModel(times: TrendTimes, design: Omit<Design, 'models'>, model: NoiseModel): ModelDesign {
  const { count, hours, stepHours } = times;
  const { starts, waves, half } = design;
  const middle = hours[0] + half;
  const epochs = starts.length - 1;
  const made = {
    keep: new Float64Array(count),
    gain: new Float64Array(count),
    weight: new Float64Array(count),
    one: new Float64Array(count),
    columns: new Float64Array(COLUMNS * count),
    levelInformation: new Float64Array(epochs),
    levelProducts: new Float64Array(epochs * COLUMNS),
    gram: new Float64Array(COLUMNS * COLUMNS),
  };
  const walk = model.tauHours === Infinity;
  const white = model.white / stepHours;
  let logDeterminant = 0;
  for (let e = 0; e < epochs; e++) {
    let variance = 0;
    for (let i = starts[e]; i < starts[e + 1]; i++) {
      if (i === starts[e]) {
        // A random walk's start is part of the epoch's level.
        variance = walk ? 0 : 1;
      } else {
        const gap = hours[i] - hours[i - 1];
        const keep = walk ? 1 : Math.exp(-gap / model.tauHours);
        variance = walk ? variance + gap : 1 - keep * keep * (1 - variance);
        made.keep[i] = keep;
      }
      const total = variance + white;
      made.gain[i] = variance / total;
      made.weight[i] = 1 / Math.sqrt(total);
      logDeterminant += Math.log(total);
      variance *= 1 - made.gain[i];
    }
  }
  const raw = new Float64Array(count).fill(1);
  whiten(made, raw, made.one, 0);
  for (let c = 0; c < COLUMNS; c++) {
    for (let i = 0; i < count; i++) {
      const u = (hours[i] - middle) / half;
      const angle = (hours[i] * Math.PI) / 12;
      raw[i] = c === T ? u : c === Q ? u * u : !waves ? 0 : c === SINE ? Math.sin(angle) : Math.cos(angle);
    }
    whiten(made, raw, made.columns, c * count);
  }
  for (let e = 0; e < epochs; e++) {
    for (let i = starts[e]; i < starts[e + 1]; i++) {
      made.levelInformation[e] += made.one[i] * made.one[i];
      for (let c = 0; c < COLUMNS; c++)
        made.levelProducts[e * COLUMNS + c] += made.one[i] * made.columns[c * count + i];
    }
    logDeterminant += Math.log(made.levelInformation[e]);
  }
  for (let a = 0; a < COLUMNS; a++) {
    for (let b = 0; b < COLUMNS; b++) {
      let sum = 0;
      for (let i = 0; i < count; i++) sum += made.columns[a * count + i] * made.columns[b * count + i];
      for (let e = 0; e < epochs; e++) {
        sum -= (made.levelProducts[e * COLUMNS + a] * made.levelProducts[e * COLUMNS + b]) / made.levelInformation[e];
      }
      made.gram[a * COLUMNS + b] = sum;
    }
  }
  return { ...made, logDeterminant };
}

/** The filter's innovations, each in units of its spread. An epoch's first point ignores the previous epoch. */
export function whiten(
  filter: Pick<ModelDesign, 'keep' | 'gain' | 'weight'>,
  raw: Float64Array,
  out: Float64Array,
  at: number,
): void {
  const { keep, gain, weight } = filter;
  let state = 0;
  for (let i = 0; i < weight.length; i++) {
    state *= keep[i];
    const innovation = raw[i] - state;
    state += gain[i] * innovation;
    out[at + i] = innovation * weight[i];
  }
}
