import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeText } from '../../base/text.ts';
import { seriesKey } from '../../evidence/formats/exposition.ts';
import { readMetrics } from '../../evidence/snapshots/read-metrics.ts';
import type { MetricSeries } from '../../evidence/snapshots/snapshot.ts';
import { grownMetrics, type GrownMetric } from './grown-series.ts';

const AT = 1_794_772_000;

/** A scrape of a server that has seen `paths` paths with two codes each. */
function scrape(paths: number, more = ''): string {
  const requests = Array.from({ length: paths }, (_, i) => [
    `http_requests_total{path="/users/${i}",code="200"} 3`,
    `http_requests_total{path="/users/${i}",code="500"} 1`,
  ]).flat();
  const buckets = Array.from({ length: 80 }, (_, i) => `wait_seconds_bucket{le="${i}"} 1`);
  const lines = ['go_goroutines 10', ...requests, '# TYPE wait_seconds histogram', ...buckets];
  return `${[...lines, 'wait_seconds_sum 1', 'wait_seconds_count 1', more].join('\n')}\n`;
}

/** The series of scrapes a minute apart. */
function seriesOf(...texts: string[]): Map<string, MetricSeries> {
  const all = new Map<string, MetricSeries>();
  texts.forEach((text, minute) => {
    const marked = `# X scrape ts=${AT + 60 * minute} status=200\n${text}`;
    for (const { name, labels, values } of readMetrics(encodeText(marked)).lives[0]?.series.values() ?? []) {
      const known = all.get(seriesKey(name, labels));
      all.set(seriesKey(name, labels), {
        name,
        labels,
        times: Float64Array.of(...(known?.times ?? []), AT + 60 * minute),
        values: Float64Array.of(...(known?.values ?? []), ...values),
      });
    }
  });
  return all;
}

function grown(...texts: string[]): GrownMetric[] {
  return grownMetrics(seriesOf(...texts), AT, AT + 60 * (texts.length - 1));
}

describe('metric series that grow', () => {
  it('are told by the metric and the label that takes new values', () => {
    assert.deepEqual(grown(scrape(50), scrape(200), scrape(400)), [
      {
        title: 'http_requests_total by path',
        sentence: 'http_requests_total 100 -> 800 series: its label path has 400 values, 50 before',
      },
    ]);
  });

  it('are told by the label that gained most, or by the metric alone', () => {
    const pairs = (count: number): string =>
      Array.from({ length: count }, (_, i) => `pairs{a="${i % 20}",b="${Math.floor(i / 20)}"} 1`).join('\n');
    const [one] = grown(scrape(50, pairs(100)), scrape(50, pairs(120)));
    assert.equal(one?.title, 'pairs by b');
    const twice = grown(scrape(50, 'small{a="1"} 1'), scrape(50, 'small{a="1"} 1\nsmall{a="2"} 1'));
    assert.deepEqual(twice[0], { title: 'small', sentence: 'small 1 -> 2 series' });
  });

  it('are none if none grew, and buckets are no labels', () => {
    assert.deepEqual(grown(scrape(50), scrape(50)), []);
    assert.equal(
      [...seriesOf(scrape(50)).values()].some(({ labels }) => labels['label'] === 'le'),
      false,
    );
  });

  it('survive labels that are made to hurt', () => {
    const hostile = `x{a="\\"}",b="${'\\n'.repeat(100)}"} 1\nx{a="}{",b=""} 1\n`;
    assert.deepEqual(grown(scrape(50, hostile), scrape(50, hostile)), []);
  });
});
