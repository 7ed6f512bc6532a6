import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { Profile as OracleProfile } from 'pprof-format';
import { arbitraryProfile } from '../../../../test/fuzz/arbitrary-profile.ts';
import { decodeInChunks } from '../../../../test/fuzz/decode-in-chunks.ts';
import { plainProfile } from '../../../../test/fuzz/plain-profile.ts';
import { concatBytes } from '../../../base/text.ts';
import type { Profile } from '../../profile.ts';
import { decodeProfile, ProfileDecoder } from './decode.ts';
import { encodeProfile } from './encode.ts';

const CAPTURES = fileURLToPath(new URL('../../../../test/fixtures/captures/leakdemo/', import.meta.url));
const captures = readdirSync(CAPTURES, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.pb.gz'));
const capture = (name: string): Uint8Array => gunzipSync(readFileSync(CAPTURES + name));

describe('encodeProfile and decodeProfile', () => {
  it('give back any profile', () => {
    fc.assert(
      fc.property(arbitraryProfile(), profile => {
        assert.deepEqual(plainProfile(decodeProfile(encodeProfile(profile))), plainProfile(profile));
      }),
      { numRuns: 500 },
    );
  });

  it('do so in chunks of any size', () => {
    fc.assert(
      fc.property(
        arbitraryProfile(),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
        (profile, sizes) => {
          const bytes = encodeProfile(profile);
          assert.deepEqual(decodeInChunks(bytes, sizes), decodeProfile(bytes));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('do so with the tables in any order', () => {
    fc.assert(
      fc.property(arbitraryProfile(), fc.infiniteStream(fc.nat(1000)), (profile, order) => {
        const fields = topLevelFields(encodeProfile(profile));
        const strings = fields.filter(field => field[0] === 0x32);
        // Rows of one table keep their order: it is their number.
        const tables = [...new Set(fields.map(field => field[0]))]
          .filter(tag => tag !== 0x32)
          .map(tag => fields.filter(field => field[0] === tag));
        const shuffled = [...tables, strings]
          .map(table => [order.next().value as number, table] as const)
          .sort(([a], [b]) => a - b)
          .flatMap(([, table]) => table);
        assert.deepEqual(plainProfile(decodeProfile(concatBytes(shuffled))), plainProfile(profile));
      }),
    );
  });

  it('agree on which labels to keep', () => {
    const bytes = capture('go1.27/t3/goroutine.debug0.pb.gz');
    const bare = new ProfileDecoder({ labels: false });
    bare.push(bytes);
    const { samples } = bare.finish();
    assert.equal(samples.labels.length, 0);
    assert.deepEqual(samples.values, decodeProfile(bytes).samples.values);
    assert.ok(decodeProfile(bytes).samples.labels.length > 0);
  });
});

/** The bytes of each top-level field. */
function topLevelFields(bytes: Uint8Array): Uint8Array[] {
  const fields: Uint8Array[] = [];
  const varint = (at: number): [value: number, next: number] => {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      value += (bytes[at] & 0x7f) * shift;
      if (bytes[at++] < 0x80) return [value, at];
    }
  };
  for (let at = 0; at < bytes.length;) {
    const [tag, content] = varint(at);
    const [length, next] = varint(content);
    const end = tag % 8 === 2 ? next + length : next;
    fields.push(bytes.subarray(at, end));
    at = end;
  }
  return fields;
}

describe('captures', () => {
  for (const name of captures) {
    it(`${name}: as pprof-format reads it, whole and in chunks`, () => {
      const bytes = capture(name);
      const profile = decodeProfile(bytes);
      assert.deepEqual(decodeInChunks(bytes, [997, 13, 4096]), profile);
      compareWithOracle(profile, OracleProfile.decode(bytes));
      assert.deepEqual(plainProfile(decodeProfile(encodeProfile(profile))), plainProfile(profile));
    });
  }
});

function compareWithOracle(profile: Profile, oracle: OracleProfile): void {
  const plain = plainProfile(profile);
  const text = (index: number | bigint): string => oracle.stringTable.strings[Number(index)];
  const rows = <T extends { id: number | bigint }>(list: readonly T[]): Map<bigint, number> =>
    new Map(list.map((row, i) => [BigInt(row.id), i]));
  const locationRows = rows(oracle.location);
  const functionRows = rows(oracle.function);
  const mappingRows = rows(oracle.mapping);
  assert.deepEqual(
    plain.samples.map(({ stack, values }) => ({ stack, values })),
    oracle.sample.map(sample => ({
      stack: sample.locationId.map(id => locationRows.get(BigInt(id))!),
      values: sample.value.map(value => BigInt.asIntN(64, BigInt(value))),
    })),
  );
  assert.deepEqual(
    plain.samples.map(({ labels }) => labels.map(({ key, str, num }) => `${key}=${str}${num}`).sort()),
    oracle.sample.map(({ label }) =>
      label.map(({ key, str, num }) => `${text(key)}=${text(str)}${BigInt(num)}`).sort(),
    ),
  );
  assert.deepEqual(
    plain.locations,
    oracle.location.map(location => ({
      id: BigInt(location.id),
      mapping: BigInt(location.mappingId) === 0n ? -1 : mappingRows.get(BigInt(location.mappingId))!,
      address: BigInt(location.address),
      isFolded: Number(location.isFolded),
      lines: location.line.map(line => ({
        fn: functionRows.get(BigInt(line.functionId))!,
        line: BigInt(line.line),
        column: 0n,
      })),
    })),
  );
  assert.deepEqual(
    plain.functions,
    oracle.function.map(fn => ({
      id: BigInt(fn.id),
      name: text(fn.name),
      systemName: text(fn.systemName),
      filename: text(fn.filename),
      startLine: BigInt(fn.startLine),
    })),
  );
  assert.equal(profile.timeNanos, BigInt(oracle.timeNanos));
  assert.equal(profile.period, BigInt(oracle.period));
  assert.deepEqual(
    profile.sampleTypes,
    oracle.sampleType.map(({ type, unit }) => ({ type: text(type), unit: text(unit) })),
  );
}
