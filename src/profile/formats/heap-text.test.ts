import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { FormatError } from '../../base/errors.ts';
import { encodeText } from '../../base/text.ts';
import type { Profile } from '../profile.ts';
import { readLegacy } from './legacy/legacy.ts';
import { readHeapText, sniffHeapText } from './heap-text.ts';

const capture = (name: string): Uint8Array =>
  readFileSync(new URL(`../../../test/fixtures/captures/heap-text/${name}`, import.meta.url));

/** Each sample's stack as function names, leaf first; inlined functions of one location are joined by `<`. */
function stacks({ samples, locations, functions, strings }: Profile): string[][] {
  const name = (location: number): string => {
    const lines = locations.lines.fn.subarray(locations.lineStart[location], locations.lineStart[location + 1]);
    return Array.from(lines, fn => strings[functions.name[fn]]).join('<') || '?';
  };
  return Array.from({ length: samples.length }, (_, s) =>
    Array.from(samples.stackLocations.subarray(samples.stackStart[s], samples.stackStart[s + 1]), name),
  );
}

const HEADER = 'heap profile: 1: 2 [3: 4] @ heap/2\n';

describe('readHeapText', () => {
  for (const name of ['leaker.txt', 'leakdemo-go1.19-cut.txt', 'leakdemo-go1.27-cut.txt']) {
    it(`reads ${name} with the values of the legacy reader and a name for every frame`, () => {
      const bytes = capture(name);
      assert.ok(sniffHeapText(bytes.subarray(0, 512)));
      const { profile } = readHeapText(bytes);
      const legacy = readLegacy(bytes);
      assert.deepEqual(profile.samples.values, legacy.samples.values);
      assert.deepEqual(profile.samples.labels.num, legacy.samples.labels.num);
      assert.equal(profile.period, legacy.period);
      assert.ok(profile.samples.length > 0);
      for (const stack of stacks(profile)) assert.ok(stack.length > 0 && !stack.includes('?'), stack.join());
    });
  }

  it('hides runtime functions at the leaf and goexit at the root, as Go does', () => {
    const first = stacks(readHeapText(capture('leaker.txt')).profile)[0];
    assert.equal(first[0], 'net/textproto.initCommonHeader');
    assert.equal(first.at(-1), 'net/http.(*conn).serve');
  });

  it('reads file and line, by PC and not by position', () => {
    const rows =
      '1: 8 [1: 8] @ 0x10 0x20 0x30\n#\t0x1f\tmain.a+0x1\t\t/a b/a.go:7\n#\t0x2f\tmain.b[...]+0x2\t/b.go:9\n';
    const { locations, functions, strings } = readHeapText(encodeText(HEADER + rows)).profile;
    assert.deepEqual([...locations.address], [0x1fn, 0x2fn]);
    assert.deepEqual([...locations.lines.line], [7, 9]);
    assert.deepEqual(
      Array.from(functions.filename, i => strings[i]),
      ['/a b/a.go', '/b.go'],
    );
    assert.deepEqual(
      Array.from(functions.name, i => strings[i]),
      ['main.a', 'main.b[...]'],
    );
  });

  it('tells inlined functions from recursion', () => {
    const line = (pc: string, fn: string): string => `#\t0x${pc}\t${fn}+0x1\tf.go:1\n`;
    const inlined = `1: 8 [1: 8] @ 0x20 0x30\n${line('1f', 'inner')}${line('1f', 'outer')}${line('2f', 'main')}\n`;
    const recursive = `1: 8 [1: 8] @ 0x40 0x40 0x30\n${line('3f', 'again')}${line('3f', 'again')}${line('2f', 'main')}\n`;
    assert.deepEqual(stacks(readHeapText(encodeText(HEADER + inlined + recursive)).profile), [
      ['inner<outer', 'main'],
      ['again', 'again', 'main'],
    ]);
  });

  it('keeps frames without symbols when a capture is cut', () => {
    const rows = '1: 8 [1: 8] @ 0x10 0x20 0x30 0x40\n#\t0xf\tmain.a+0x1\tf.go:1\n';
    assert.deepEqual(stacks(readHeapText(encodeText(HEADER + rows)).profile), [['main.a', '?', '?', '?']]);
    const none = '1: 8 [1: 8] @ 0x10 0x20\n';
    assert.deepEqual(stacks(readHeapText(encodeText(HEADER + none)).profile), [['?', '?']]);
  });

  it('reads every field of MemStats', () => {
    const { memStats } = readHeapText(capture('leakdemo-go1.27-cut.txt'));
    assert.ok(memStats !== undefined);
    assert.equal(Object.keys(memStats).length, 27);
    assert.deepEqual(memStats.stack, { inuseBytes: 1441792, sysBytes: 1441792 });
    assert.equal(memStats.totalAllocBytes, 90741760n);
    assert.equal(memStats.lastGcNanos, 1794770359230233684n);
    assert.equal(memStats.pauseNanos?.length, 256);
    assert.equal(memStats.pauseEndNanos?.[0], 1794770356956119284n);
    assert.equal(memStats.gcCpuFraction, 0.13476899296061992);
    assert.equal(memStats.debugGc, false);
    assert.equal(memStats.maxRssBytes, 44032000);
  });

  it('leaves out fields that are missing or cut, and MemStats that is not there', () => {
    const cut = readHeapText(
      encodeText(`${HEADER}\n# runtime.MemStats\n# Alloc = 7\n# NextGC = 18446744073709551615\n# PauseNs = [1 2`),
    );
    assert.deepEqual(cut.memStats, { allocBytes: 7, nextGcBytes: 18446744073709551615n });
    assert.ok(!('memStats' in readHeapText(encodeText(HEADER))));
  });

  it('refuses other text', () => {
    assert.ok(!sniffHeapText(encodeText('goroutine profile: total 1\n')));
    assert.ok(!sniffHeapText(encodeText('heap profile: 1: 2 [3: 4] @ heap_v2/1\n')));
    assert.throws(() => readHeapText(encodeText('goroutine profile: total 1\n')), FormatError);
    assert.throws(() => readHeapText(encodeText(`${HEADER}nonsense\n`)), { name: 'FormatError', line: 2 });
  });

  it('does not keep symbol lines without end', () => {
    const lines = '#\t0x1\tmain.a+0x1\tf.go:1\n'.repeat(200_000);
    const { profile } = readHeapText(encodeText(`${HEADER}1: 8 [1: 8] @ 0x2\n${lines}`));
    assert.equal(profile.functions.length, 1);
  });
});
