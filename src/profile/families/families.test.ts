/** Properties that hold for any input: sums are kept, order does not matter, ids depend on code alone. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { encodeText } from '../../base/text.ts';
import { readDebug1 } from '../formats/goroutine-text/debug1.ts';
import { readDebug2 } from '../formats/goroutine-text/debug2.ts';
import type { FamilyTable } from './family.ts';
import { ProfileBuilder } from '../profile-builder.ts';
import { creationTree } from './creation-tree.ts';
import { familiesOfDump, PairCounter } from './dump-families.ts';
import { familyId } from './family-draft.ts';
import { familiesOfHeap, estimateOf } from './heap-families.ts';
import { joinLabels } from './join-labels.ts';
import { familiesOfGoroutineProfile } from './profile-families.ts';
import { unifiedReason } from '../wait-reasons.ts';

interface Row {
  readonly stack: readonly string[];
  readonly count: number;
  readonly label: string;
}

const functions = [
  'main.a',
  'main.b',
  'main.b.func1',
  'main.b.func2',
  'main.(*T[...]).c',
  'sync.(*Cond).Wait',
  'time.Sleep',
  'net/http.(*conn).serve',
];
const row: fc.Arbitrary<Row> = fc.record({
  stack: fc.array(fc.constantFrom(...functions), { minLength: 1, maxLength: 40 }),
  count: fc.integer({ min: 1, max: 50 }),
  label: fc.constantFrom('', 'x', 'y'),
});
const rows = fc.array(row, { minLength: 1, maxLength: 20 });

const total = (input: readonly Row[]): number => input.reduce((sum, { count }) => sum + count, 0);
const pcOf = (name: string): string => `0x${(0x401000 + 0x100 * functions.indexOf(name)).toString(16)}`;

function debug1(input: readonly Row[]): string {
  const blocks = input.map(({ stack, count, label }) => {
    const pcs = stack.map(pcOf).join(' ');
    const labels = label === '' ? '' : `# labels: {"tenant":"${label}"}\n`;
    const lines = stack.map(name => `#\t${pcOf(name)}\t${name}+0x1\t/src/x.go:1\n`).join('');
    return `${count} @ ${pcs}\n${labels}${lines}\n`;
  });
  return `goroutine profile: total ${total(input)}\n${blocks.join('')}`;
}

function debug2(input: readonly Row[]): string {
  let id = 0;
  const one = ({ stack }: Row): string =>
    `goroutine ${++id} [select]:\n${stack.map(name => `${name}(0x1)\n\t/src/x.go:1 +0x1\n`).join('')}created by main.m in goroutine 7\n\t/src/x.go:9 +0x1\n\n`;
  return input.flatMap(r => Array.from({ length: r.count }, () => one(r))).join('');
}

function profile(input: readonly Row[]) {
  const builder = new ProfileBuilder([{ type: 'goroutine', unit: 'count' }]);
  const locations = functions.map((name, i) =>
    builder.addLocation({
      address: BigInt(i + 1),
      lines: [{ fn: builder.internFunction(name, '/src/x.go'), line: 1 }],
    }),
  );
  for (const { stack, count, label } of input) {
    const labels = label === '' ? [] : [{ key: 'tenant', str: label }];
    builder.addSample(
      stack.map(name => locations[functions.indexOf(name)]),
      [count],
      labels,
    );
  }
  return builder.finish();
}

const plain = (table: FamilyTable): unknown =>
  table.counts.map(({ family, count }) => [family.id, family.frames, count]);
const sum = (table: FamilyTable): number => table.counts.reduce((all, { count }) => all + count, 0);

describe('closures of one function', () => {
  const dump = (...names: string[]): FamilyTable =>
    familiesOfDump(readDebug2(encodeText(debug2(names.map(name => ({ stack: [name], count: 1, label: '' }))))));
  const idOf = (name: string): string => dump(name).counts[0].family.id;

  test('are families of their own, with a name and an id of their own', () => {
    const { counts } = dump('main.b.func1', 'main.b.func2', 'main.b.func2.1', 'main.b.func2');
    assert.deepEqual(counts.map(({ family, count }) => [family.title, count]).sort(), [
      ['main.b.func1 ← select', 1],
      ['main.b.func2 ← select', 2],
      ['main.b.func2.1 ← select', 1],
    ]);
    assert.equal(new Set(counts.map(({ family }) => family.id)).size, 3);
    assert.ok(
      counts.every(({ family }) => family.frames[0] === 'main.b'),
      'signatures name functions, not closures',
    );
  });

  test('have the same id alone, beside others, and however the compiler names them', () => {
    assert.equal(idOf('main.b.func1'), idOf('main.b'));
    assert.equal(dump('main.b.func1').counts[0].family.title, 'main.b ← select');
    const beside = dump('main.b.func1', 'main.b.func2').counts.map(({ family }) => family.id);
    assert.deepEqual(beside.sort(), [idOf('main.b.func1'), idOf('main.b.func2')].sort());
    assert.equal(idOf('main.(*T).Run.func3.b.2'), idOf('main.b.func2'));
    assert.equal(idOf('main.b.func2.gowrap1'), idOf('main.b.func2.gowrap3'));
    assert.equal(idOf('os/exec.(*Cmd).Start.func2'), idOf('os/exec.(*Cmd).Start.func3'), 'Go changes its own closures');
  });
});

describe('any goroutines', () => {
  test('each have exactly one family, the same in every format and order', () => {
    fc.assert(
      fc.property(rows, input => {
        const table = familiesOfDump(readDebug1(encodeText(debug1(input))));
        assert.equal(sum(table), total(input));
        assert.equal(table.total, total(input));
        const reversed = [...input].reverse();
        assert.deepEqual(plain(familiesOfDump(readDebug1(encodeText(debug1(reversed))))), plain(table));
        assert.deepEqual(plain(familiesOfDump(readDebug2(encodeText(debug2(input))))), plain(table));
        assert.deepEqual(plain(familiesOfGoroutineProfile(profile(reversed))), plain(table));
        for (const { count, labelSets } of table.counts) {
          assert.ok(labelSets.reduce((all, set) => all + set.count, 0) <= count);
        }
      }),
      { numRuns: 150 },
    );
  });

  test('keep their labels and parents when joined', () => {
    fc.assert(
      fc.property(rows, input => {
        const text = readDebug2(encodeText(debug2(input)));
        const { totals, groups } = joinLabels(text, readDebug1(encodeText(debug1(input))));
        assert.equal(totals.unknown, 0);
        assert.equal(totals.exact + totals.ambiguous, total(input));
        assert.equal(
          groups.reduce((all, { count }) => all + count, 0),
          total(input),
        );
        const tree = creationTree(text);
        assert.equal(
          tree.parents.reduce((all, { children }) => all + children, 0),
          total(input),
        );
      }),
      { numRuns: 50 },
    );
  });
});

test('may have parents in cycles, or dead ones', () => {
  const one = (id: number, parent: number): string =>
    `goroutine ${id} [select]:\nmain.f()\n\t/x.go:1 +0x1\ncreated by main.g in goroutine ${parent}\n\t/x.go:2 +0x1\n\n`;
  const tree = creationTree(readDebug2(encodeText(one(2, 3) + one(3, 2) + one(4, 99) + one(5, 4))));
  const dead = tree.parents.find(({ goroutine }) => goroutine === 99)!;
  assert.deepEqual([dead.alive, dead.children, dead.descendants, dead.parent], [false, 1, 2, undefined]);
  assert.deepEqual([...dead.creators], [['main.g', 1]]);
});

describe('heap', () => {
  test('estimates samples and their error', () => {
    // One sample of 416 bytes at the default rate counts as 1260 objects.
    const one = estimateOf(1260 * 416, 1260, 524288);
    assert.ok(Math.abs(one.samples - 1) < 0.01);
    assert.ok(Math.abs(Math.sqrt(one.variance) - 524288) < 5000);
    const large = estimateOf(1072 * 65536, 1072, 524288);
    assert.equal(Math.round(large.samples), 126);
    assert.ok(Math.sqrt(large.variance) < 0.1 * 1072 * 65536);
    // At rate 1 every allocation is sampled.
    const all = estimateOf(1000, 10, 1);
    assert.deepEqual([Math.round(all.samples), Math.round(all.variance)], [10, 0]);
    assert.deepEqual(estimateOf(0, 0, 524288), { samples: 0, variance: 0 });
  });

  test('joins everything that a library allocates in one call', () => {
    const types = ['alloc_objects', 'alloc_space', 'inuse_objects', 'inuse_space'];
    const builder = new ProfileBuilder(types.map(type => ({ type, unit: type.endsWith('space') ? 'bytes' : 'count' })));
    const at = (name: string): number => builder.addLocation({ lines: [{ fn: builder.internFunction(name, '') }] });
    const [propagate, inner, api] = [
      'context.(*cancelCtx).propagateCancel',
      'context.withCancel',
      'context.WithCancel',
    ].map(at);
    const [sync, loop, other] = [
      'a.io/kubelet.(*podWorkers).startPodSync',
      'a.io/kubelet.(*podWorkers).podWorkerLoop',
      'a.io/other.New',
    ].map(at);
    builder.addSample([propagate, inner, api, sync, loop], [9, 900, 2, 200]);
    builder.addSample([inner, api, sync, loop], [9, 900, 1, 100]);
    builder.addSample([other, loop], [5, 500, 0, 0]);
    builder.addSample([other], [5, 500, 1, 1000]);
    const table = familiesOfHeap(builder.finish({ period: 524288n }));
    assert.equal(table.total, 1300);
    assert.deepEqual(
      table.counts.map(({ family, bytes, count }) => [family.title, family.ownerPackage, bytes, count]),
      [
        ['other.New', 'a.io/other', 1000, 1],
        ['kubelet.(*podWorkers).startPodSync → context.WithCancel', 'a.io/kubelet', 300, 3],
      ],
    );
    assert.equal(table.counts[1].family.frames[0], 'context.(*cancelCtx).propagateCancel');
  });
});

test('ids', () => {
  assert.match(familyId('goroutine', ['main.a']), /^g-[0-9a-f]{10}$/);
  assert.match(familyId('heap', ['main.a']), /^h-[0-9a-f]{10}$/);
  const many = new Set(Array.from({ length: 50_000 }, (_, i) => familyId('heap', [`main.f${i}`, `main.g${i % 7}`])));
  assert.equal(many.size, 50_000);
  // Ids are stored in incidents and baselines, so they must not change between releases.
  assert.equal(familyId('goroutine', ['main.(*listener).pop']), 'g-1338126678');
});

test('wait reasons', () => {
  assert.equal(unifiedReason('semacquire', 'sync.WaitGroup.Wait'), 'sync.WaitGroup.Wait');
  assert.equal(unifiedReason('semacquire', ''), 'semacquire');
  assert.equal(unifiedReason('sync.Mutex.Lock', 'sync.RWMutex.Lock'), 'sync.RWMutex.Lock');
  assert.equal(unifiedReason('chan receive (synctest)', ''), 'chan receive');
  assert.equal(unifiedReason('running', 'sync.Mutex.Lock'), 'running');
});

test('sums by pairs, dense and sparse', () => {
  for (const columns of [4, 1 << 22]) {
    const counter = new PairCounter(2, columns);
    counter.add(1, 3, 2);
    counter.add(1, 0, 1);
    counter.add(1, 3, 1);
    assert.deepEqual(counter.entries(0), []);
    assert.deepEqual(counter.entries(1), [
      [0, 1],
      [3, 3],
    ]);
  }
});

describe('the wrapper of a go statement before Go 1.22', () => {
  const dump = (frames: string, line = 34): FamilyTable => {
    const text = `goroutine 5 [chan receive]:\n${frames}runtime.goexit()\n\t/go/src/runtime/asm_amd64.s:1594 +0x1\n`;
    return familiesOfDump(readDebug2(encodeText(`${text}created by main.(*T).Add\n\t/src/main.go:${line} +0x16a\n\n`)));
  };
  const framesOf = ({ counts }: FamilyTable): readonly string[] => counts[0].family.frames;
  const run = 'main.(*L).run(0x0?)\n\t/src/main.go:21 +0x36\n';
  const wrapper = 'main.(*T).Add.func1()\n\t/src/main.go:34 +0x26\n';

  test('is not part of the family', () => {
    assert.deepEqual(framesOf(dump(run + wrapper)), ['main.(*L).run']);
  });

  test('is distinguished from closures elsewhere and from those that are the whole stack', () => {
    assert.deepEqual(framesOf(dump(run + wrapper, 33)), ['main.(*L).run', 'main.(*T).Add']);
    assert.deepEqual(framesOf(dump(wrapper)), ['main.(*T).Add']);
    const lock = 'sync.(*Mutex).Lock(0x1)\n\t/go/src/sync/mutex.go:81 +0x1\n';
    assert.deepEqual(framesOf(dump(lock + wrapper)), ['sync.(*Mutex).Lock', 'main.(*T).Add']);
    const other = wrapper.replace('main.(*T).Add', 'main.(*U).Add');
    assert.deepEqual(framesOf(dump(run + other)), ['main.(*L).run', 'main.(*U).Add']);
  });
});

describe('waits', () => {
  const block = (id: number, state: string, fn: string): string =>
    `goroutine ${id} [${state}]:\n${fn}()\n\t/src/main.go:1 +0x1\ncreated by main.main\n\t/src/main.go:9 +0x1\n`;
  const waitsOf = (text: string): unknown[] =>
    familiesOfDump(readDebug2(encodeText(text))).counts.map(({ waits }) => [
      [...waits!.id],
      [...waits!.minutes],
      Array.from(waits!.state, index => waits!.states[index]),
      waits!.isCut,
    ]);

  test('are listed for each goroutine of each family', () => {
    const text = [
      block(7, 'chan send, 3 minutes', 'main.a'),
      block(8, 'select', 'main.b'),
      block(9, 'runnable', 'main.a'),
    ].join('\n');
    assert.deepEqual(waitsOf(text), [
      [[7, 9], [3, 0], ['chan send', 'runnable'], false],
      [[8], [0], ['select'], false],
    ]);
  });

  test('are those of the last dump of several in one file', () => {
    const dump = [block(7, 'select, 3 minutes', 'main.a'), block(8, 'select, 2 minutes', 'main.a')].join('\n');
    assert.deepEqual(waitsOf(`${dump}\n${dump.replaceAll(' minutes', '0 minutes')}`), [
      [[7, 8], [30, 20], ['select', 'select'], false],
    ]);
  });

  test('show where the dump is cut, and are unknown in debug=1', () => {
    const [[, , , isCut]] = waitsOf(block(7, 'select, 3 minutes', 'main.a').slice(0, -20)) as unknown[][];
    assert.equal(isCut, true);
    const counted = readDebug1(encodeText('goroutine profile: total 2\n2 @ 0x1\n#\t0x0\tmain.a+0x1\t/src/main.go:1\n'));
    assert.equal(familiesOfDump(counted).counts[0].waits, undefined);
  });
});
