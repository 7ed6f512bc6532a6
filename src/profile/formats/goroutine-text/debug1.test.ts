import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FormatError } from '../../../base/errors.ts';
import { encodeText } from '../../../base/text.ts';
import { goroutineCount, type GoroutineDump } from '../../goroutine-dump.ts';
import { readDebug1 } from './debug1.ts';
import { plainGoroutines } from '../../../../test/fuzz/plain-goroutines.ts';
import { sniffDebug1 } from './sniff.ts';

const read = (text: string): GoroutineDump => readDebug1(encodeText(text));

const sample = `goroutine profile: total 23
20 @ 0x438b96 0x4062db 0x4eb13e 0x464ec1
# labels: {"controller":"kcp-kube-quota", "odd \\"key\\"":"{\\u00e9, \\x01\\a}"}
#	0x4eb13d	main.(*listener).pop+0x1d		/src/my app/main.go:22

2 @ 0x438b96 0x7fffffffffffffff
#	0x7ffffffffffffffe

1 @ 0x49a054 0x49a041 0x464ec1
#	0x49a053	internal/poll.(*pollDesc).waitRead+0x233	C:/go/fd.go:89
#	0x49a040	go.(*struct { sync.Mutex }).Lock+0x220		C:/go/fd.go:614

`;

test('reads rows, labels, pcs and frames', () => {
  const dump = read(sample);
  const rows = plainGoroutines(dump);
  assert.deepEqual(dump.sections, [{ firstRow: 0, name: 'goroutine', declaredTotal: 23 }]);
  assert.deepEqual(
    rows.map(row => [row.count, row.id, row.state, row.waitMinutes]),
    [
      [20, -1, '', -1],
      [2, -1, '', -1],
      [1, -1, '', -1],
    ],
  );
  assert.deepEqual(rows[0].labels, [
    ['controller', 'kcp-kube-quota'],
    ['odd "key"', '{é, \x01\x07}'],
  ]);
  assert.deepEqual(rows[0].stack, [
    { fn: 'main.(*listener).pop', file: '/src/my app/main.go', line: 22, inlined: false },
  ]);
  assert.equal(rows[2].stack[1].fn, 'go.(*struct { sync.Mutex }).Lock');
  const { pcs, pcStart } = dump.stacks;
  assert.deepEqual(Array.from(pcs.subarray(pcStart[1], pcStart[2])), [0x438b96n, 0x7fffffffffffffffn]);
  assert.deepEqual(Array.from(dump.frames.pc), [0x4eb13dn, 0x7ffffffffffffffen, 0x49a053n, 0x49a040n]);
  assert.deepEqual(Array.from(dump.frames.offset), [0x1d, 0, 0x233, 0x220]);
  assert.equal(dump.problemCount, 0);
  assert.equal(dump.truncated, undefined);
});

test('CRLF and expanded tabs read the same', () => {
  assert.deepEqual(plainGoroutines(read(sample.replaceAll('\n', '\r\n'))), plainGoroutines(read(sample)));
  // Without tabs, a name with spaces cannot be told from its file.
  const simple = sample.replace('go.(*struct { sync.Mutex }).Lock', 'sync.(*Mutex).Lock');
  assert.deepEqual(plainGoroutines(read(simple.replaceAll('\t', '    '))), plainGoroutines(read(simple)));
});

test('equal stacks are one, whatever the labels', () => {
  const dump = read(
    'x profile: total 3\n2 @ 0x2\n# labels: {"a":"1"}\n#\t0x1\tm.f+0x1\t/f:1\n\n1 @ 0x2\n#\t0x1\tm.f+0x1\t/f:1\n\n',
  );
  assert.equal(dump.stacks.length, 1);
  assert.equal(dump.labelSets.length, 2);
  assert.equal(dump.sections[0].name, 'x');
});

test('several profiles in one file', () => {
  const dump = read('a profile: total 1\n1 @ 0x2\n#\t0x1\n\nb profile: total 2\n2 @ 0x3\n#\t0x2\n\n');
  assert.deepEqual(dump.sections, [
    { firstRow: 0, name: 'a', declaredTotal: 1 },
    { firstRow: 1, name: 'b', declaredTotal: 2 },
  ]);
  assert.equal(dump.truncated, undefined);
});

test('bad lines are reported', () => {
  const text = `goroutine profile: total 3
1 @ 0x2 0xzz
1 @ 0x2
# labels: {"a":}
#	0x1	m.f	/f:1
# a remark
what
1 @
#	0x0

`;
  const dump = read(text);
  assert.deepEqual(
    dump.problems.map(({ line, kind }) => `${line} ${kind}`),
    ['2 profile row', '4 labels', '5 profile frame', '7 profile row'],
  );
  assert.equal(goroutineCount(dump), 2);
  assert.deepEqual(dump.truncated, {
    reason: 'short-total',
    offset: text.length,
    line: 11,
    expected: 'profile row',
    lostGoroutines: 1,
  });
});

test('input that is no profile', () => {
  for (const text of ['hello\n', 'heap profile: 1: 2 [3: 4] @ heap/1048576\n', 'goroutine 1 [running]:\n']) {
    assert.throws(
      () => read(text),
      (error: unknown) => error instanceof FormatError && error.line === 1 && error.message.includes('expected'),
    );
    assert.ok(!sniffDebug1(encodeText(text)));
  }
});

test('a cut at any byte is no error and loses no complete row', () => {
  const bytes = encodeText(sample);
  const all = plainGoroutines(read(sample));
  const ends = [sample.indexOf('\n\n2 @') + 1, sample.indexOf('\n\n1 @') + 1, sample.length - 1];
  for (let size = 0; size < ends[2]; size++) {
    const dump = readDebug1(bytes.subarray(0, size));
    const complete = ends.filter(end => end <= size).length;
    assert.deepEqual(plainGoroutines(dump).slice(0, complete), all.slice(0, complete));
    assert.equal(dump.problemCount, 0);
    assert.notEqual(dump.truncated, undefined, `cut at ${size}`);
    const missing = 23 - goroutineCount(dump);
    if (missing > 0 && dump.sections[0]?.declaredTotal === 23) assert.equal(dump.truncated?.lostGoroutines, missing);
  }
});

test('generated rows read back', () => {
  const pc = fc.bigInt({ min: 1n, max: 2n ** 64n - 1n });
  const row = fc.record({ count: fc.integer({ min: 1, max: 1e6 }), pcs: fc.array(pc, { maxLength: 40 }) });
  fc.assert(
    fc.property(fc.array(row, { maxLength: 20 }), rows => {
      const total = rows.reduce((sum, { count }) => sum + count, 0);
      const lines = rows.map(({ count, pcs }) => `${count} @${pcs.map(p => ` 0x${p.toString(16)}`).join('')}\n\n`);
      const dump = read(`custom.name profile: total ${total}\n${lines.join('')}`);
      const { stack, count } = dump.goroutines;
      const { pcs, pcStart } = dump.stacks;
      assert.deepEqual(
        Array.from(stack, (s, i) => ({ count: count[i], pcs: Array.from(pcs.subarray(pcStart[s], pcStart[s + 1])) })),
        rows.map(({ count, pcs }) => ({ count, pcs })),
      );
      assert.equal(dump.truncated, undefined);
    }),
  );
});
