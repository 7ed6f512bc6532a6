/**
 * Flat and cumulative values of every node, in one pass over the stacks.
 *
 * Trimming a graph never changes these: cum counts a node once per sample wherever it occurs, and flat belongs to the
 * leaf. So they are computed once; only edges depend on which nodes are kept.
 */
import type { Int64Column } from '../../base/int64.ts';
import type { Profile } from '../profile.ts';
import type { NodeTable } from './node-table.ts';

export interface Weights {
  readonly value: Int64Column;
  /** With -mean, the divisors of the sums. */
  readonly divisor: Int64Column | undefined;
}

export interface Tally {
  readonly flat: Int64Column;
  readonly cum: Int64Column;
  readonly flatDivisor: Int64Column | undefined;
  readonly cumDivisor: Int64Column | undefined;
}

/** Columns to sum into: doubles if every possible sum is exact, else int64 that wraps as in Go. */
export function sumColumn(source: Int64Column, length: number): Int64Column {
  if (source instanceof BigInt64Array) return new BigInt64Array(length);
  let magnitude = 0;
  for (let i = 0; i < source.length; i++) magnitude += Math.abs(source[i]);
  return magnitude <= Number.MAX_SAFE_INTEGER ? new Float64Array(length) : new BigInt64Array(length);
}

/** `source` in the kind of number that `target` holds. */
export function likeColumn(source: Int64Column, target: Int64Column): Int64Column {
  if (source instanceof Float64Array && target instanceof BigInt64Array) return BigInt64Array.from(source, BigInt);
  return source;
}

export function tallyNodes(profile: Profile, nodes: NodeTable, weights: Weights): Tally {
  const count = nodes.infos.length;
  const flat = sumColumn(weights.value, count);
  const cum = flat instanceof Float64Array ? new Float64Array(count) : new BigInt64Array(count);
  const value = likeColumn(weights.value, flat);
  accumulate(profile, nodes, value, weights, flat, cum);
  if (weights.divisor === undefined) return { flat, cum, flatDivisor: undefined, cumDivisor: undefined };

  const flatDivisor = sumColumn(weights.divisor, count);
  const cumDivisor = flatDivisor instanceof Float64Array ? new Float64Array(count) : new BigInt64Array(count);
  accumulate(profile, nodes, likeColumn(weights.divisor, flatDivisor), weights, flatDivisor, cumDivisor);
  return { flat, cum, flatDivisor, cumDivisor };
}

/** Whether a sample takes part at all. */
export function hasWeight(weights: Weights, sample: number): boolean {
  return weights.value[sample] != 0 || (weights.divisor !== undefined && weights.divisor[sample] != 0);
}

function accumulate(
  profile: Profile,
  nodes: NodeTable,
  summand: Int64Column,
  weights: Weights,
  flatOut: Int64Column,
  cumOut: Int64Column,
): void {
  // `+=` is typed for doubles and works for BigInt64Array too: the three columns always have the same type.
  const add = summand as Float64Array;
  const flat = flatOut as Float64Array;
  const cum = cumOut as Float64Array;
  const { stackStart, stackLocations, length } = profile.samples;
  const { locationStart, locationNodes } = nodes;
  const single = singleNodes(nodes);
  // The last visit to each node, to count a node once per sample. Two bytes keep it in cache.
  const visitor = new Uint16Array(nodes.infos.length);
  let visit = 0;
  for (let sample = 0; sample < length; sample++) {
    if (!hasWeight(weights, sample)) continue;
    if (++visit === 0x10000) {
      visitor.fill(0);
      visit = 1;
    }
    const start = stackStart[sample];
    const end = stackStart[sample + 1];
    if (start === end) continue;
    const weight = add[sample];
    for (let i = start; i < end; i++) {
      const location = stackLocations[i];
      const node = single[location];
      if (node >= 0) {
        if (visitor[node] !== visit) {
          visitor[node] = visit;
          cum[node] += weight;
        }
        continue;
      }
      const last = locationStart[location + 1];
      for (let k = locationStart[location]; k < last; k++) {
        const inlined = locationNodes[k];
        if (visitor[inlined] !== visit) {
          visitor[inlined] = visit;
          cum[inlined] += weight;
        }
      }
    }
    flat[locationNodes[locationStart[stackLocations[start]]]] += weight;
  }
}

/** Per location: its only node, or -1 when inlining gave it several. */
function singleNodes({ infos, locationStart, locationNodes }: NodeTable): Int16Array | Int32Array {
  const count = locationStart.length - 1;
  const single = infos.length < 0x8000 ? new Int16Array(count) : new Int32Array(count);
  for (let location = 0; location < single.length; location++) {
    const from = locationStart[location];
    single[location] = locationStart[location + 1] - from === 1 ? locationNodes[from] : -1;
  }
  return single;
}
