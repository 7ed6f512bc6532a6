import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeText, encodeText } from '../base/text.ts';
import type { Reply } from './reply.ts';
import type { RecordedTarget } from '../evidence/recording/read-recording.ts';
import { instanceMatcher } from './fleet-queries.ts';
import { type FleetHistoryOptions, readFleetHistory } from './read-fleet-history.ts';
import type { MetricsHistory, RangeRequest } from './ports.ts';

const NOW = 1_794_772_000;

function reply(body: unknown, status = 200): Reply {
  return {
    kind: 'answer',
    status,
    headers: {},
    body: encodeText(JSON.stringify(body)),
    cut: undefined,
    headAtSeconds: 0,
    dateSeconds: undefined,
    tookSeconds: 0,
  };
}

const METRICS = ['go_goroutines', 'go_gc_heap_live_bytes', 'process_start_time_seconds', 'kubelet_running_pods'];

/** Kubelets with constant metrics; refuses queries about more than `most` of them at once. */
function prometheus(count: number, most = Infinity) {
  const instances = Array.from({ length: count }, (_, i) => `10.0.${i >> 8}.${i & 255}:10250`);
  const requests: RangeRequest[] = [];
  const history: MetricsHistory = {
    address: 'http://prometheus',
    instant: async query => {
      if (query.startsWith('group by (__name__)'))
        return reply({ data: { result: METRICS.map(name => ({ metric: { __name__: name } })) } });
      if (query.startsWith('group by (cluster, node, job, instance)'))
        return reply({ data: { result: instances.map(instance => ({ metric: { instance } })) } });
      return reply({ data: { result: [] } });
    },
    async range(request) {
      requests.push(request);
      const [, list = ''] = /instance=~"([^"]*)"/.exec(request.query) ?? [];
      const asked = list.replaceAll('\\\\', '').split('|');
      if (asked.length > most)
        return reply({ status: 'error', error: 'query processing would load too many samples' }, 422);
      const { fromSeconds, toSeconds, stepSeconds, query } = request;
      const times: number[] = [];
      for (let at = fromSeconds; at <= toSeconds; at += stepSeconds) times.push(at);
      const isBuild = query.includes('kubernetes_build_info');
      const value = query.includes('start_time') ? NOW - 1e6 : isBuild ? 1 : 300;
      const result = asked.map(instance => ({
        metric: { instance, job: 'kubelet', ...(isBuild ? { git_version: 'v1.36.0' } : {}) },
        values: times.map(at => [at, String(value)]),
      }));
      return reply({
        status: 'success',
        data: { resultType: 'matrix', result: query.includes('go_info') ? [] : result },
      });
    },
  };
  return { history, requests };
}

function options(more: { selector?: string; sinceSeconds?: number } = {}) {
  const progress: [number, number][] = [];
  return {
    progress,
    given: {
      selector: 'job="kubelet"',
      nowSeconds: NOW,
      sinceSeconds: 14 * 86_400,
      pace: { timeScale: 1, intervalSeconds: 60 },
      signal: new AbortController().signal,
      sleep: async () => {},
      progress: (done: number, all: number) => void progress.push([done, all]),
      ...more,
    },
  };
}

async function targetsOf(history: MetricsHistory, given: FleetHistoryOptions): Promise<RecordedTarget[]> {
  const targets: RecordedTarget[] = [];
  for await (const part of readFleetHistory(history, given)) targets.push(...part.targets);
  return targets;
}

describe('the history of a fleet', () => {
  it('is asked for by the hour, in parts of at most 200 targets', async () => {
    const { history, requests } = prometheus(450);
    const { given, progress } = options();
    const targets = await targetsOf(history, given);
    assert.equal(targets.length, 450);
    const matched = requests.map(({ query }) => (/instance=~"([^"]*)"/.exec(query)?.[1] ?? '').split('|').length);
    assert.ok(Math.max(...matched) <= 200);
    for (const { fromSeconds, toSeconds, stepSeconds } of requests)
      assert.ok((toSeconds - fromSeconds) / stepSeconds < 11_000);
    const hourly = requests.filter(({ stepSeconds }) => stepSeconds === 3600);
    assert.ok(
      hourly.every(({ fromSeconds, toSeconds }) => fromSeconds === toSeconds || (fromSeconds - 3600) % 86_400 === 0),
      'from the beginning of a day, except what is asked for now',
    );
    assert.ok(
      hourly.some(({ query }) => query.includes('(avg_over_time(go_gc_heap_live_bytes{job="kubelet",instance=~')),
    );
    assert.ok(
      hourly.some(({ query }) => query.includes('min_over_time({__name__=~"go_goroutines|kubelet_goroutines"')),
    );
    assert.deepEqual(progress.at(-1)?.[0], progress.at(-1)?.[1]);
    const [target] = targets;
    assert.deepEqual(target.timeline.descriptions[0].attributes, { version: 'v1.36.0', job: 'kubelet' });
    // One sample in each hour of the detector, and the last hours finer.
    const bins = new Map<number, number>();
    for (const { atSeconds } of target.timeline.until(NOW)) {
      const bin = Math.floor(atSeconds / 3600);
      bins.set(bin, (bins.get(bin) ?? 0) + 1);
    }
    const counts = [...bins].sort((a, b) => a[0] - b[0]).map(([, count]) => count);
    assert.ok(counts.slice(0, 300).every(count => count === 1));
    assert.ok(counts.slice(-7, -1).every(count => count === 12));
    assert.equal(bins.size, Math.max(...bins.keys()) - Math.min(...bins.keys()) + 1, 'no hour is missing');
  });

  it('halves what is refused as too large', async () => {
    const { history, requests } = prometheus(150, 40);
    const targets = await targetsOf(history, options().given);
    assert.equal(targets.length, 150);
    assert.ok(requests.length > METRICS.length * 4);
  });

  it('says what is wrong', async () => {
    const empty: MetricsHistory = { ...prometheus(1).history, instant: async () => reply({ data: { result: [] } }) };
    await assert.rejects(
      targetsOf(empty, options().given),
      /has none of the metrics that are judged with job="kubelet"/,
    );
    const down: MetricsHistory = { ...prometheus(1).history, range: async () => reply({}, 500) };
    await assert.rejects(targetsOf(down, options().given), /^Failure: Prometheus: /);
  });

  it('says once what the database warns of', async () => {
    const { history } = prometheus(3);
    const range: MetricsHistory['range'] = async (...request) => {
      const given = await history.range(...request);
      assert.equal(given.kind, 'answer');
      const { warnings, ...more } = { warnings: ['a store is down'], ...JSON.parse(decodeText(given.body)) };
      return reply({ ...more, warnings });
    };
    const notes: string[] = [];
    for await (const part of readFleetHistory({ ...history, range }, options().given)) notes.push(...part.notes);
    assert.deepEqual(notes, ['Prometheus warns: a store is down']);
  });

  it('uses hourly values that were recorded', async () => {
    const { history, requests } = prometheus(3);
    const recorded = ['oakum:hourly:go_goroutines', ...METRICS].map(name => ({ metric: { __name__: name } }));
    const instant: MetricsHistory['instant'] = (query, ...more) =>
      query.startsWith('group by (__name__)')
        ? Promise.resolve(reply({ data: { result: recorded } }))
        : history.instant(query, ...more);
    await targetsOf({ ...history, instant }, options().given);
    const queries = requests.filter(({ stepSeconds }) => stepSeconds === 3600).map(({ query }) => query);
    assert.ok(
      queries.some(query => query.includes('last_over_time(oakum:hourly:go_goroutines{job="kubelet",instance')),
    );
    assert.ok(queries.every(query => !query.includes('min_over_time')));
  });

  it('escapes names of instances', () => {
    assert.equal(instanceMatcher(['a.b:1', 'c"d\\']), 'instance=~"a\\\\.b:1|c\\"d\\\\\\\\"');
  });
});
