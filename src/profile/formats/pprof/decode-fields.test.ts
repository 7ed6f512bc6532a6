import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeInChunks } from '../../../../test/fuzz/decode-in-chunks.ts';
import { plainProfile } from '../../../../test/fuzz/plain-profile.ts';
import { FUNCTION, LOCATION, message, SAMPLE, STRINGS, TYPE, type Field } from '../../../../test/fuzz/proto-message.ts';
import { FormatError } from '../../../base/errors.ts';
import { concatBytes } from '../../../base/text.ts';
import { ProfileBuilder } from '../../profile-builder.ts';
import { decodeProfile } from './decode.ts';
import { encodeProfile } from './encode.ts';
import { ConcatenatedProfilesError, MalformedProfileError } from './wire.ts';

function failure(bytes: Uint8Array): FormatError {
  try {
    decodeProfile(bytes);
  } catch (error) {
    assert.ok(error instanceof FormatError, String((error as Error).stack));
    assert.ok(!error.describe().includes('\n'));
    return error;
  }
  return assert.fail('decoded without an error');
}

describe('packed and unpacked', () => {
  it('are the same', () => {
    const unpacked: Field = [
      2,
      [
        [1, 1],
        [1, 2],
        [1, 1],
        [2, -5],
        [2, 6],
      ],
    ];
    const packed: Field = [
      2,
      [
        [1, Uint8Array.of(1, 2, 1)],
        [2, message([0, -5], [0, 6]).filter((_, i) => i !== 0 && i !== 11)],
      ],
    ];
    const mixed: Field = [
      2,
      [
        [1, Uint8Array.of(1, 2)],
        [2, -5],
        [1, 1],
        [2, Uint8Array.of(6)],
      ],
    ];
    const around = (sample: Field): Uint8Array =>
      message(
        TYPE,
        TYPE,
        sample,
        LOCATION,
        [
          4,
          [
            [1, 2],
            [3, 0x10],
          ],
        ],
        FUNCTION,
        ...STRINGS,
      );
    const want = plainProfile(decodeProfile(around(unpacked)));
    assert.deepEqual(want.samples[0], { stack: [0, 1, 0], values: [-5n, 6n], labels: [] });
    assert.deepEqual(plainProfile(decodeProfile(around(packed))), want);
    assert.deepEqual(plainProfile(decodeProfile(around(mixed))), want);
  });

  it('hold for comments', () => {
    const bytes = message(TYPE, ...STRINGS, [13, 3], [13, Uint8Array.of(4, 1)]);
    assert.deepEqual(decodeProfile(bytes).comments, ['main.main', 'main.go', 'samples']);
  });
});

describe('decodeProfile', () => {
  it('skips fields it does not know, at every level', () => {
    const unknown: readonly Field[] = [
      [100, 'text'],
      [101, 2n ** 63n],
    ];
    const fixed = Uint8Array.of(0x39 | 0x40, 1, 2, 3, 4, 5, 6, 7, 8, 0x7d, 1, 2, 3, 4); // field 15, 64 and 32 bits
    const plain = message(TYPE, SAMPLE, LOCATION, FUNCTION, [3, [[1, 9]]], ...STRINGS);
    const inside = ([field, content]: Field): Field => [field, [...(content as readonly Field[]), ...unknown]];
    const rich = message(
      inside(TYPE),
      inside(SAMPLE),
      inside(LOCATION),
      inside(FUNCTION),
      inside([3, [[1, 9]]]),
      ...STRINGS,
      ...unknown,
    );
    assert.deepEqual(plainProfile(decodeProfile(rich)), plainProfile(decodeProfile(plain)));
    assert.equal(fixed.length, 14);
  });

  it('takes the last of a field that is there twice', () => {
    const location: Field = [
      4,
      [
        [1, 5],
        [1, 1],
        [3, 1],
        [3, 2],
      ],
    ];
    const { locations } = decodeProfile(message(TYPE, SAMPLE, location, ...STRINGS));
    assert.deepEqual([locations.id[0], locations.address[0]], [1n, 2n]);
  });

  it('refuses with the words of pprof', () => {
    const more = (...fields: Field[]): Uint8Array => message(TYPE, SAMPLE, LOCATION, FUNCTION, ...STRINGS, ...fields);
    const cases: readonly (readonly [Uint8Array, string])[] = [
      [more([4, [[1, 1]]]), 'multiple locations with same id: 1'],
      [more([4, [[1, 0]]]), 'found location with reserved id=0'],
      [more([5, [[1, 1]]]), 'multiple functions with same id: 1'],
      [more([5, [[2, 1]]]), 'found function with reserved ID=0'],
      [more([3, [[1, 7]]], [3, [[1, 7]]]), 'multiple mappings with same id: 7'],
      [more([3, [[2, 7]]]), 'found mapping with reserved ID=0'],
      [
        more([
          2,
          [
            [1, 2],
            [2, 1],
          ],
        ]),
        'sample has nil location',
      ],
      [
        more([
          2,
          [
            [1, 0],
            [2, 1],
          ],
        ]),
        'sample has nil location',
      ],
      [
        more([
          2,
          [
            [1, 2n ** 64n - 1n],
            [2, 1],
          ],
        ]),
        'sample has nil location',
      ],
      [
        more([
          4,
          [
            [1, 2],
            [4, [[1, 99]]],
          ],
        ]),
        'location id: 2 has a line with nil function',
      ],
      [
        more([
          4,
          [
            [1, 2],
            [4, [[2, 1]]],
          ],
        ]),
        'location id: 2 has a line with nil function',
      ],
      [
        more([
          2,
          [
            [1, 1],
            [2, 1],
            [2, 2],
          ],
        ]),
        'mismatch: sample has 2 values vs. 1 types',
      ],
      [more([2, [[1, 1]]]), 'mismatch: sample has 0 values vs. 1 types'],
      [message(SAMPLE, LOCATION, FUNCTION, ...STRINGS), 'missing sample type information'],
    ];
    for (const [bytes, want] of cases) {
      const error = failure(bytes);
      assert.equal(error.message, want);
      assert.ok(error instanceof MalformedProfileError);
    }
  });

  it('refuses two profiles in one', () => {
    const one = message(TYPE, ...STRINGS, [9, 1234]);
    const error = failure(concatBytes([one, one]));
    assert.ok(error instanceof ConcatenatedProfilesError);
    assert.equal(error.describe(), `concatenated profiles detected at byte ${one.length * 2 - 3}`);
  });

  it('refuses what is no message, and says where', () => {
    const cases: readonly (readonly [Uint8Array, RegExp])[] = [
      [new Uint8Array(0), /^empty input file at byte 0$/],
      [message(TYPE, [6, 'not empty']), /^string_table\[0\] must be '' at byte \d+$/],
      [message([1, [[1, 5]]], ...STRINGS), /^string index 5 is outside the table of 5 strings at byte 4$/],
      [message([1, [[1, 2n ** 40n]]], ...STRINGS), /^string index 4294967295 is outside the table/],
      [message(TYPE), /^string index 2 is outside the table of 0 strings at byte 6$/],
      [message([9, 'text'], ...STRINGS), /^type mismatch: a number was expected at byte 2$/],
      [message([2, 7], ...STRINGS), /^type mismatch: a message was expected at byte/],
      [Uint8Array.of(0x0b, 0x00), /^unknown wire type 3 at byte/],
      [Uint8Array.of(0x12, 0x05, 0x0a, 0x09), /^truncated: the last field needs 3 more bytes at byte 4$/],
      [Uint8Array.of(0x12, 0x04, 0x0a, 0x09, 1, 1), /^a field of 9 bytes does not fit its message at byte 4$/],
      [Uint8Array.of(0x48, ...Array<number>(10).fill(0xff), 0x01), /^bad varint: longer than ten bytes at byte/],
      [Uint8Array.of(0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f), /^a field is longer than any profile at byte/],
    ];
    for (const [bytes, want] of cases) assert.match(failure(bytes).describe(), want);
  });

  it('finds small ids in late rows', () => {
    // More rows than two bytes number, and the one sample is of the last of them.
    const b = new ProfileBuilder([{ type: 'samples', unit: 'count' }]);
    const rows = 70_000;
    for (let i = 0; i < rows; i++) b.addLocation({ id: BigInt(rows - i), address: BigInt(i) });
    b.addSample([rows - 1, 0, 69_000], [1]);
    b.addSample([rows - 2], [1]);
    const { samples } = decodeProfile(encodeProfile(b.finish()));
    assert.deepEqual([...samples.stackLocations], [rows - 1, 0, 69_000, rows - 2]);
  });
});

describe('a small profile cut at every byte', () => {
  const bytes = message(
    TYPE,
    [
      2,
      [
        [1, Uint8Array.of(1, 1, 1)],
        [2, 5],
        [
          3,
          [
            [1, 3],
            [2, 4],
          ],
        ],
        [
          3,
          [
            [1, 3],
            [3, 300],
            [4, 2],
          ],
        ],
      ],
    ],
    LOCATION,
    FUNCTION,
    [
      3,
      [
        [1, 1],
        [2, 4096],
        [5, 4],
      ],
    ],
    ...STRINGS,
    [9, 1n],
    [13, Uint8Array.of(3, 4)],
  );

  it('is refused in one line, whole or in chunks, or has lost fields at its end', () => {
    assert.equal(decodeProfile(bytes).samples.length, 1);
    let read = 0;
    for (let end = 0; end < bytes.length; end++) {
      const cut = bytes.subarray(0, end);
      for (const decode of [() => decodeProfile(cut), () => decodeInChunks(cut, [3, 1, 2])]) {
        try {
          decode();
          read++;
        } catch (error) {
          assert.ok(error instanceof FormatError, `${end}: ${String(error)}`);
          assert.ok(!error.describe().includes('\n') && error.offset !== undefined, error.describe());
        }
      }
    }
    // Between top-level fields behind the string table it is a profile again.
    assert.ok(read >= 2 && read <= 8, String(read));
  });

  it('with any byte changed is read or refused', () => {
    for (let at = 0; at < bytes.length; at++) {
      for (let value = 0; value < 256; value++) {
        const changed = bytes.slice();
        changed[at] = value;
        try {
          const profile = decodeProfile(changed);
          decodeProfile(encodeProfile(profile));
        } catch (error) {
          assert.ok(error instanceof FormatError, `${at}, ${value}: ${(error as Error).stack}`);
        }
      }
    }
  });
});
