import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { assertLinear } from '../../../../test/linear-work.ts';
import fc from 'fast-check';
import { FormatError } from '../../../base/errors.ts';
import { encodeText } from '../../../base/text.ts';
import { withFakeMapping } from '../../pprof/transform/fake-mapping.ts';
import { rawReport } from '../../pprof/reports/raw.ts';
import { STRING_FILES_FOLDER, stringFilePairs } from '../../../../test/conformance/string-files.ts';
import { readLegacy, sniffLegacy } from './legacy.ts';

const FIXTURES = new URL('../../../../test/fixtures/captures/', import.meta.url);

const raw = (text: string): string => rawReport(readLegacy(encodeText(text)));

/** The sample lines of the raw report, without their blanks at both ends. */
function samples(text: string): string[] {
  const lines = raw(text).split('\n');
  return lines.slice(lines.indexOf('Samples:') + 2, lines.indexOf('Locations')).map(line => line.trim());
}

function mappings(entries: string): string[] {
  const lines = raw(`goroutine profile: total 1\n1 @ 0x400101\n--- Memory map: ---\n${entries}`).split('\n');
  return lines.slice(lines.indexOf('Mappings') + 1, -1).map(line => line.trimEnd());
}

function failure(text: string): { message: string; line: number | undefined } {
  try {
    readLegacy(encodeText(text));
  } catch (error) {
    assert.ok(error instanceof FormatError, String(error));
    return { message: error.message, line: error.line };
  }
  return assert.fail('read without an error');
}

describe('readLegacy', () => {
  const skip = !existsSync(STRING_FILES_FOLDER) && "google/pprof's profile/testdata is not here";
  it("prints google/pprof's legacy profiles as its own .string files", { skip }, async () => {
    const pairs = await stringFilePairs();
    assert.equal(pairs.length, 14);
    assert.deepEqual(
      pairs.filter(({ passed }) => !passed),
      [],
    );
  });

  // X.raw is what `go tool pprof -raw -symbolize=none X.txt` prints.
  for (const folder of ['heap-text', 'contention-text', 'count-text']) {
    for (const name of readdirSync(new URL(`${folder}/`, FIXTURES)).filter(name => name.endsWith('.raw'))) {
      it(`prints ${folder}/${name}`, () => {
        const bytes = readFileSync(new URL(`${folder}/${name.replace('.raw', '.txt')}`, FIXTURES));
        const want = readFileSync(new URL(`${folder}/${name}`, FIXTURES), 'utf8');
        assert.equal(rawReport(withFakeMapping(readLegacy(bytes))), want);
      });
    }
  }

  it('says what pprof says, and where', () => {
    const heap = 'heap profile: 1: 2 [3: 4] @ heap/8\n';
    const cases: [text: string, message: string, line: number][] = [
      ['', 'unrecognized profile format', 1],
      ['hello\nworld\n', 'unrecognized profile format', 1],
      ['goroutine profile: total 1\n1 @\n', 'malformed profile format', 2],
      ['# note\n\nx profile: total 1\n1 @ 0x1\n08 @ 0x1\n', 'malformed profile format', 5],
      [`${heap}nonsense\n`, 'unexpected number of sample values: got 0, want 6', 2],
      [`${heap}\n0: 5 [1: 5] @ 0x1\n`, 'inuse count was 0 but inuse bytes was 5', 3],
      [
        `${heap}1: 5 [1: 5] @ 0x12345678901234567\n`,
        'malformed sample: 1: 5 [1: 5] @ 0x12345678901234567: failed to parse as hex 64-bit number: 0x12345678901234567',
        2,
      ],
      [
        `${heap}1: 5 [1: 9223372036854775808] @\n`,
        'malformed sample: 1: 5 [1: 9223372036854775808] @: strconv.ParseInt: parsing "9223372036854775808": value out of range',
        2,
      ],
      ['--- mutex:\ncycles/second=1\nwhat is this\n', 'unrecognized profile format', 3],
      ['--- heapz 1 ---\nformat = java\n1 1 @ 0x1\n', 'missing sample type information', 1],
      [
        `${heap}1: 5 [1: 5] @ 0x12345678901234567 ${'0x1 '.repeat(5000)}\x1b[31m\n`,
        `malformed sample: ${`1: 5 [1: 5] @ 0x12345678901234567 ${'0x1 '.repeat(50)}`.slice(0, 160)}...: failed to parse as hex 64-bit number: 0x12345678901234567`,
        2,
      ],
      [
        `${heap}1: 5 [1: 5] @ 0x12345678901234567\x1b[31m\n`,
        'malformed sample: 1: 5 [1: 5] @ 0x12345678901234567?[31m: failed to parse as hex 64-bit number: 0x12345678901234567',
        2,
      ],
      [`${heap}${'1'.repeat(65536)}\n`, 'bufio.Scanner: token too long', 2],
    ];
    for (const [text, message, line] of cases) {
      assert.deepEqual(failure(text), { message, line }, text.slice(0, 80));
    }
  });

  it('reads lines of 65535 bytes and no longer', () => {
    const row = (bytes: number): string => `1 @ 0x${'1'.padStart(bytes - 6, '0')}`;
    assert.equal(readLegacy(encodeText(`t profile: total 1\n${row(65535)}\n`)).samples.length, 1);
    assert.equal(failure(`t profile: total 1\n${row(65536)}\n`).message, 'bufio.Scanner: token too long');
  });

  it('subtracts 1 from every address of a Go row, and wraps at 0', () => {
    const { locations } = readLegacy(encodeText('goroutine profile: total 1\n1 @ 0x10 0x0 0x8000000000000000\n'));
    assert.deepEqual([...locations.address], [0xfn, 0xffffffffffffffffn, 0x7fffffffffffffffn]);
  });

  it('scales sampled heap values and leaves the rest alone', () => {
    const row = '10: 10240 [20: 20480] @ 0x1\n';
    const scaled = samples(`heap profile: 1: 2 [3: 4] @ heap/1048576\n${row}`);
    assert.deepEqual(scaled, ['10250   10496003       5125    5248001: 1', 'bytes:[1024]']);
    // Go writes twice its rate.
    assert.deepEqual(samples(`heap profile: 1: 2 [3: 4] @ heap_v2/524288\n${row}`), scaled);
    assert.deepEqual(samples(`heap profile: 1: 2 [1: 2] @ heapprofile\n${row}`), ['10      10240: 1', 'bytes:[1024]']);
    assert.deepEqual(samples(`heap profile: 1: 2 [3: 4] @ growthz\n${row}`), ['10      10240: 1', 'bytes:[1024]']);
  });

  it('keeps values of 64 bits', () => {
    const big = '9223372036854775807';
    assert.deepEqual(samples(`heap profile: 1: 2 [1: 2] @ heapprofile\n1: ${big} [0: 0] @ 0x1\n`), [
      `1 ${big}: 1`,
      `bytes:[${big}]`,
    ]);
    assert.deepEqual(samples(`x profile: total 1\n${big} @ 0x1\n`), [`${big}: 1`]);
  });

  it('splits a lone number of a contention row as pprof does', () => {
    assert.deepEqual(samples('--- contention:\n123 @ 0x1\n'), ['3         12: 1']);
  });

  it('counts a thread that is the same as the one before', () => {
    const thread = (id: number): string => `--- Thread ${id} (name: t/${id}) stack: ---\n`;
    const text = `--- threadz 1 ---\n\n${thread(1)}  0x10 0x20\n${thread(2)}  [same as previous thread]\n--- Memory map: ---\n`;
    assert.deepEqual(samples(text), ['2: 1 2']);
  });

  it('reads the binary CPU profile in four layouts', () => {
    const words = [0, 3, 0, 10000, 0, 5, 2, 0x10, 0x20, 0, 1, 0];
    for (const size of [4, 8]) {
      for (const little of [true, false]) {
        const view = new DataView(new ArrayBuffer(words.length * size));
        words.forEach((word, i) => {
          if (size === 4) view.setUint32(i * 4, word, little);
          else view.setBigUint64(i * 8, BigInt(word), little);
        });
        const profile = readLegacy(new Uint8Array(view.buffer));
        assert.deepEqual([...profile.samples.values[1]], [50_000_000]);
        // The frame that all samples share above the leaf is the signal handler's.
        assert.deepEqual([...profile.locations.address], [0x10n]);
      }
    }
  });

  it('reads both layouts of a memory map', () => {
    assert.deepEqual(mappings('00400000-00500000 r-xp 00000000 08:01 12     /bin/demo\n'), [
      '1: 0x400000/0x500000/0x0 /bin/demo',
    ]);
    assert.deepEqual(mappings('0x400000-0x500000: /bin/demo (@100) abc12\n'), [
      '1: 0x400000/0x500000/0x100 /bin/demo abc12',
    ]);
    assert.deepEqual(mappings('bin=/bin/demo\nI0101 a.cc:7] 400000-500000: $bin\n'), [
      '1: 0x400000/0x500000/0x0 /bin/demo',
    ]);
    assert.deepEqual(mappings('400000-500000 rw-p 0 08:01 1 /bin/data\n'), ['1: 0x0/0xffffffffffffffff/0x0']);
  });

  it('merges neighbours and puts the program first', () => {
    assert.deepEqual(
      mappings(
        '1000-2000 r-xp 0 8:1 1 /lib/a.so.6\n400000-401000 r-xp 0 8:1 1 /bin/x\n401000-402000 r-xp 1000 8:1 1 /bin/x\n',
      ),
      ['1: 0x400000/0x402000/0x0 /bin/x', '2: 0x1000/0x2000/0x0 /lib/a.so.6'],
    );
    assert.deepEqual(mappings('400200-500000 r-xp 200 8:1 1 /bin/x\n'), ['1: 0x400000/0x500000/0x0 /bin/x']);
  });

  it('stops when attributes would grow without bound', () => {
    const bomb = `=${'x'.repeat(60000)}\n${'$'.repeat(60000)}\n`;
    const text = `x profile: total 1\n1 @ 0x1\nMAPPED_LIBRARIES:\n${bomb}`.replace('MAPPED', '---\nMAPPED');
    assert.match(failure(text).message, /too much work/);
  });

  it('takes time in proportion to hostile input', () => {
    assertLinear(4_000, length => {
      const digits = '1'.repeat(length);
      const rows = `${digits} 1: 2 [3: 4] @ 0x1\n`.repeat(50);
      const maps = `${digits}\n1-2${' '.repeat(length)}!\n${':1'.repeat(length / 2)}\n`.repeat(50);
      const bytes = encodeText(`heap profile: 1: 2 [3: 4] @ heap/2\n${rows}--- Memory map: ---\n${maps}`);
      return () => readLegacy(bytes);
    });
  });

  it('finds mappings among many', () => {
    const count = 20_000;
    const rows = Array.from({ length: count }, (_, i) => `1 @ 0x${(i * 4096 + 6).toString(16)}\n`).join('');
    const maps = Array.from(
      { length: count },
      (_, i) => `${(i * 8192 + 4096).toString(16)}-${(i * 8192 + 8192).toString(16)} r-xp 1000 8:1 1 /f${i}\n`,
    ).join('');
    const profile = readLegacy(encodeText(`x profile: total 1\n${rows}--- Memory map: ---\n${maps}`));
    // The odd pages are mapped, the even ones are the part before that the file offset tells of.
    for (let i = 0; i < count; i++) assert.equal(profile.mappings[profile.locations.mapping[i]].file, `/f${i >> 1}`);
  });
});

describe('generated text', () => {
  const address = fc.bigInt({ min: 1n, max: (1n << 64n) - 1n });
  const stack = fc.array(address, { minLength: 1, maxLength: 8 });
  const hex = (addresses: readonly bigint[]): string => addresses.map(value => ` 0x${value.toString(16)}`).join('');
  const stackOf = (profile: ReturnType<typeof readLegacy>, s: number): bigint[] => {
    const { stackStart, stackLocations } = profile.samples;
    const part = stackLocations.subarray(stackStart[s], stackStart[s + 1]);
    return Array.from(part, location => profile.locations.address[location] + 1n);
  };

  it('of count profiles reads back', () => {
    const row = fc.tuple(fc.bigInt({ min: 1n, max: (1n << 63n) - 1n }), stack);
    fc.assert(
      fc.property(fc.array(row), rows => {
        const text = rows.map(([count, pcs]) => `${count} @${hex(pcs)}\n#\t0x1\tmain.f+0x1\tf.go:1\n\n`).join('');
        const profile = readLegacy(encodeText(`goroutine profile: total 1\n${text}`));
        assert.equal(profile.samples.length, rows.length);
        rows.forEach(([count, pcs], s) => {
          assert.equal(BigInt(profile.samples.values[0][s]), count);
          assert.deepEqual(stackOf(profile, s), pcs);
        });
      }),
    );
  });

  it('of heap profiles reads back', () => {
    const amount = fc.integer({ min: 1, max: 2 ** 31 });
    const row = fc.tuple(amount, amount, amount, amount, stack);
    fc.assert(
      fc.property(fc.array(row), rows => {
        const text = rows.map(([n, b, an, ab, pcs]) => `${n}: ${b} [${an}: ${ab}] @${hex(pcs)}\n`).join('');
        const profile = readLegacy(encodeText(`heap profile: 1: 2 [3: 4] @ heap/2\n${text}`));
        rows.forEach(([n, b, an, ab, pcs], s) => {
          assert.deepEqual(
            profile.samples.values.map(column => Number(column[s])),
            [an, ab, n, b],
          );
          assert.equal(Number(profile.samples.labels.num[s]), Math.floor(b / n));
          assert.deepEqual(stackOf(profile, s), pcs);
        });
      }),
    );
  });

  it('of any kind gives a profile or a FormatError', () => {
    const heads = [
      'heap profile: 1: 2 [3: 4] @ heap/8\n',
      'x profile: total 1\n',
      '--- mutex:\n',
      '--- threadz 1 ---\n',
    ];
    const piece = fc.constantFrom(
      '1',
      ' ',
      ': ',
      '[',
      '] @',
      ' @ 0x1',
      '0x',
      '-',
      '\n',
      '---',
      'MAPPED_LIBRARIES:\n',
      '=',
      '$',
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...heads, ''),
        fc.array(fc.oneof(piece, fc.string()), { maxLength: 60 }),
        (head, rest) => {
          try {
            rawReport(readLegacy(encodeText(head + rest.join(''))));
          } catch (error) {
            if (!(error instanceof FormatError)) throw error;
          }
        },
      ),
    );
  });
});

it('knows every title, also below comments', () => {
  for (const title of [
    'heap profile: 1: 2 [3: 4] @ heapz_v2/524288',
    'log: heap profile: 1: 2 [3: 4] @ growthz',
    '--- contentionz 1 ---',
    '--- mutex:',
    '--- heapz 1 ---',
    '--- threadz 1 ---',
    '--- Thread 7f (name: main/1) stack: ---',
    'goroutine profile: total 5',
    '# a comment\n\ngoroutine profile: total 5',
  ]) {
    assert.ok(sniffLegacy(encodeText(`${title}\n`)), title);
  }
  for (const words of [Uint32Array.of(0, 3, 0, 100, 0), BigUint64Array.of(0n, 3n, 1n, 100n, 0n)]) {
    assert.ok(sniffLegacy(new Uint8Array(words.buffer)));
  }
});

it('knows nothing else', () => {
  for (const text of ['', '\n\n', '# only a comment\n', 'a;b 1\n', 'goroutine 1 [running]:\n', 'x'.repeat(70_000)]) {
    assert.ok(!sniffLegacy(encodeText(text)), text.slice(0, 40));
  }
  assert.ok(!sniffLegacy(new Uint8Array(40)));
});
