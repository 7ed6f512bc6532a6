import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { T0, watchBench } from '../../../test/watch/watch-bench.ts';

const MIB = 1024 * 1024;
const HOUR = 3600;

/** `count` targets with three hours of samples; `heapOf` is in MiB, by hours since the first sample. */
async function watched(count: number, valueOf: (i: number) => string, heapOf: (i: number, hours: number) => number) {
  const bench = watchBench();
  const name = (i: number): string => `node/n${i}`;
  for (let i = 0; i < count; i++)
    bench.watch.addTarget({ name: name(i), connection: undefined, attributes: { version: valueOf(i) } });
  for (let hours = 3; hours >= 0; hours -= 1 / 6)
    for (let i = 0; i < count; i++)
      bench.watch.addSample(name(i), T0 - hours * HOUR, { go_gc_heap_live_bytes: heapOf(i, 3 - hours) * MIB });
  return bench;
}

describe('a rollout', () => {
  it('counts every target, and measures growth on some of many', async () => {
    const grows = (i: number): boolean => i % 8 === 0;
    const { watch } = await watched(
      2400,
      i => (grows(i) ? 'v2' : 'v1'),
      (i, hours) => (grows(i) ? 50 + 12 * hours : 50),
    );
    const { values } = await watch.rollout('version', 10, undefined);
    assert.deepEqual(
      values.map(({ value, targets }) => [value, targets.at(-1)]),
      [
        ['v1', 2100],
        ['v2', 300],
      ],
    );
    const growth = values.map(one => (one.growth.at(-1) ?? 0) / MIB);
    assert.equal(growth[0], 0);
    assert.ok(growth[1] > 30 && growth[1] < 38, `${growth[1]} MiB in three hours`);
  });

  it('of an attribute with a value for each target follows some of them, and says how many there are', async () => {
    const { watch } = await watched(
      300,
      i => `build-${String(i).padStart(3, '0')}`,
      () => 50,
    );
    const { values, moreValues } = await watch.rollout('version', 10, undefined);
    assert.deepEqual([values.length, values[0]?.value, moreValues], [8, 'build-000', 292]);
  });

  it('shows a value that nothing has any more', async () => {
    const { watch } = await watched(
      4,
      i => (i < 2 ? 'v1' : 'v2'),
      () => 50,
    );
    watch.describe('node/n0', { version: 'v2' }, T0 - 2 * HOUR);
    watch.describe('node/n1', { version: 'v2' }, T0 - 2 * HOUR);
    await watch.settle();
    const { values } = await watch.rollout('version', 10, undefined);
    assert.deepEqual(
      values.map(({ value, targets }) => [value, targets[0], targets.at(-1)]),
      [
        ['v2', 2, 4],
        ['v1', 2, 0],
      ],
    );
  });
});
