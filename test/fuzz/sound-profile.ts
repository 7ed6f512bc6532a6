/** Properties of every profile that a transformation makes. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Profile } from '../../src/profile/profile.ts';
import { arbitraryProfile } from './arbitrary-profile.ts';

/** Values whose sums stay well within 64 bits. */
export const smallProfile: fc.Arbitrary<Profile> = arbitraryProfile({ value: fc.bigInt({ min: -1000n, max: 1000n }) });

/** The sum of each value column. */
export const sums = ({ samples }: Profile): bigint[] =>
  samples.values.map(column => Array.from(column, BigInt).reduce((a, b) => a + b, 0n));

/** Every index points into its table, and every table has the right length. */
export function assertSound(profile: Profile): void {
  const { samples, locations, functions, strings, mappings } = profile;
  const below = (column: ArrayLike<number>, limit: number, from = 0): void => {
    for (let i = 0; i < column.length; i++)
      assert.ok(column[i] >= from && column[i] < limit, `${column[i]} of ${limit}`);
  };
  const ascending = (starts: Uint32Array, rows: number, end: number): void => {
    assert.equal(starts.length, rows + 1);
    assert.equal(starts[0], 0);
    assert.equal(starts[rows], end);
    for (let i = 0; i < rows; i++) assert.ok(starts[i] <= starts[i + 1]);
  };
  ascending(samples.stackStart, samples.length, samples.stackLocations.length);
  ascending(samples.labelStart, samples.length, samples.labels.length);
  ascending(locations.lineStart, locations.length, locations.lines.length);
  below(samples.stackLocations, locations.length);
  below(locations.mapping, mappings.length, -1);
  below(locations.lines.fn, functions.length, -1);
  for (const column of [samples.labels.key, samples.labels.str, samples.labels.unit]) below(column, strings.length);
  for (const column of [functions.name, functions.systemName, functions.filename]) below(column, strings.length);
  assert.equal(samples.values.length, profile.sampleTypes.length);
  for (const column of samples.values) assert.equal(column.length, samples.length);
  assert.equal(strings[0], '');
}
