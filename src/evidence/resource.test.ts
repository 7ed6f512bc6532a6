import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { factsOf, isLimit, memoryLimitIn, resourceOf, RESOURCES, slugOf, verbOf } from './resource.ts';

describe('resources', () => {
  it('have two spellings, one for people and one for schemas', () => {
    assert.deepEqual(
      RESOURCES.map(({ resource, slug }) => `${resource} = ${slug}`),
      [
        'goroutines = goroutines',
        'live heap = heap',
        'memory outside the Go heap = native-memory',
        'stacks = stacks',
        'threads = threads',
        'file descriptors = file-descriptors',
        'metric series = metric-series',
      ],
    );
    for (const { resource, slug } of RESOURCES) {
      assert.equal(slugOf(resource), slug);
      assert.equal(resourceOf(slug), resource);
      assert.equal(factsOf(resource).resource, resource);
    }
  });

  it('are each read from their own metrics', () => {
    const metrics = RESOURCES.flatMap(one => one.metrics);
    assert.equal(new Set(metrics).size, metrics.length);
    for (const { metrics, leastGrowth } of RESOURCES) {
      assert.ok(metrics.length > 0);
      assert.ok(leastGrowth.amount > 0 && leastGrowth.share > 0);
    }
  });

  it('take the verb that fits', () => {
    assert.equal(`live heap ${verbOf('live heap', 'grows')}`, 'live heap grows');
    assert.equal(`file descriptors ${verbOf('file descriptors', 'rises')}`, 'file descriptors rise');
  });
});

describe('limits', () => {
  it('are undefined if the runtime or the cgroup has none', () => {
    assert.equal(isLimit(512 * 2 ** 20), true);
    for (const none of [0, -1, NaN, undefined, 2 ** 63 - 1, 9223372036854771712]) assert.equal(isLimit(none), false);
  });

  it('come from the cgroup if it has one, else from the runtime', () => {
    const sample = { container_spec_memory_limit_bytes: 2e9, go_gc_gomemlimit_bytes: 1e9 };
    assert.equal(memoryLimitIn(sample), 2e9);
    assert.equal(memoryLimitIn({ ...sample, container_spec_memory_limit_bytes: 0 }), 1e9);
    assert.equal(memoryLimitIn({ go_gc_gomemlimit_bytes: 2 ** 63 }), undefined);
  });
});
