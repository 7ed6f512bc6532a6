import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { byteLength, compareText, concatBytes, decodeText, encodeText } from './text.ts';

/** Bytes that are often nearly UTF-8. */
const bytesLikeText = fc.oneof(
  fc.uint8Array({ maxLength: 60 }),
  fc.string({ unit: 'binary', maxLength: 30 }).map(text => new TextEncoder().encode(text)),
  fc
    .array(fc.constantFrom(0x41, 0x80, 0xbf, 0xc1, 0xc2, 0xe0, 0xa0, 0xed, 0x9f, 0xef, 0xbb, 0xf0, 0x90, 0xf4, 0xff))
    .map(bytes => Uint8Array.from(bytes)),
);

describe('decodeText and encodeText', () => {
  it('lose no byte', () => {
    fc.assert(
      fc.property(bytesLikeText, bytes => assert.deepEqual(encodeText(decodeText(bytes)), bytes)),
      {
        numRuns: 2000,
      },
    );
  });

  it('decode a part as if it were the whole', () => {
    fc.assert(
      fc.property(bytesLikeText, fc.nat(20), fc.nat(20), (bytes, before, after) => {
        const padded = concatBytes([new Uint8Array(before).fill(0xe2), bytes, new Uint8Array(after).fill(0x82)]);
        assert.equal(decodeText(padded, before, before + bytes.length), decodeText(bytes));
      }),
    );
  });

  it('read nothing beyond the end', () => {
    const bytes = Uint8Array.of(0x61, 0x62);
    assert.deepEqual(
      [decodeText(bytes, 1, 9), decodeText(bytes, 2, 9), decodeText(bytes, 5, 9), decodeText(bytes, 1, 0)],
      ['b', '', '', ''],
    );
  });

  it('leave valid UTF-8 as it is, including a byte order mark and U+FFFD', () => {
    for (const text of ['', 'main.main', 'a'.repeat(100), '\uFEFFx', 'x\uFFFDy', 'μs', '漢字', '😀'.repeat(10)]) {
      assert.equal(decodeText(new TextEncoder().encode(text)), text);
      assert.equal(byteLength(text), new TextEncoder().encode(text).length);
    }
  });

  it('escape invalid UTF-8', () => {
    const cases: readonly (readonly [number[], string])[] = [
      [[0xff], '\udcff'],
      [[0x61, 0x80, 0x62], 'a\udc80b'],
      [[0xc0, 0xaf], '\udcc0\udcaf'], // overlong
      [[0xed, 0xa0, 0x80], '\udced\udca0\udc80'], // a surrogate
      [[0xf4, 0x90, 0x80, 0x80], '\udcf4\udc90\udc80\udc80'], // beyond U+10FFFF
      [[0xe2, 0x82], '\udce2\udc82'], // cut
    ];
    for (const [bytes, text] of cases) {
      assert.equal(decodeText(Uint8Array.from(bytes)), text);
      assert.equal(byteLength(text), bytes.length);
    }
  });
});

describe('compareText', () => {
  it('orders as the bytes do', () => {
    fc.assert(
      fc.property(bytesLikeText, bytesLikeText, (a, b) => {
        const got = Math.sign(compareText(decodeText(a), decodeText(b)));
        // Escaped bytes sort among the surrogates, not by their value: after the rest of the BMP and before everything else.
        const valid = [a, b].every(bytes => !/[\udc80-\udcff]/u.test(decodeText(bytes)));
        if (valid) assert.equal(got, Math.sign(Buffer.compare(a, b)));
        assert.equal(got, -Math.sign(compareText(decodeText(b), decodeText(a))) + 0);
      }),
      { numRuns: 2000 },
    );
  });

  it('orders characters beyond the BMP', () => {
    assert.ok(compareText('\uFFFD', '😀') < 0);
    assert.ok('\uFFFD' > '😀', 'by UTF-16 units it is the other way round');
    assert.equal(compareText('a', 'a'), 0);
    assert.ok(compareText('a', 'ab') < 0);
  });
});
