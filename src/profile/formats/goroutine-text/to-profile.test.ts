import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { encodeText } from '../../../base/text.ts';
import type { Profile } from '../../profile.ts';
import { decodeProfile } from '../pprof/decode.ts';
import { readDebug1 } from './debug1.ts';
import { readDebug2 } from './debug2.ts';
import { goroutineDumpToProfile, alignPcs } from './to-profile.ts';

const captures = fileURLToPath(new URL('../../../../test/fixtures/captures/leakdemo/', import.meta.url));
const read = (path: string): Uint8Array => readFileSync(captures + path);

/** One line per sample: its value, labels and locations. */
function samplesOf(profile: Profile, location: (lines: string, address: bigint) => string): string[] {
  const { samples, locations, functions, strings } = profile;
  const texts = Array.from({ length: locations.length }, (_, i) => {
    const lines: string[] = [];
    for (let k = locations.lineStart[i]; k < locations.lineStart[i + 1]; k++) {
      const fn = locations.lines.fn[k];
      // The text formats shorten type arguments.
      const name = strings[functions.name[fn]].replace(/\[.*\]/, '[...]');
      lines.push(`${name} ${strings[functions.filename[fn]]}:${locations.lines.line[k]}`);
    }
    return location(lines.join(' < '), locations.address[i]);
  });
  return Array.from({ length: samples.length }, (_, i) => {
    const stack = samples.stackLocations.subarray(samples.stackStart[i], samples.stackStart[i + 1]);
    const labels: string[] = [];
    for (let k = samples.labelStart[i]; k < samples.labelStart[i + 1]; k++) {
      const { key, str, num, unit } = samples.labels;
      labels.push(`${strings[key[k]]}=${str[k] === 0 ? `${num[k]} ${strings[unit[k]]}` : strings[str[k]]}`);
    }
    const stackText = Array.from(stack, s => texts[s]).filter(line => line !== '');
    return `${samples.values[0][i]} ${labels.sort().join()} ${stackText.join(' | ')}`;
  });
}

for (const release of ['go1.19', 'go1.23', 'go1.26', 'go1.26-leakexp-labels', 'go1.27']) {
  test(`${release}: debug=1 is debug=0 but for the names of hidden runtime frames`, () => {
    const binary = decodeProfile(gunzipSync(read(`${release}/t3/goroutine.debug0.pb.gz`)));
    const text = goroutineDumpToProfile(readDebug1(read(`${release}/t3/goroutine.debug1.txt`)));
    assert.deepEqual(text.sampleTypes, binary.sampleTypes);
    assert.deepEqual(text.periodType, binary.periodType);
    assert.equal(text.period, binary.period);
    // Inlined calls must be joined in the same way, so a line stands for a location; recursion is cut at other depths.
    const named = new Set(text.strings);
    const isNamed = (line: string): boolean => named.has(line.slice(0, line.indexOf(' ')));
    const visible = (lines: string): string => lines.split(' < ').filter(isNamed).join(' < ');
    // The goroutine that writes the profile is in another call when it writes the other format.
    const comparable = (profile: Profile): string[] =>
      samplesOf(profile, visible)
        .filter(line => !line.includes('runtime/pprof.') && !line.includes('main.deep'))
        .sort();
    assert.ok(comparable(text).length > 30);
    assert.deepEqual(comparable(text), comparable(binary));
  });
}

test('threadcreate and goroutineleak', () => {
  for (const profile of ['threadcreate', 'goroutineleak']) {
    const binary = decodeProfile(gunzipSync(read(`go1.27/t3/${profile}.debug0.pb.gz`)));
    const text = goroutineDumpToProfile(readDebug1(read(`go1.27/t3/${profile}.debug1.txt`)));
    assert.deepEqual(text.sampleTypes, [{ type: profile, unit: 'count' }]);
    const values = (p: Profile): string[] => samplesOf(p, () => '');
    assert.deepEqual(values(text).sort(), values(binary).sort());
  }
});

test('debug=2: state, wait, creator and leak status are labels, equal goroutines one sample', () => {
  const block = (id: number, attributes: string): string =>
    `goroutine ${id} [${attributes}:\nmain.f(...)\n\t/m.go:1\nmain.g(0x${id})\n\t/m.go:2 +0x1\nmain.g(0x${id})\n\t/m.go:2 +0x1\n` +
    'created by main.main in goroutine 1\n\t/m.go:3 +0x1\n\n';
  const profile = goroutineDumpToProfile(
    readDebug2(
      encodeText(
        block(2, 'select, 3 minutes] {a: b}') +
          block(3, 'select, 3 minutes] {a: b}') +
          block(4, 'select, 4 minutes] {a: b}') +
          block(5, 'chan send (leaked)]') +
          'goroutine 1 [running]:\nmain.main()\n\t/m.go:9 +0x1\n',
      ),
    ),
    { timeNanos: 5n },
  );
  assert.deepEqual(profile.sampleTypes, [{ type: 'goroutine', unit: 'count' }]);
  assert.equal(profile.timeNanos, 5n);
  const stack = 'main.f /m.go:1 < main.g /m.go:2 | main.g /m.go:2';
  assert.deepEqual(
    samplesOf(profile, lines => lines),
    [
      `2 a=b,creator=main.main,state=select,wait_minutes=3 minutes ${stack}`,
      `1 a=b,creator=main.main,state=select,wait_minutes=4 minutes ${stack}`,
      `1 creator=main.main,leaked=true,state=chan send ${stack}`,
      '1 state=running main.main /m.go:9',
    ],
  );
});

test('debug=2 has the goroutines of debug=0 by function', () => {
  for (const release of ['go1.19', 'go1.27']) {
    const count = (profile: Profile, fn: string): number => {
      let total = 0;
      for (const line of samplesOf(profile, lines => lines)) {
        if (line.includes(` ${fn} `)) total += Number.parseInt(line, 10);
      }
      return total;
    };
    const binary = decodeProfile(gunzipSync(read(`${release}/t3/goroutine.debug0.pb.gz`)));
    const text = goroutineDumpToProfile(readDebug2(read(`${release}/t3/goroutine.debug2.txt`)));
    for (const fn of ['main.(*listener).pop', 'main.leakRecv.func1', 'main.leakWG.func1', 'sync.(*Mutex).Lock']) {
      assert.ok(count(text, fn) > 0);
      assert.equal(count(text, fn), count(binary, fn), fn);
    }
  }
});

test('pcs are joined with frames', () => {
  const frame = (pc: bigint, offset: number, name: string) => ({ pc, offset, name });
  const pcs = BigUint64Array.of(10n, 20n, 21n, 30n, 30n, 99n);
  // 20 and 21 lie in one function: b is inlined into c. 30 is recursion.
  const frames = [frame(19n, 9, 'b'), frame(20n, 10, 'c'), frame(29n, 1, 'd'), frame(29n, 1, 'd')];
  assert.deepEqual(alignPcs(pcs, frames), [
    { address: 9n, frames: [] },
    { address: 19n, frames: [0, 1] },
    { address: 29n, frames: [2] },
    { address: 29n, frames: [3] },
  ]);
  // Several lines for one pc: inlined calls that share it.
  const shared = [frame(29n, 1, 'x'), frame(29n, 1, 'y')];
  assert.deepEqual(alignPcs(BigUint64Array.of(30n, 99n), shared), [{ address: 29n, frames: [0, 1] }]);
  assert.deepEqual(alignPcs(BigUint64Array.of(0n, 5n), []), [
    { address: 2n ** 64n - 1n, frames: [] },
    { address: 4n, frames: [] },
  ]);
  // A frame whose pc is not in the row is kept.
  assert.deepEqual(alignPcs(new BigUint64Array(0), [frame(7n, 1, 'z')]), [{ address: 7n, frames: [0] }]);
});
