/** Multiplies sample values, as pprof does for -base, -normalize and differing units. */
import { Int64ColumnBuilder, roundHalfAway, truncateToInt64, type Int64Column } from '../../../base/int64.ts';
import type { Profile } from '../../profile.ts';
import { selectSamples } from './stacks.ts';

/** Multiplies each value column by its ratio, rounding half away from zero; drops samples that become zero. */
export function scaleValues(profile: Profile, ratios: readonly number[]): Profile {
  if (ratios.every(ratio => ratio === 1)) return profile;
  const { samples } = profile;
  // As in pprof, only the scaled values decide whether a sample is kept.
  const keep = new Uint8Array(samples.length);
  const values = samples.values.map((column, t) => {
    if (ratios[t] === 1) return column;
    const scaled = new Int64ColumnBuilder(column.length);
    for (let i = 0; i < column.length; i++) {
      // The product is a double, as in Go, even if that loses digits.
      const value = roundHalfAway(Number(column[i]) * ratios[t]);
      if (Number.isSafeInteger(value)) scaled.push(value);
      else scaled.push(truncateToInt64(value));
      if (value !== 0) keep[i] = 1;
    }
    return scaled.finish();
  });
  return selectSamples({ ...profile, samples: { ...samples, values } }, sample => keep[sample] === 1);
}

/** Multiplies every value, truncating: -proto with -divide_by. */
export function divideValues(profile: Profile, ratio: number): Profile {
  const values: Int64Column[] = profile.samples.values.map(column => {
    const scaled = new Int64ColumnBuilder(column.length);
    for (const value of column) scaled.push(truncateToInt64(Number(value) * ratio));
    return scaled.finish();
  });
  return { ...profile, samples: { ...profile.samples, values } };
}

export function negate(profile: Profile): Profile {
  return scaleValues(
    profile,
    profile.sampleTypes.map(() => -1),
  );
}

/** Scales `profile` so that each sample type has the same sum as in `base`. */
export function normalizeBy(profile: Profile, base: Profile): Profile {
  const ratios = profile.sampleTypes.map((_, t) => {
    const source = sum(profile.samples.values[t]);
    return source === 0n ? 0 : Number(sum(base.samples.values[t])) / Number(source);
  });
  return scaleValues(profile, ratios);
}

function sum(column: Int64Column): bigint {
  let total = 0n;
  for (const value of column) total += BigInt(value);
  return BigInt.asIntN(64, total);
}
