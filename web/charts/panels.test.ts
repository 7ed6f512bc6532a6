import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ChartSeries } from '../../src/watch/watch-model.ts';
import { panelsOf } from './panels.ts';

function series(metric: string, unit: ChartSeries['unit'] = 'count'): ChartSeries {
  return { metric, unit, times: [0, 3600], values: [1, 3] };
}

describe('panels', () => {
  it('show the preferred live heap metric, and resident memory with the limit on an axis of its own', () => {
    const all = ['process_resident_memory_bytes', 'go_memstats_heap_alloc_bytes', 'go_gc_heap_live_bytes'];
    const panels = panelsOf(all.map(metric => series(metric, 'bytes')));
    assert.deepEqual(
      panels.map(({ title, limitOf, lines }) => [title, limitOf, lines.map(({ series: one }) => one.metric)]),
      [
        ['Live heap', null, ['go_gc_heap_live_bytes']],
        ['Resident memory', 'live heap', ['process_resident_memory_bytes']],
      ],
    );
  });

  it('show memory outside the Go heap as a resource of its own', () => {
    const [panel] = panelsOf([series('oakum_native_memory_bytes', 'bytes')]);
    assert.deepEqual([panel.title, panel.resource], ['Memory outside the Go heap', 'memory outside the Go heap']);
  });

  it('show pod starts as a rate behind the pods', () => {
    const [panel] = panelsOf([series('kubelet_started_pods_total'), series('kubelet_running_pods')]);
    assert.equal(panel.title, 'Pods');
    assert.deepEqual(panel.lines[0].series.values, [2]);
    assert.deepEqual(panel.lines[1].series.values, [1, 3]);
  });

  it('give other series a chart each, counters as rates', () => {
    const panels = panelsOf([series('etcd_things'), series('etcd_writes_total'), { ...series('empty'), times: [] }]);
    assert.deepEqual(
      panels.map(({ title, isStandard, lines }) => [title, isStandard, lines[0].series.values]),
      [
        ['etcd_things', false, [1, 3]],
        ['etcd_writes_total', false, [2]],
      ],
    );
  });
});
