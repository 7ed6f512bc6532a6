/**
 * A target's resources over time, coarse enough to keep in memory for every target; the fleet page draws them.
 *
 *     #bins     goroutines: hours, ten minutes | live heap: hours, ten minutes | stacks: hours | ...     two bytes each
 *     #newest   the same rings: newest bin, sum and count of its samples
 *
 * In one block, because a hundred thousand targets have a million such rings.
 */
import { firstFinite } from '../../base/finite.ts';
import type { Resource } from '../../evidence/resource.ts';
import { RESOURCE_RULES } from '../../evidence/resource-rules.ts';
import { elementAt } from '../../base/errors.ts';

const COARSE_SECONDS = 3600;
const COARSE_BINS = 14 * 24;
const FINE_SECONDS = 600;
const FINE_BINS = 2 * 24 * 6;

/** Users look at these first, so they are kept in finer steps. */
const FINE: ReadonlySet<Resource> = new Set<Resource>(['goroutines', 'live heap']);

/** The newest bins of a resource, which are equally long. */
interface Ring {
  /** Its first bin in the block, and how many there are. */
  readonly offset: number;
  readonly length: number;
  readonly seconds: number;
  /** Where its newest bin, sum and count are. */
  readonly newest: number;
}

interface ResourceRings {
  readonly resource: Resource;
  readonly metrics: readonly string[];
  readonly coarse: Ring;
  readonly fine: Ring | undefined;
}

/** Where each ring is: one after the other, in the order of the resources. */
function layout(): { readonly rings: readonly ResourceRings[]; readonly binCount: number; readonly ringCount: number } {
  let [binCount, ringCount] = [0, 0];
  const next = (seconds: number, length: number): Ring => {
    const ring = { offset: binCount, length, seconds, newest: 3 * ringCount };
    binCount += length;
    ringCount++;
    return ring;
  };
  const rings = RESOURCE_RULES.map(({ resource, sources }) => ({
    resource,
    metrics: sources.map(({ metric }) => metric),
    coarse: next(COARSE_SECONDS, COARSE_BINS),
    fine: FINE.has(resource) ? next(FINE_SECONDS, FINE_BINS) : undefined,
  }));
  return { rings, binCount, ringCount };
}

const LAYOUT = layout();

export class Levels {
  /** Seconds of the detector in a second of the clock. */
  readonly #scale: number;
  #bins: Uint16Array | undefined;
  #newest: Float64Array = NOTHING;

  /** `hourSeconds`: how long an hour of the detector lasts. */
  constructor(hourSeconds = 3600) {
    this.#scale = 3600 / hourSeconds;
  }

  add(at: number, values: Readonly<Record<string, number>>): void {
    for (const { metrics, coarse, fine } of LAYOUT.rings) {
      const value = firstFinite(values, metrics);
      if (value === undefined) continue;
      this.#addTo(coarse, at, value);
      if (fine !== undefined) this.#addTo(fine, at, value);
    }
  }

  /** The mean level in each of the bins; null where there was none. */
  spark(resource: Resource, from: number, stepSeconds: number, count: number): (number | null)[] {
    const rings = LAYOUT.rings.find(one => one.resource === resource);
    if (rings === undefined || this.#bins === undefined) return new Array<null>(count).fill(null);
    const { coarse, fine } = rings;
    const ring = fine !== undefined && stepSeconds * this.#scale < COARSE_SECONDS ? fine : coarse;
    return Array.from({ length: count }, (_, i) =>
      this.#mean(ring, from + i * stepSeconds, from + (i + 1) * stepSeconds),
    );
  }

  #addTo({ offset, length, seconds, newest }: Ring, at: number, value: number): void {
    if (this.#bins === undefined) {
      this.#bins = new Uint16Array(LAYOUT.binCount);
      this.#newest = new Float64Array(3 * LAYOUT.ringCount).fill(-1);
    }
    const bins = this.#bins;
    const state = this.#newest;
    const bin = Math.floor((at * this.#scale) / seconds);
    const before = elementAt(state, newest);
    if (bin > before) {
      for (let gap = Math.max(before + 1, bin - length + 1); gap <= bin; gap++) bins[offset + (gap % length)] = NONE;
      state[newest] = bin;
      state[newest + 1] = state[newest + 2] = 0;
    }
    // If the clock goes back, the newest bin counts.
    const sum = (state[newest + 1] = elementAt(state, newest + 1) + value);
    const count = (state[newest + 2] = elementAt(state, newest + 2) + 1);
    bins[offset + (elementAt(state, newest) % length)] = codeOf(sum / count);
  }

  #mean({ offset, length, seconds, newest }: Ring, from: number, to: number): number | null {
    const last = elementAt(this.#newest, newest);
    const begin = Math.floor((from * this.#scale) / seconds);
    const end = Math.ceil((to * this.#scale) / seconds) - 1;
    let [sum, count] = [0, 0];
    // At least the bin with `from`: bins may be wider than the range.
    for (let bin = Math.max(begin, last - length + 1); bin <= Math.min(Math.max(begin, end), last); bin++) {
      const code = this.#bins?.[offset + (bin % length)] ?? NONE;
      if (code === NONE) continue;
      sum += levelOf(code);
      count++;
    }
    return count === 0 ? null : sum / count;
  }
}

const NOTHING = new Float64Array(0);
const NONE = 0;
const CODES = 2 ** 16;
/** Up to here in eighths, so that counts are exact; from here on in steps of 0.05 %, up to petabytes. */
const EVEN = 1024;
const EIGHTHS = 8;
const STEPS_PER_DOUBLING = 1400;
const FIRST_STEP = 1 + EVEN * EIGHTHS;

/** Levels are counts and bytes, never negative. What a sparkline can show is four times as coarse. */
function codeOf(level: number): number {
  if (level <= EVEN) return 1 + Math.round(Math.max(0, level) * EIGHTHS);
  return Math.min(CODES - 1, FIRST_STEP + Math.round(Math.log2(level / EVEN) * STEPS_PER_DOUBLING));
}

/** By code. */
const LEVELS: Readonly<Float64Array> = Float64Array.from({ length: CODES }, (_, i) =>
  i <= FIRST_STEP ? (i - 1) / EIGHTHS : EVEN * 2 ** ((i - FIRST_STEP) / STEPS_PER_DOUBLING),
);

function levelOf(code: number): number {
  return elementAt(LEVELS, code);
}
