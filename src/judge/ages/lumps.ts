/**
 * Lumps: goroutines that arrived together, such as the workers started with the process, or a burst of requests. They
 * are set aside so that the others can be judged:
 *
 *     seen     2 3 1 2 2 3 2 2 1 200
 *     lumps                      198, 9 minutes ago
 *     rest     2 3 1 2 2 3 2 2 1   2
 */
import { total } from './histogram.ts';

export interface Lump {
  /** Its peak, and the bins that it spans. */
  readonly bin: number;
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

export interface Split {
  readonly lumps: readonly Lump[];
  readonly rest: readonly number[];
}

const LEAST_LUMP = 10;
/** A lump has this many times as many goroutines as its neighbours suggest. */
const STANDS_OUT = 3;
const NEIGHBOURS = 8;
const MOST_LUMPS = 20;

/** The youngest bins are never a lump, since young goroutines may be about to leave. */
export function splitLumps(bins: readonly number[], collectionBins: number): Split {
  const width = 1 + Math.ceil(collectionBins);
  const rest = [...bins];
  const lumps: Lump[] = [];
  while (lumps.length < MOST_LUMPS) {
    const lump = largestLump(rest, width, collectionBins);
    if (lump === undefined) break;
    lumps.push({ bin: lump.peak, from: lump.from, to: lump.to, count: lump.count - lump.usual });
    for (let bin = lump.from; bin < lump.to; bin++) rest[bin] = lump.usual / (lump.to - lump.from);
  }
  return { lumps, rest };
}

interface Candidate {
  readonly from: number;
  readonly to: number;
  readonly peak: number;
  readonly count: number;
  /** The expected count of these bins, from their neighbours. */
  readonly usual: number;
}

function largestLump(bins: readonly number[], width: number, collectionBins: number): Candidate | undefined {
  let best: Candidate | undefined;
  const youngest = Math.min(width, bins.length - 1);
  for (let from = Math.max(1, youngest); from < bins.length; from++) {
    const to = Math.min(bins.length, from + width);
    const count = total(bins, from, to);
    if (count < LEAST_LUMP || (best !== undefined && count <= best.count)) continue;
    const rate = neighbourRate(bins, from, to);
    if (count <= STANDS_OUT * rate * (to - from + collectionBins) + LEAST_LUMP) continue;
    let peak = from;
    for (let bin = from; bin < to; bin++) if (bins[bin] > bins[peak]) peak = bin;
    best = { from, to, peak, count, usual: Math.min(count, rate * (to - from)) };
  }
  return best;
}

/** Arrivals per bin on both sides, without the busiest bin, which may be another lump. */
function neighbourRate(bins: readonly number[], from: number, to: number): number {
  const around = [...bins.slice(Math.max(0, from - NEIGHBOURS), from), ...bins.slice(to, to + NEIGHBOURS)];
  if (around.length === 0) return 0;
  const most = around.reduce((a, b) => Math.max(a, b));
  const kept = around.length > 2 ? around.length - 1 : around.length;
  return (total(around) - (around.length > 2 ? most : 0)) / kept;
}
