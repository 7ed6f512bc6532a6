/** One leaking program, built with every Go release: what is known to be in it must come out of every format. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { encodeText } from '../../../base/text.ts';
import { goroutineCount, goroutineFlags, type GoroutineDump } from '../../goroutine-dump.ts';
import { readDebug1 } from './debug1.ts';
import { readDebug2 } from './debug2.ts';
import { plainGoroutines } from '../../../../test/fuzz/plain-goroutines.ts';
import { sniffDebug1, sniffDebug2 } from './sniff.ts';

const captures = fileURLToPath(new URL('../../../../test/fixtures/captures/', import.meta.url));
const read = (path: string): Uint8Array => readFileSync(captures + path);

/** Goroutines of the program by the function they hang in, at t3. */
const leaked: Readonly<Record<string, number>> = {
  'main.(*listener).pop': 150,
  'main.(*listener).run': 150,
  'main.leakSend.func1': 50,
  'main.leakRecv.func1': 54,
  'main.leakSelect.func1': 50,
  'main.leakNil.func1': 4,
  'main.leakMutex.func1': 4,
  'main.leakRW.func1': 4,
  'main.leakWG.func1': 4,
  'main.leakCond.func1': 4,
  'main.leakEmpty.func1': 4,
};

const releases = ['go1.19', 'go1.23', 'go1.26', 'go1.26-leakexp-labels', 'go1.27'];
const clusters = ['lc0', 'lc1', 'lc2', 'lc3', 'lc4', 'lc5', 'lc6', 'lc7', 'lc8', 'lc9', 'lc10', 'lc11'];
const oddLabel = ['odd key', 'va"l, {ue}\né'];

function countByFunction(dump: GoroutineDump): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { stack, count } of plainGoroutines(dump)) {
    for (const fn of new Set(stack.map(frame => frame.fn))) {
      if (fn in leaked) counts[fn] = (counts[fn] ?? 0) + count;
    }
  }
  return counts;
}

function countByLabel(dump: GoroutineDump): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { labels, count } of plainGoroutines(dump)) {
    for (const [key, value] of labels) {
      if (key !== 'controller') counts.set(`${key}=${value}`, (counts.get(`${key}=${value}`) ?? 0) + count);
    }
  }
  return counts;
}

function checkLabels(dump: GoroutineDump): void {
  const counts = countByLabel(dump);
  assert.equal(counts.get(oddLabel.join('=')), 4);
  // Round r adds three clusters with 5 (r + 1) handlers of two goroutines each.
  for (const [i, cluster] of clusters.entries()) {
    assert.equal(counts.get(`logicalcluster=${cluster}`), 10 * (Math.floor(i / 3) + 1), cluster);
  }
  assert.equal(counts.size, clusters.length + 1);
}

function checkWhole(dump: GoroutineDump): void {
  assert.equal(goroutineCount(dump), 485);
  assert.equal(dump.problemCount, 0);
  assert.equal(dump.truncated, undefined);
  assert.deepEqual(countByFunction(dump), leaked);
  assert.equal(
    Object.values(countByFunction(dump)).reduce((sum, count) => sum + count),
    478,
  );
}

for (const release of releases) {
  test(`${release}: debug=1`, () => {
    const bytes = read(`leakdemo/${release}/t3/goroutine.debug1.txt`);
    assert.ok(sniffDebug1(bytes.subarray(0, 512)));
    assert.ok(!sniffDebug2(bytes.subarray(0, 512)));
    const dump = readDebug1(bytes);
    checkWhole(dump);
    checkLabels(dump);
    assert.deepEqual(dump.sections, [{ firstRow: 0, name: 'goroutine', declaredTotal: 485 }]);
    assert.equal(dump.stacks.pcStart[dump.stacks.length], dump.stacks.pcs.length);
  });

  test(`${release}: debug=2`, () => {
    const bytes = read(`leakdemo/${release}/t3/goroutine.debug2.txt`);
    assert.ok(sniffDebug2(bytes.subarray(0, 512)));
    assert.ok(!sniffDebug1(bytes.subarray(0, 512)));
    const dump = readDebug2(bytes);
    checkWhole(dump);
    // With CRLF no frame is ever guessed from the one above.
    const crlf = new TextDecoder().decode(bytes).replaceAll('\n', '\r\n');
    assert.deepEqual(plainGoroutines(readDebug2(encodeText(crlf))), plainGoroutines(dump));
    assert.equal(dump.goroutines.length, 485);
    assert.equal(dump.sections.length, 1);
    if (release === 'go1.27' || release === 'go1.26-leakexp-labels') checkLabels(dump);
    const deep = dump.goroutines.stack[plainGoroutines(dump).findIndex(g => g.stack[0].fn === 'main.deep')];
    const depth = dump.stacks.frameStart[deep + 1] - dump.stacks.frameStart[deep];
    // Go 1.19 stops at 100 frames, three of them hidden, and in this case does not say so.
    const expected = release === 'go1.19' ? [97, -1, 0, 0] : [100, 50, 81, 1];
    const elided = dump.goroutines.flags.filter(flags => (flags & goroutineFlags.framesElided) !== 0).length;
    assert.deepEqual([depth, dump.stacks.elidedAt[deep], dump.stacks.elidedFrames[deep], elided], expected);
    const locked = plainGoroutines(dump).filter(g => g.flags.includes('lockedToThread'));
    assert.deepEqual(
      locked.map(g => [g.state, g.creator?.fn, g.creatorGoroutine]),
      [['chan receive', 'main.main', release === 'go1.19' ? -1 : 1]],
    );
  });

  test(`${release}: threadcreate debug=1`, () => {
    const dump = readDebug1(read(`leakdemo/${release}/t3/threadcreate.debug1.txt`));
    assert.equal(dump.sections[0].name, 'threadcreate');
    assert.equal(goroutineCount(dump), 7);
    assert.equal(dump.problemCount, 0);
  });
}

test("the runtime's own leak profile marks what it found", () => {
  for (const [release, found] of [
    ['go1.27', 177],
    ['go1.26-leakexp-labels', 174],
  ] as const) {
    const rows = readDebug1(read(`leakdemo/${release}/t3/goroutineleak.debug1.txt`));
    assert.equal(rows.sections[0].name, 'goroutineleak');
    assert.equal(goroutineCount(rows), found);
    const dump = readDebug2(read(`leakdemo/${release}/t3/goroutineleak.debug2.txt`));
    checkWhole(dump);
    checkLabels(dump);
    assert.equal(plainGoroutines(dump).filter(g => g.flags.includes('leaked')).length, found);
    assert.ok(plainGoroutines(dump).every(g => !g.state.includes('leaked')));
  }
});

test('wait times are read', () => {
  const dump = readDebug2(read('leakdemo/go1.27/t_wait/goroutine.debug2.txt'));
  checkWhole(dump);
  checkLabels(dump);
  const waiting = plainGoroutines(dump).filter(g => g.waitMinutes >= 0);
  assert.ok(waiting.length > 200);
  assert.ok(waiting.every(g => g.waitMinutes >= 1 && g.waitMinutes < 60));
});

test('a SIGQUIT dump has the goroutines of the program and of the runtime', () => {
  const dump = readDebug2(read('leakdemo/go1.27/sigquit.txt'));
  assert.equal(dump.problemCount, 0);
  assert.equal(dump.truncated, undefined);
  assert.deepEqual(countByFunction(dump), leaked);
  checkLabels(dump);
  assert.equal(dump.goroutines.length, 494);
  assert.equal(dump.goroutines.id[0], 0);
  assert.deepEqual([dump.goroutines.threads?.gp[0], dump.goroutines.threads?.m[0]], [0x6883c0n, 0]);
  assert.equal(dump.goroutines.threads?.mp[0], 0x689180n);
  assert.deepEqual([dump.goroutines.threads?.gp[1], dump.goroutines.threads?.m[1]], [0x3f4e245d41e0n, -1]);
  const [first] = plainGoroutines(dump);
  assert.deepEqual(first.stack[0], {
    fn: 'runtime.futex',
    file: '/usr/local/go/src/runtime/sys_linux_amd64.s',
    line: 575,
    inlined: false,
  });
  assert.ok(first.stack.some(frame => frame.fn === 'runtime.mPark' && frame.inlined));
});

test('fatal dumps of other programs', () => {
  for (const [file, goroutines] of [
    ['containerd-go1.19.8', 28],
    ['kubectl-get-go1.23.all', 13],
    ['tsc7-lsp-go1.26.system', 14],
    ['lefthook-go1.27.all', 17],
  ] as const) {
    const bytes = read(`sigquit/${file}.txt`);
    const dump = readDebug2(bytes);
    assert.equal(dump.goroutines.length, goroutines, file);
    assert.equal(new TextDecoder().decode(bytes).match(/^goroutine \d+ /gm)?.length, goroutines);
    assert.equal(dump.problemCount, 0);
    assert.equal(dump.truncated, undefined);
  }
});

test("goleak's dumps", t => {
  const folder = fileURLToPath(
    new URL('../../../../../shared/conformance/uber-go-goleak/internal/stack/testdata/', import.meta.url),
  );
  if (!existsSync(folder)) {
    t.skip('../shared/conformance is not here');
    return;
  }
  for (const file of ['http.txt', 'http.go1.20.txt', 'http.tracebackancestors.txt']) {
    const dump = readDebug2(readFileSync(folder + file));
    assert.equal(dump.goroutines.length, 5, file);
    assert.equal(dump.problemCount, 0, file);
    assert.equal(dump.truncated, undefined, file);
    assert.equal(dump.goroutines.flags.filter(flags => (flags & goroutineFlags.damaged) !== 0).length, 0);
    assert.equal(dump.ancestors.length > 0, file.includes('ancestors'));
  }
});
