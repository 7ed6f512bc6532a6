/** The total for percentages. */
import { abs64, type Int64Column } from '../../base/int64.ts';
import type { Profile } from '../profile.ts';
import type { Weights } from './graph/tally.ts';

/**
 * The sum of the absolute sample values, or of the base's samples alone if there are any (-diff_base). With -mean,
 * divided by the sum of the divisors.
 */
export function computeTotal(profile: Profile, weights: Weights): bigint {
  const base = baseSamples(profile);
  if (base !== undefined) {
    const total = sumOf(weights.value, base, true);
    if (total > 0n) return mean(total, weights, base);
  }
  return mean(sumOf(weights.value, undefined, true), weights, undefined);
}

function mean(total: bigint, { divisor }: Weights, only: Uint8Array | undefined): bigint {
  const by = divisor === undefined ? 0n : sumOf(divisor, only, false);
  return by === 0n ? total : total / by;
}

function sumOf(column: Int64Column, only: Uint8Array | undefined, absolute: boolean): bigint {
  if (column instanceof Float64Array) {
    let sum = 0;
    let magnitude = 0;
    for (let i = 0; i < column.length; i++) {
      if (only !== undefined && only[i] === 0) continue;
      const size = Math.abs(column[i]);
      magnitude += size;
      sum += absolute ? size : column[i];
    }
    if (magnitude <= Number.MAX_SAFE_INTEGER) return BigInt(sum);
  }
  let sum = 0n;
  for (let i = 0; i < column.length; i++) {
    if (only !== undefined && only[i] === 0) continue;
    const value = BigInt(column[i]);
    sum += absolute ? abs64(value) : value;
  }
  return BigInt.asIntN(64, sum);
}

/** Marks the samples labelled as the base of a comparison; undefined if there are none. */
function baseSamples(profile: Profile): Uint8Array | undefined {
  const { samples, strings } = profile;
  const key = strings.indexOf('pprof::base');
  if (key < 0) return undefined;
  const marks = new Uint8Array(samples.length);
  let any = false;
  for (let sample = 0; sample < samples.length; sample++) {
    for (let row = samples.labelStart[sample]; row < samples.labelStart[sample + 1]; row++) {
      const { labels } = samples;
      if (strings[labels.key[row]] === 'pprof::base' && strings[labels.str[row]] === 'true') {
        marks[sample] = 1;
        any = true;
      }
    }
  }
  return any ? marks : undefined;
}
