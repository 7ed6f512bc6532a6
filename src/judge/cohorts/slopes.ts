/**
 * The growth of one resource of one target over any stretch of hours, each in constant time.
 *
 *     hours   ..... | x x x x x x x x x | . x x x x x x x x x x      |: a restart; the first hours of a life are left out
 *     sums    running sums of 1, t, t^2, y, ty over the hours that count
 *
 * Each life has a level of its own and all of them one slope. A stretch of hours is also cut in half life by life:
 * what settles grows less in the second halves, what leaks grows as much.
 */
import type { Hours } from '../detect/slow/hours.ts';
import { MAX_HOURS } from '../detect/slow/hours.ts';
import { SKIP_HOURS } from './cohort-tuning.ts';

const SIZE = MAX_HOURS + 1;
const MIN_STRAIGHT_HOURS = 6;

export interface Growth {
  /** Units per hour; NaN if there are too few hours. */
  slope: number;
  early: number;
  late: number;
  /** Hours that counted. */
  hours: number;
}

/** Sums over one target, about its own means, so that those of several targets can be added: t is time, e what settles. */
export interface StraightSums {
  readonly tt: number;
  readonly ee: number;
  readonly te: number;
  readonly ty: number;
  readonly ey: number;
  readonly yy: number;
}

/** Hours of the detector. */
export interface Bend {
  readonly bin: number;
  readonly fromBin: number;
  readonly toBin: number;
  /** Whether it may have grown since its life began. */
  readonly isFirstHour: boolean;
}

interface Life {
  readonly from: number;
  readonly to: number;
}

export class HourSums {
  readonly #count = new Float64Array(SIZE);
  readonly #t = new Float64Array(SIZE);
  readonly #tt = new Float64Array(SIZE);
  readonly #y = new Float64Array(SIZE);
  readonly #ty = new Float64Array(SIZE);
  readonly #clean = new Float64Array(MAX_HOURS);
  #lives: Life[] = [];
  #firstBin = 0;
  readonly #out: Growth = { slope: NaN, early: NaN, late: NaN, hours: 0 };

  /** `hours` with what pods and churn explain already taken off. `bornBin`: the hour in which the first life began. */
  lay(hours: Hours, bornBin: number): void {
    this.#firstBin = hours.firstBin;
    this.#lives = livesOf(hours, bornBin - hours.firstBin);
    smooth(hours.values, this.#clean, hours.count, this.#lives);
    // Relative to the middle of the level: squares of bytes would lose digits.
    let level = 0;
    for (let i = 0; i < hours.count; i++) if (!Number.isNaN(this.#clean[i])) level = this.#clean[i];
    for (let i = 0; i < hours.count; i++) {
      const y = this.#clean[i] - level;
      const known = !Number.isNaN(y);
      this.#count[i + 1] = this.#count[i] + (known ? 1 : 0);
      this.#t[i + 1] = this.#t[i] + (known ? i : 0);
      this.#tt[i + 1] = this.#tt[i] + (known ? i * i : 0);
      this.#y[i + 1] = this.#y[i] + (known ? y : 0);
      this.#ty[i + 1] = this.#ty[i] + (known ? i * y : 0);
    }
  }

  /** Growth in the hours `fromBin` to `toBin`, which is not included. The result is overwritten by the next call. */
  over(fromBin: number, toBin: number): Growth {
    const out = this.#out;
    let [xx, xy, earlyXx, earlyXy, lateXx, lateXy] = [0, 0, 0, 0, 0, 0];
    out.hours = 0;
    for (const life of this.#lives) {
      const from = Math.max(life.from, fromBin - this.#firstBin);
      const to = Math.min(life.to, toBin - this.#firstBin);
      if (to - from < 3) continue;
      const middle = (from + to) >> 1;
      out.hours += this.#count[to] - this.#count[from];
      xx += this.#spread(from, to);
      xy += this.#together(from, to);
      earlyXx += this.#spread(from, middle);
      earlyXy += this.#together(from, middle);
      lateXx += this.#spread(middle, to);
      lateXy += this.#together(middle, to);
    }
    out.slope = xx > 0 ? xy / xx : NaN;
    out.early = earlyXx > 0 ? earlyXy / earlyXx : NaN;
    out.late = lateXx > 0 ? lateXy / lateXx : NaN;
    return out;
  }

  /**
   * Sums for fitting a straight line and something that settles with one time constant, `originBin` being when it began,
   * to the hours of the last life. Undefined if there are too few hours.
   */
  straightSums(fromBin: number, toBin: number, settlesInHours: number, originBin: number): StraightSums | undefined {
    const life = this.#lives.at(-1);
    if (life === undefined) return undefined;
    const from = Math.max(life.from, fromBin - this.#firstBin);
    const to = Math.min(life.to, toBin - this.#firstBin);
    const origin = originBin - this.#firstBin;
    let [n, st, se, sy, stt, see, syy, ste, sty, sey] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    const level = this.#clean[to - 1];
    for (let i = from; i < to; i++) {
      const y = this.#clean[i] - level;
      if (Number.isNaN(y)) continue;
      const t = i - from;
      const e = Math.exp((origin - i) / settlesInHours);
      n++;
      st += t;
      se += e;
      sy += y;
      stt += t * t;
      see += e * e;
      syy += y * y;
      ste += t * e;
      sty += t * y;
      sey += e * y;
    }
    if (n < MIN_STRAIGHT_HOURS) return undefined;
    return {
      tt: stt - (st * st) / n,
      ee: see - (se * se) / n,
      te: ste - (st * se) / n,
      ty: sty - (st * sy) / n,
      ey: sey - (se * sy) / n,
      yy: syy - (sy * sy) / n,
    };
  }

  /**
   * Where the last life began to grow: flat before, straight after. All hours whose fit is nearly as good are the
   * interval. Undefined if there are too few hours.
   */
  bend(): Bend | undefined {
    const life = this.#lives.at(-1);
    if (life === undefined) return undefined;
    const from = Math.max(0, life.from);
    const hours: number[] = [];
    for (let i = from; i < life.to; i++) if (!Number.isNaN(this.#clean[i])) hours.push(i);
    if (hours.length < MIN_STRAIGHT_HOURS) return undefined;
    const fits: { at: number; rest: number }[] = [];
    for (let at = from; at <= life.to - 3; at++) fits.push({ at, rest: this.#restOfHinge(hours, at) });
    const best = fits.reduce((least, fit) => (fit.rest < least.rest ? fit : least));
    // Neighbouring hours are correlated: a quarter of them count.
    const most = best.rest * (1 + 4 / Math.max(1, hours.length / 4)) + 1e-9;
    const near = fits.filter(({ rest }) => rest <= most);
    const isFirstHour = (near[0]?.at ?? from) <= from + 1;
    const bin = (hour: number): number => hour + this.#firstBin;
    return {
      bin: bin(best.at),
      fromBin: bin(near[0]?.at ?? best.at),
      toBin: bin(near.at(-1)?.at ?? best.at),
      isFirstHour,
    };
  }

  /** Squares left of the best a + b max(0, t - at). */
  #restOfHinge(hours: readonly number[], at: number): number {
    let [sx, sy, sxx, sxy, syy] = [0, 0, 0, 0, 0];
    const level = this.#clean[hours[0]];
    for (const hour of hours) {
      const x = Math.max(0, hour - at);
      const y = this.#clean[hour] - level;
      sx += x;
      sy += y;
      sxx += x * x;
      sxy += x * y;
      syy += y * y;
    }
    const n = hours.length;
    const [xx, xy, yy] = [sxx - (sx * sx) / n, sxy - (sx * sy) / n, syy - (sy * sy) / n];
    return xx > 0 && xy > 0 ? yy - (xy * xy) / xx : yy;
  }

  /** The mean level of the last six hours that are known. */
  level(): number {
    let [sum, count] = [0, 0];
    const last = this.#lives.at(-1);
    if (last === undefined) return NaN;
    for (let i = last.to - 1; i >= Math.max(0, last.from) && count < 6; i--) {
      if (Number.isNaN(this.#clean[i])) continue;
      sum += this.#clean[i];
      count++;
    }
    return count === 0 ? NaN : sum / count;
  }

  #spread(from: number, to: number): number {
    const count = this.#count[to] - this.#count[from];
    if (count < 2) return 0;
    const sum = this.#t[to] - this.#t[from];
    return this.#tt[to] - this.#tt[from] - (sum * sum) / count;
  }

  #together(from: number, to: number): number {
    const count = this.#count[to] - this.#count[from];
    if (count < 2) return 0;
    const t = this.#t[to] - this.#t[from];
    const y = this.#y[to] - this.#y[from];
    return this.#ty[to] - this.#ty[from] - (t * y) / count;
  }
}

/** Runs of hours of one epoch, without the first hours of each life. */
function livesOf({ count, epoch }: Hours, bornAt: number): Life[] {
  const lives: Life[] = [];
  for (let start = 0; start < count;) {
    let end = start + 1;
    while (end < count && epoch[end] === epoch[start]) end++;
    const skip = start === 0 ? Math.max(0, bornAt + SKIP_HOURS) : start + SKIP_HOURS;
    if (end > skip) lives.push({ from: skip, to: end });
    start = end;
  }
  return lives;
}

/** The median of five hours: bursts of an hour or two, such as exec sessions and deployments, move no slope. */
function smooth(values: Float64Array, out: Float64Array, count: number, lives: readonly Life[]): void {
  out.fill(NaN, 0, count);
  for (const { from, to } of lives) {
    for (let i = from; i < to; i++) {
      const value = values[i];
      // Fewer neighbours at the ends, the same number on both sides, so that a straight line stays one.
      const reach = Math.min(2, i - from, to - 1 - i);
      let middle = value;
      if (reach === 2) middle = medianOfFive(values[i - 2], values[i - 1], value, values[i + 1], values[i + 2]);
      else if (reach === 1) middle = medianOfThree(values[i - 1], value, values[i + 1]);
      // OtherRises a gap there is no median.
      out[i] = Number.isNaN(middle) ? value : middle;
    }
  }
}

/** NaN if one of them is. */
function medianOfThree(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}

/** The least and the greatest of four cannot be the median of five; of what is left, it is the median. */
function medianOfFive(a: number, b: number, c: number, d: number, e: number): number {
  const low = Math.max(Math.min(a, b), Math.min(c, d));
  const high = Math.min(Math.max(a, b), Math.max(c, d));
  return medianOfThree(low, high, e);
}
