import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { assertLinear } from '../../../test/linear-work.ts';
import { FormatError } from '../../base/errors.ts';
import { concatBytes, encodeText } from '../../base/text.ts';
import { ProfileBuilder } from '../../profile/profile-builder.ts';
import { writeFolded } from '../../profile/formats/write-folded.ts';
import { encodeProfile } from '../../profile/formats/pprof/encode.ts';
import { readAny } from './read.ts';

const CAPTURES = fileURLToPath(new URL('../../../test/fixtures/captures/', import.meta.url));

describe('readAny', () => {
  it('tells every format by its content', () => {
    for (const [path, format] of [
      ['leakdemo/go1.27/t3/goroutine.debug1.txt', 'debug1'],
      ['leakdemo/go1.27/t3/goroutine.debug2.txt', 'debug2'],
      ['sigquit/containerd-go1.19.8.txt', 'debug2'],
      ['heap-text/leaker.txt', 'heap-text'],
      ['contention-text/mutex-go1.27.txt', 'contention-text'],
    ] as const) {
      assert.equal(readAny(readFileSync(CAPTURES + path)).format, format, path);
    }
    assert.equal(readAny(gunzipSync(readFileSync(`${CAPTURES}leakdemo/go1.27/t3/heap.debug0.pb.gz`))).format, 'pprof');
    assert.equal(readAny(readFileSync(`${CAPTURES}heap-text/leaker.txt`), { textSymbols: 'none' }).format, 'legacy');
    assert.equal(readAny(encodeText('a;b 1\n')).format, 'folded');
  });

  it('reads folded stacks whose lines are longer than pprof could take', () => {
    const b = new ProfileBuilder([{ type: 'samples', unit: 'count' }]);
    const at = b.addLocation({ lines: [{ fn: b.internFunction('main.deep', '') }] });
    b.addSample([at], [1]);
    b.addSample(new Array<number>(20_000).fill(at), [2]);
    const { format, profile } = readAny(writeFolded(b.finish()));
    assert.equal(format, 'folded');
    assert.deepEqual([profile.samples.length, profile.samples.stackLocations.length], [2, 20_001]);
  });

  it('says what to do with gzip, which it does not undo', () => {
    const gzipped = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0x4b, 0x04, 0);
    assert.throws(() => readAny(gzipped), /^FormatError: .*it is gzip; decompress it first$/);
  });

  it('says where it gave up', () => {
    for (const [text, want] of [
      ['', /^empty input file at byte 0$/],
      ['nothing of ours\n', /^unrecognized profile format( at .*)?$/],
      [`goroutine profile: total 1\n${'1'.repeat(70_000)} @ 0x1\n`, /./],
    ] as const) {
      assert.throws(
        () => readAny(encodeText(text), { textSymbols: 'none' }),
        (error: unknown) => error instanceof FormatError && want.test(error.describe()),
      );
    }
  });
});

describe('pathological sizes', () => {
  const MANY = 10_000;
  const b = (): ProfileBuilder => new ProfileBuilder([{ type: 'x', unit: 'count' }]);

  it('a location of very many lines', () => {
    assertLinear(MANY, count => {
      const builder = b();
      const fn = builder.internFunction('f', '');
      const lines = Array.from({ length: count }, (_, line) => ({ fn, line }));
      builder.addSample([builder.addLocation({ lines })], [1]);
      const bytes = encodeProfile(builder.finish());
      assert.equal(readAny(bytes).profile.locations.lines.length, count);
      return () => readAny(bytes);
    });
  });

  it('a sample of very many labels', () => {
    assertLinear(MANY, count => {
      const builder = b();
      const labels = Array.from({ length: count }, (_, i) => ({ key: `k${i}`, str: 'v' }));
      builder.addSample([builder.addLocation({})], [1], labels);
      const bytes = encodeProfile(builder.finish());
      assert.equal(readAny(bytes).profile.samples.labels.length, count);
      return () => readAny(bytes);
    });
  });

  it('a stack of very many frames', () => {
    assertLinear(MANY, count => {
      const builder = b();
      builder.addSample(new Array<number>(count).fill(builder.addLocation({ address: 1n })), [1]);
      const bytes = encodeProfile(builder.finish());
      assert.equal(readAny(bytes).profile.samples.stackLocations.length, count);
      return () => readAny(bytes);
    });
  });

  it('very many empty fields', () => {
    const empty = Uint8Array.of(0x32, 0); // an empty string
    assertLinear(MANY, count => {
      const bytes = concatBytes([Uint8Array.of(0x0a, 0), ...Array.from({ length: count }, () => empty)]);
      assert.equal(readAny(bytes).profile.strings.length, count);
      return () => readAny(bytes);
    });
  });
});
