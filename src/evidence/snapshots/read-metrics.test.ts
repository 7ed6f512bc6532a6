import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeText } from '../../base/text.ts';
import { metricGrowth } from '../../judge/growth/metric-growth.ts';
import { readMetrics } from './read-metrics.ts';

type Sample = readonly [atSeconds: number, startSeconds: number, cpuSeconds: number];

/** One scrape after the other, with marks between them. */
function scrapes(samples: readonly Sample[]): Uint8Array {
  const text = samples.map(
    ([at, start, cpu]) =>
      `# LAB scrape ts=${at} node=w1 status=200\ngo_goroutines 300\n` +
      `process_start_time_seconds ${start}\nprocess_cpu_seconds_total ${cpu}\n`,
  );
  return encodeText(text.join(''));
}

/** One dump whose samples have times of their own. */
function stamped(samples: readonly Sample[]): Uint8Array {
  const lines = samples.flatMap(([at, start, cpu]) => [
    `go_goroutines 300 ${at * 1000}`,
    `process_start_time_seconds ${start} ${at * 1000}`,
    `process_cpu_seconds_total ${cpu} ${at * 1000}`,
  ]);
  return encodeText(`${lines.join('\n')}\n`);
}

const BEGIN = 1_794_772_000;

describe('the lives in metrics', () => {
  for (const [how, write] of Object.entries({ scrapes, stamped })) {
    const lives = (samples: readonly Sample[]): number => readMetrics(write(samples)).lives.length;

    it(`${how}: are split at a restart`, () => {
      const samples: Sample[] = [
        [BEGIN, BEGIN - 900, 50],
        [BEGIN + 60, BEGIN - 899, 52],
        [BEGIN + 120, BEGIN + 90, 1],
      ];
      assert.equal(lives(samples), 2);
    });

    it(`${how}: are split even if the new process is busier than the old one`, () => {
      const samples: Sample[] = [
        [BEGIN, BEGIN - 900, 50],
        [BEGIN + 86_400, BEGIN + 600, 4000],
      ];
      assert.equal(lives(samples), 2);
    });

    it(`${how}: are not split when a clock is set`, () => {
      const samples: Sample[] = [
        [BEGIN, BEGIN - 90_000, 500],
        [BEGIN + 60, BEGIN - 86_400, 501],
        [BEGIN + 120, BEGIN - 86_400, 502],
      ];
      assert.equal(lives(samples), 1);
      for (const { series } of readMetrics(write(samples)).lives) assert.doesNotThrow(() => metricGrowth(series));
    });

    it(`${how}: survive start times that are not numbers`, () => {
      const { lives } = readMetrics(write(Array.from({ length: 8 }, (_, i) => [BEGIN + i * 60, NaN, i] as const)));
      assert.equal(lives.length, 1);
      for (const { series } of lives) assert.doesNotThrow(() => metricGrowth(series));
    });
  }
});
