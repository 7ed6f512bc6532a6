import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readStackText, type StackText } from './stack-text.ts';
import { unwrapText } from './unwrap.ts';

function read(text: string): StackText[] {
  const lines = unwrapText(text);
  const found: StackText[] = [];
  for (let at = 0; at < lines.length;) {
    const reading = readStackText(lines, at);
    if (reading !== undefined) found.push(reading.piece);
    at = reading?.next ?? at + 1;
  }
  return found;
}

const DEBUG1 = `goroutine profile: total 7
5 @ 0x1 0x2 0x3
# labels: {"controller":"a"}
#\t0x1\tmain.(*worker).run+0x1\t/src/main.go:10
#\t0x2\tmain.main+0x2\t/src/main.go:4

2 @ 0x4 0x5
#\t0x4\tmain.idle+0x1\t/src/main.go:20
`;

describe('debug=1', () => {
  it('is the same whole, without its marks, with blank lines between, and quoted', () => {
    const [whole] = read(DEBUG1);
    assert.equal(whole?.format, 'debug1');
    assert.deepEqual(whole?.notes, []);
    const noMarks = DEBUG1.replaceAll('#\t', '').replaceAll('# labels', 'labels').replaceAll('\t', '    ');
    const variants = [
      noMarks,
      DEBUG1.replaceAll('\n', '\n\n'),
      DEBUG1.replace(/^/gm, '> '),
      DEBUG1.replace(/^/gm, '    '),
    ];
    for (const variant of variants) assert.equal(read(variant)[0]?.text, whole?.text, variant);
  });

  it('joins places and addresses that a mail has wrapped', () => {
    const wrapped = DEBUG1.replace('\t/src/main.go:10', '\n/src/main.go:10').replace('0x2 0x3', '0x2\n0x3');
    assert.equal(read(wrapped)[0]?.text, read(DEBUG1)[0]?.text);
  });

  it('tells how many of the total were pasted', () => {
    assert.deepEqual(read(DEBUG1.split('\n2 @')[0] ?? '')[0]?.notes, ['5 of 7 goroutines were pasted']);
  });

  it('reads rows without a title, and says so', () => {
    const [rows] = read(DEBUG1.slice(DEBUG1.indexOf('5 @')));
    assert.match(rows?.text ?? '', /^goroutine profile: total 7\n5 @ 0x1 0x2 0x3\n/);
    assert.match(rows?.notes.join() ?? '', /the total was not pasted/);
  });

  it('counts lines of a stack that it cannot read', () => {
    const broken = DEBUG1.replace('#\t0x2\tmain.main+0x2', '#\t0x2 ???');
    assert.match(read(broken)[0]?.notes.join() ?? '', /1 lines of its stacks cannot be read/);
  });

  it('takes a title alone for a number', () => assert.deepEqual(read('** goroutine profile: total 15938 **'), []));
});

const DEBUG2 = `goroutine 18 [chan receive, 5 minutes]:
main.(*worker).run(0xc000, {0x1, 0x2})
\t/src/main.go:10 +0x1d
created by main.main in goroutine 1
\t/src/main.go:4 +0x30
`;

describe('debug=2', () => {
  const canonical = `goroutine 18 [chan receive, 5 minutes]:
main.(*worker).run()
\t/src/main.go:10
created by main.main in goroutine 1
\t/src/main.go:4
`;

  it('is the same with and without tabs, quoted, indented and behind a log', () => {
    const logged = DEBUG2.replace(/^(?=.)/gm, 'May 04 00:34:05 host dockerd[12]: ');
    for (const text of [DEBUG2, DEBUG2.replaceAll('\t', ''), DEBUG2.replace(/^/gm, '> '), logged]) {
      assert.equal(read(text)[0]?.text, canonical, text);
    }
  });

  it('keeps a call whose place is cut', () => {
    const [piece] = read('goroutine 1 [select]:\na/b.(*T).c(0xc0)\n\t/src/b/build-1');
    assert.equal(piece?.text, 'goroutine 1 [select]:\na/b.(*T).c()\n\t/src/b/build-1:0\n');
  });

  it('reads a stack without its first line', () => {
    const [piece] = read(DEBUG2.split('\n').slice(1).join('\n'));
    assert.match(piece?.text ?? '', /^goroutine 0 \[running\]:\nmain\.\(\*worker\)\.run\(\)/);
    assert.match(piece?.notes.join() ?? '', /was not pasted/);
  });

  it('reads goleak, leaktest and dlv', () => {
    const [goleak] = read(
      '[Goroutine 63 in state select, with a/b.(*T).pop on top of the stack:\na/b.(*T).pop(0x1)\n\t/a/b.go:34 +0x1\n]',
    );
    assert.equal(goleak?.text, 'goroutine 63 [select]:\na/b.(*T).pop()\n\t/a/b.go:34\n');
    const [leaktest] = read(`Leaked goroutine: ${DEBUG2}`);
    assert.equal(leaktest?.text, canonical);
    const [dlv] = read(
      '  Goroutine 7 - User: /src/main.go:10 main.run (0x48c1b2) [chan receive 120]\n* Goroutine 8 - User: ./b.go:2 main.b (0x4)',
    );
    assert.equal(
      dlv?.text,
      'goroutine 7 [chan receive]:\nmain.run()\n\t/src/main.go:10\n\ngoroutine 8 [running]:\nmain.b()\n\t./b.go:2\n',
    );
  });

  it('takes a sentence about a goroutine for prose', () => {
    assert.deepEqual(read('I think that goroutine 7 [select] is the one that leaks.'), []);
  });
});

describe('heap debug=1', () => {
  const HEAP = `heap profile: 3: 300 [4: 400] @ heap/1048576
2: 200 [3: 300] @ 0x1 0x2
#\t0x1\tmain.leak+0x1\t/src/main.go:10

1: 100 [1: 100] @ 0x3
#\t0x3\tmain.keep+0x1\t/src/main.go:20

# runtime.MemStats
# HeapAlloc = 300
`;

  it('is the same behind a prompt, in a fence and without tabs', () => {
    const [whole] = read(HEAP);
    assert.equal(whole?.format, 'heap-text');
    assert.deepEqual(whole?.notes, []);
    for (const text of [
      `$ curl localhost/heap?debug=1\n${HEAP}`,
      `\`\`\`\n${HEAP}\`\`\``,
      HEAP.replaceAll('\t', '  '),
    ]) {
      assert.equal(read(text)[0]?.text, whole?.text, text);
    }
  });

  it('tells which part of the whole was pasted', () => {
    assert.deepEqual(read(HEAP.split('\n1: 100')[0] ?? '')[0]?.notes, [
      'rows with 67% of the sampled bytes were pasted',
    ]);
  });
});
