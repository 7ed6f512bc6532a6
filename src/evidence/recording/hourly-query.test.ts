import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Metric, metricOf } from '../metric-names.ts';
import { seriesOf, valueByLabels } from './hourly-query.ts';

const metric = (name: string): Metric => metricOf(name) as Metric;

it('queries one value for each target, of the series that count', () => {
  const cases = [
    ['process_open_fds', '', 'max by (node, job) (process_open_fds)'],
    ['process_open_fds', 'job="kubelet"', 'max by (node, job) (process_open_fds{job="kubelet"})'],
    ['go_goroutines', '', 'max by (node, job) ({__name__=~"go_goroutines|kubelet_goroutines"})'],
    ['rest_client_requests_total', 'a="b"', 'sum by (node, job) (rest_client_requests_total{a="b"})'],
    ['scrape_samples_scraped', '', 'max by (node, job) (scrape_samples_scraped{metrics_path=~"/metrics|"})'],
    [
      'container_memory_working_set_bytes',
      '',
      'sum by (node, job) (container_memory_working_set_bytes{id=~"(.*/)?kubelet([.](service|slice))?"})',
    ],
  ] as const;
  for (const [name, selector, query] of cases)
    assert.equal(valueByLabels(metric(name), selector, ['node', 'job']), query);
});

it('queries all series of several metrics at once', () => {
  const two = [metric('process_open_fds'), metric('go_goroutines')];
  assert.equal(
    seriesOf(two, 'job="kubelet"', ''),
    '{__name__=~"process_open_fds|go_goroutines|kubelet_goroutines",job="kubelet"}',
  );
});
