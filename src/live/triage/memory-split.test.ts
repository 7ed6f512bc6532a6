import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { memorySplit } from './triage-scrape.ts';

const CLASSES = [
  'heap_objects',
  'heap_unused',
  'heap_stacks',
  'os_stacks',
  'profiling_buckets',
  'heap_free',
  'metadata_other',
] as const;

describe('the memory of a process', () => {
  it('is split so that every byte of the runtime counts once', () => {
    const sizes = fc.array(fc.nat(2 ** 40), { minLength: CLASSES.length, maxLength: CLASSES.length });
    fc.assert(
      fc.property(sizes, fc.nat(2 ** 30), fc.option(fc.nat(2 ** 41)), (bytes, released, live) => {
        const held = bytes.reduce((sum, size) => sum + size, 0);
        const values = new Map(CLASSES.map((name, i) => [`go_memory_classes_${name}_bytes`, bytes[i]]));
        values.set('go_memory_classes_total_bytes', held + released);
        values.set('go_memory_classes_heap_released_bytes', released);
        if (live !== null) values.set('go_gc_heap_live_bytes', live);
        const split = memorySplit(values);
        assert.ok(split !== undefined);
        const { liveBytes, ...parts } = split;
        const all = Object.values(parts).reduce((sum, size) => sum + size, liveBytes ?? 0);
        assert.equal(all, held);
        assert.ok(Object.values(parts).every(size => size >= 0));
      }),
    );
  });

  it('is split by the older figures if there are no memory classes', () => {
    const values = new Map(
      Object.entries({ heap_alloc: 60, heap_inuse: 70, heap_idle: 30, heap_released: 10, sys: 120, stack_sys: 5 }).map(
        ([name, bytes]) => [`go_memstats_${name}_bytes`, bytes],
      ),
    );
    assert.deepEqual(memorySplit(values), {
      liveBytes: null,
      newBytes: 60,
      unusedBytes: 10,
      stackBytes: 5,
      profilerBucketBytes: 0,
      unreturnedBytes: 20,
      otherBytes: 15,
    });
  });

  it('is not split without figures', () => {
    assert.equal(memorySplit(new Map([['go_goroutines', 3]])), undefined);
  });
});
