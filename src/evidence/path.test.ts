import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { goVersionInPath } from './snapshots/process-origin.ts';
import { targetInPath, timeInPath } from './path-parts.ts';

describe('a path', () => {
  it('has a time in its names', () => {
    const at = Date.UTC(2026, 7, 17, 3, 12) / 1000;
    for (const [path, seconds] of [
      ['heap-1794774072.pb.gz', 1794774072],
      ['a/1794774072123-heap.pb', 1794774072],
      ['goroutine.20260817T0312Z.txt', at],
      ['2026-08-17_03-12/heap.pb.gz', at],
      ['dump-2026-08-17T03:12:05Z.txt', at + 5],
      ['heap_20260817-031205.pprof', at + 5],
      ['heap-2026-08-17.pprof', Date.UTC(2026, 7, 17) / 1000],
    ] as const) {
      assert.equal(timeInPath(path), seconds, path);
    }
    for (const path of [
      'heap.pb.gz',
      'worker-17/heap2.pb.gz',
      'v1.36.0/heap',
      'pod-123456789012345',
      '2026-13-40.txt',
    ]) {
      assert.equal(timeInPath(path), undefined, path);
    }
  });

  it('names a target by folder and prefix', () => {
    for (const [path, folder, prefix] of [
      ['lab/leak-a/profiles/heap-1794772585.pb.gz', 'lab/leak-a', ''],
      ['control-plane/start/etcd-goroutine-d1.txt.gz', 'control-plane', 'etcd'],
      ['control-plane/end/kube-apiserver-metrics.prom.gz', 'control-plane', 'kube-apiserver'],
      ['leakdemo/go1.27/t3/heap.debug0.pb.gz', 'leakdemo/go1.27', ''],
      ['x/node-1.tar.gz/profiles/heap.pb.gz', 'x/node-1', ''],
      ['worker-17-heap.pb.gz', '', 'worker-17'],
      ['before-heap.pb.gz', '', ''],
      ['20260817T0312Z/heap.pb.gz', '', ''],
    ]) {
      assert.deepEqual(targetInPath(path), { folder, prefix }, path);
    }
  });

  it('has a Go version in its names', () => {
    assert.equal(goVersionInPath('captures/go1.26/t0/heap.pb.gz'), 'go1.26');
    assert.equal(goVersionInPath('kubelet-go1.26.7.txt'), 'go1.26.7');
    assert.equal(goVersionInPath('cargo1.2/x'), '');
  });
});
