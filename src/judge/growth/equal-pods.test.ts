/** Pods that come and go in waves, on a process that grows or not. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Random } from '../../../test/fuzz/random.ts';
import type { MetricSeries } from '../../evidence/snapshots/snapshot.ts';
import { metricGrowth, type MetricGrowth, atEqualPods, leastSquares } from './metric-growth.ts';

const MIB = 2 ** 20;
const START = 1_794_772_000;

interface Wave {
  readonly perHour: number;
  readonly periodSeconds: number;
  readonly noise: number;
}

/** 34 minutes, every 15 seconds, 15 <-> 70 pods of 118 KiB. */
function heapOf({ perHour, periodSeconds, noise }: Wave): MetricGrowth {
  const random = new Random(5, 1);
  const times = Float64Array.from({ length: 136 }, (_, i) => START + 15 * i);
  const pods = times.map(time => ((time - START) % periodSeconds < periodSeconds / 2 ? 15 : 70));
  const heap = times.map(
    (time, i) =>
      (30 + ((time - START) / 3600) * perHour + (random.below(1000) / 500 - 1) * noise) * MIB + 118 * 1024 * pods[i],
  );
  const series = new Map<string, MetricSeries>();
  const add = (name: string, values: Float64Array): void =>
    void series.set(name, { name, labels: new Map(), times, values } as unknown as MetricSeries);
  add('go_gc_heap_live_bytes', heap);
  add('kubelet_running_pods', pods);
  const growth = metricGrowth(series).find(({ resource }) => resource === 'live heap');
  assert.ok(growth !== undefined);
  return growth;
}

describe('pods in waves', () => {
  it('do not hide growth, nor widen its interval', () => {
    for (const periodSeconds of [120, 300]) {
      const growth = heapOf({ perHour: 5, periodSeconds, noise: 0.5 });
      assert.equal(growth.trend, 'steady', growth.sentence);
      assert.ok(growth.lowPerHour > 4.5 * MIB && growth.highPerHour < 5.5 * MIB, growth.sentence);
      assert.match(
        growth.sentence,
        /^live heap \+[45]\.\d+ MiB\/h over 33m, steady \(between .* and .*\), at equal pods: 15 to 70, 1\d\d KiB each$/,
      );
      // Both levels are at equal pods, too.
      assert.ok(Math.abs(growth.to - growth.from - growth.perHour * growth.hours) < MIB, growth.sentence);
    }
  });

  it('are flat without growth, with the interval that this leaves', () => {
    const { sentence } = heapOf({ perHour: 0, periodSeconds: 120, noise: 0.5 });
    assert.match(
      sentence,
      /^live heap flat at 3\d(?:\.\d)? MiB over 33m \(between .*\/h and .*\/h\), at equal pods: 15 to 70,/,
    );
  });

  it('are not called flat where the scatter may hide growth', () => {
    const { trend, sentence } = heapOf({ perHour: 60, periodSeconds: 1e9, noise: 150 });
    assert.equal(trend, 'unknown', sentence);
    assert.match(sentence, /it varies too much to tell a trend over 33m \(between -.* and .*\)$/);
  });

  it('cannot be told from time where they only rise', () => {
    const hours = Array.from({ length: 20 }, (_, i) => i / 40);
    const pods = hours.map((_, i) => 8 + 4 * i);
    assert.equal(
      atEqualPods(
        hours,
        pods.map(count => 2 * count),
        pods,
      ),
      undefined,
    );
  });
});

describe('least squares', () => {
  it('fit a plane, far from the origin', () => {
    const hours = Array.from({ length: 30 }, (_, i) => 498_547 + i / 60);
    const pods = hours.map((_, i) => (i * 7) % 11);
    const values = hours.map((hour, i) => 3e7 + 5e6 * (hour - 498_547) + 1e5 * pods[i]);
    const fit = leastSquares([hours.map(() => 1), hours, pods], values);
    assert.ok(fit !== undefined);
    assert.ok(
      Math.abs(fit.coefficients[1] - 5e6) < 10 && Math.abs(fit.coefficients[2] - 1e5) < 1,
      fit.coefficients.join(),
    );
    assert.ok(fit.residual < 1e3, `${fit.residual}`);
  });

  it('have no answer where two columns are one', () => {
    const column = [1, 2, 3, 5];
    assert.equal(leastSquares([[1, 1, 1, 1], column, column.map(value => 2 * value)], [1, 2, 3, 4]), undefined);
    assert.equal(
      leastSquares(
        [
          [1, 1, 1, 1],
          [2, 2, 2, 2],
        ],
        [1, 2, 3, 4],
      ),
      undefined,
    );
  });
});
