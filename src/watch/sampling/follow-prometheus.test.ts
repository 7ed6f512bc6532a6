import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFleetDetector } from '../../judge/detect/fleet-detector.ts';
import { encodeText } from '../../base/text.ts';
import type { Reply } from '../../live/reply.ts';
import { namesFor, SERIES_COUNT } from '../../evidence/metric-names.ts';
import { followPrometheus } from './follow-prometheus.ts';
import { SimulatedClock } from '../../../test/double/simulated-clock.ts';
import type { MetricsHistory } from '../../live/ports.ts';

const NOW = 1_794_772_800;

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

/** What is asked before the past is read: which metrics there are, which targets, and which gates differ. */
function instantOf(names: readonly string[], nodes: readonly string[]): MetricsHistory['instant'] {
  return async query => {
    const vector = (metrics: readonly Readonly<Record<string, string>>[]): Reply =>
      reply({ status: 'success', data: { result: metrics.map(metric => ({ metric, value: [0, '1'] })) } });
    if (query.startsWith('group by (__name__)')) return vector(names.map(name => ({ __name__: name })));
    if (query.startsWith('group by (cluster, node, job, instance)'))
      return vector(nodes.map(node => ({ node, job: 'kubelet', instance: `${node}:10250` })));
    assert.match(query, /^max by \(name\) \(last_over_time\(kubernetes_feature_enabled\{.*\}\[1h\]\)\) != min by/);
    return vector([{ name: 'KubeletTracing' }]);
  };
}

/** A Prometheus with two kubelets whose goroutines are the minutes since 1970. */
function prometheus(queries: string[], isDown: () => boolean = () => false): MetricsHistory {
  return {
    address: 'http://prometheus',
    instant: instantOf(namesFor('detection'), ['a', 'b']),
    async range({ query, fromSeconds, toSeconds, stepSeconds }) {
      queries.push(query);
      if (isDown()) return reply({}, 503);
      if (query.includes('kubernetes_build_info')) {
        const series = (node: string, version: string, at: number) => ({
          metric: { node, job: 'kubelet', instance: `${node}:10250`, git_version: version },
          values: [[at, '1']],
        });
        const result = [series('a', 'v1.36.0', toSeconds), series('b', 'v1.35.7', toSeconds)];
        if (fromSeconds < NOW - 86_400) result.unshift(series('a', 'v1.35.7', fromSeconds));
        return reply({ status: 'success', data: { resultType: 'matrix', result } });
      }
      const result = !query.includes('go_goroutines')
        ? []
        : ['a', 'b'].map(node => {
            const values: [number, string][] = [];
            for (let at = fromSeconds; at <= toSeconds; at += stepSeconds)
              values.push([at, String(Math.round(at / 60))]);
            return { metric: { node, job: 'kubelet', instance: `${node}:10250` }, values };
          });
      return reply({ status: 'success', data: { resultType: 'matrix', result } });
    },
  };
}

/** The metric that a query is for. */
function queriedMetric(query: string): string {
  const [, several, one] = /__name__=~"([a-z_]+)|\(([a-z_]+)(?:\{[^}]*\})?(?:\[\w+\]\))?\)$/.exec(query) ?? [];
  return several ?? one ?? query;
}

/** One kubelet with these metrics and no others. */
function levelsOf(levels: Readonly<Record<string, (at: number) => number>>): MetricsHistory {
  return {
    address: 'http://prometheus',
    instant: instantOf(Object.keys(levels), ['a']),
    async range({ query, fromSeconds, toSeconds, stepSeconds }) {
      const level = levels[queriedMetric(query)];
      const values: [number, string][] = [];
      for (let at = fromSeconds; level !== undefined && at <= toSeconds; at += stepSeconds)
        values.push([at, String(level(at))]);
      const metric = { node: 'a', job: 'kubelet', instance: 'a:10250' };
      const result = values.length === 0 ? [] : [{ metric, values }];
      return reply({ status: 'success', data: { resultType: 'matrix', result } });
    },
  };
}

async function follow(history: MetricsHistory, seconds: number, { selector = '', hourSeconds = 3600 } = {}) {
  const clock = new SimulatedClock(NOW);
  const samples: { target: string; at: number; values: Readonly<Record<string, number>> }[] = [];
  const evaluated: number[] = [];
  const described: [string, Readonly<Record<string, string>>][] = [];
  const missing: string[] = [];
  const past: boolean[] = [];
  const progress: [number, number][] = [];
  const stop = new AbortController();
  const done = followPrometheus(
    {
      addSample: (target, at, values) => void samples.push({ target, at, values }),
      describe: (target, attributes) => void described.push([target, attributes]),
      evaluate: async at => void evaluated.push(at ?? NaN),
      setMissingRight: (_, right) => void missing.push(right?.what ?? 'none'),
      setBackfilling: isBackfill => void past.push(isBackfill),
      settle: async () => {},
    },
    history,
    clock,
    { selector, intervalSeconds: 60, hourSeconds, progress: (done, all) => void progress.push([done, all]) },
    stop.signal,
  );
  await clock.runUntil(NOW + seconds, async () => {
    for (let i = 0; i < 300; i++) await new Promise(resolve => setImmediate(resolve));
  });
  stop.abort();
  await done;
  return { samples, described, evaluated, missing, past, progress };
}

describe('samples of a Prometheus', () => {
  it('are the past first, then the new ones, each once and in order', async () => {
    const queries: string[] = [];
    const { samples, evaluated, past, progress } = await follow(prometheus(queries), 300, {
      selector: 'job="kubelet"',
    });
    const times = samples.filter(({ target }) => target === 'a').map(({ at }) => at);
    assert.ok(times[0] <= NOW - 14 * 86_400 + 3600, 'two weeks ago');
    assert.ok((times.at(-1) ?? 0) >= NOW + 150);
    for (let i = 1; i < times.length; i++) assert.ok(times[i] > times[i - 1]);
    const steps = times.slice(1).map((time, i) => time - times[i]);
    assert.ok(
      steps.slice(0, 300).every(step => step === 3600),
      'by the hour',
    );
    assert.equal(steps.filter(step => step === 300).length, 8 * 12 - 1, 'the last hours finer');
    assert.deepEqual([...new Set(samples.map(({ target }) => target))].sort(), ['a', 'b']);
    assert.equal(samples[0].values['go_goroutines'], Math.round((samples[0].at + 1) / 60));
    assert.equal(evaluated.filter(at => at <= NOW).length, 10, 'judged on the way');
    assert.deepEqual([past[0], past.at(-1)], [true, false], 'the past is over');
    assert.deepEqual(progress.at(-1)?.[0], progress.at(-1)?.[1]);
    assert.ok(queries.includes('max by (cluster, node, job, instance) (process_open_fds{job="kubelet"})'));
    assert.ok(queries.includes('sum by (cluster, node, job, instance) (rest_client_requests_total{job="kubelet"})'));
  });

  it('of two clusters are never mixed, whichever of two nodes of the same name answers', async () => {
    const clusters = ['eu', 'us'];
    const levels = { eu: 100, us: 900 } as const;
    const labels = (cluster: string) => ({ cluster, node: 'a', job: 'kubelet', instance: '10.0.0.1:10250' });
    const history: MetricsHistory = {
      address: 'http://prometheus',
      instant: async query => {
        const names = ['go_goroutines', 'process_start_time_seconds'];
        const metrics = query.startsWith('group by (__name__)')
          ? names.map(name => ({ __name__: name }))
          : query.startsWith('group by (cluster, node, job, instance)')
            ? clusters.map(labels)
            : [];
        return reply({ data: { result: metrics.map(metric => ({ metric })) } });
      },
      async range({ query, fromSeconds, toSeconds, stepSeconds }) {
        // They take turns: neither is there while the other is.
        const answers = (cluster: string, at: number): boolean =>
          at < NOW || clusters[Math.floor((at - NOW) / 120) % 2] === cluster;
        const result = clusters.flatMap(cluster => {
          const values: [number, string][] = [];
          for (let at = fromSeconds; at <= toSeconds; at += stepSeconds)
            if (answers(cluster, at)) values.push([at, String(levels[cluster as 'eu'])]);
          return values.length === 0 || !query.includes('go_goroutines') ? [] : [{ metric: labels(cluster), values }];
        });
        return reply({ status: 'success', data: { resultType: 'matrix', result } });
      },
    };
    const { samples } = await follow(history, 900);
    const seen = new Set(samples.map(({ target, values }) => `${target} ${values['go_goroutines']}`));
    assert.deepEqual([...seen].sort(), ['eu/a 100', 'us/a 900']);
    assert.ok(samples.filter(({ at }) => at > NOW).length > 10);
  });

  it('of a large fleet are asked for in parts, and the whole fleet is judged together', async () => {
    const nodes = Array.from({ length: 450 }, (_, i) => `n${i}`);
    const asked: { readonly nodes: number; readonly points: number }[] = [];
    const seen: [at: number, targets: number][] = [];
    const given = new Set<string>();
    const clock = new SimulatedClock(NOW);
    const stop = new AbortController();
    const history: MetricsHistory = {
      address: 'http://prometheus',
      instant: instantOf(['go_goroutines'], nodes),
      async range({ query, fromSeconds, toSeconds, stepSeconds }) {
        const part = (/instance=~"([^"]*)"/.exec(query)?.[1] ?? '').split('|').filter(one => one !== '');
        asked.push({ nodes: part.length, points: (toSeconds - fromSeconds) / stepSeconds + 1 });
        const result = !query.includes('go_goroutines')
          ? []
          : part.map(instance => ({
              metric: { node: instance.replace(/:.*/, ''), job: 'kubelet', instance },
              values: [
                [fromSeconds, '300'],
                [toSeconds, '300'],
              ],
            }));
        return reply({ status: 'success', data: { resultType: 'matrix', result } });
      },
    };
    await followPrometheus(
      {
        addSample: target => void given.add(target),
        describe: () => {},
        evaluate: async at => {
          seen.push([at ?? NaN, given.size]);
          if (seen.length === 10) stop.abort();
        },
        setMissingRight: (_, right) => assert.equal(right, undefined),
        setBackfilling: () => {},
        settle: async () => {},
      },
      history,
      clock,
      { selector: '', intervalSeconds: 60, hourSeconds: 3600, progress: () => {} },
      stop.signal,
    );
    assert.ok(asked.length > 0 && asked.every(({ nodes: count, points }) => count <= 200 && points <= 11_000));
    assert.ok(
      asked.every(({ nodes: count }) => count > 0),
      'every query is about a part',
    );
    assert.ok(
      seen.every(([, count]) => count === 450),
      'all parts are there before the first evaluation',
    );
    assert.equal(seen.at(-1)?.[0], NOW - 30);
  });

  it('of an accelerated cluster go back equally far in its time, in steps of at least the interval', async () => {
    const { samples, evaluated } = await follow(prometheus([]), 60, { hourSeconds: 150 });
    const times = samples.filter(({ target }) => target === 'a').map(({ at }) => at);
    assert.ok(Math.abs(times[0] - (NOW - 14 * 3600)) < 3600, 'two weeks are fourteen hours');
    assert.equal(times[1] - times[0], 150);
    const steps = times.slice(1).map((time, i) => time - times[i]);
    assert.ok(Math.min(...steps) >= 60, `${Math.min(...steps)}`);
    assert.ok(evaluated.length > 2 && evaluated[0] >= NOW - 54 * 150 - 100);
  });

  it('say what targets are', async () => {
    const queries: string[] = [];
    const { described } = await follow(prometheus(queries), 60, { selector: 'job="kubelet"' });
    const versions = (node: string): (string | undefined)[] => [
      ...new Set(described.filter(([target]) => target === node).map(([, { version }]) => version)),
    ];
    assert.deepEqual(versions('a'), ['v1.35.7', 'v1.36.0']);
    assert.deepEqual(versions('b'), ['v1.35.7']);
    const gates =
      'max by (cluster, node, job, instance, name) (kubernetes_feature_enabled{job="kubelet", name=~"KubeletTracing"})';
    assert.ok(queries.includes(gates), queries.at(-1));
  });

  it('cover everything that the detector reads, one query per metric', async () => {
    const queries: string[] = [];
    await follow(prometheus(queries), 60);
    const queried = new Set(queries.map(queriedMetric));
    const read = namesFor('detection').filter(name => name !== SERIES_COUNT);
    assert.deepEqual(
      [...queried].sort(),
      [...read, 'go_info', 'kubernetes_build_info', 'kubernetes_feature_enabled'].sort(),
    );
  });

  it('distinguish a hung container runtime from a leak', async () => {
    const from = NOW - 14 * 86_400;
    const errorsFrom = from + 6 * 86_400;
    const levels: Readonly<Record<string, (at: number) => number>> = {
      go_goroutines: at => 300 + Math.max(0, at - errorsFrom - 3600) / 1200,
      process_start_time_seconds: () => from - 86_400,
      process_cpu_seconds_total: at => (at - from) / 10,
      kubelet_running_pods: () => 40,
      kubelet_runtime_operations_total: at => (at - from) / 4,
      kubelet_runtime_operations_errors_total: at => Math.max(0, at - errorsFrom) / 20,
    };
    const { samples } = await follow(levelsOf(levels), 60);
    const detector = createFleetDetector();
    let evaluated = from;
    for (const { target, at, values } of samples) {
      detector.observe(target, at, values);
      if (at - evaluated >= 6 * 3600) detector.evaluate((evaluated = at));
    }
    const [verdict] = detector.evaluate(NOW);
    const goroutines = verdict?.resources.find(({ resource }) => resource === 'goroutines');
    assert.equal(goroutines?.explanation, 'hung peer', goroutines?.reasons.join('\n'));
    assert.equal(goroutines.verdict, 'watch');
  });

  it('are queried again after a failure, and none is skipped', async () => {
    let refused = 0;
    const history = prometheus([], () => ++refused <= 12);
    const { samples, missing } = await follow(history, 400);
    assert.match(missing[0], /^Prometheus: .* cannot serve/);
    assert.deepEqual(missing.filter((one, i) => one !== missing[i - 1]).length, 2);
    assert.equal(missing.at(-1), 'none');
    const times = samples.filter(({ target }) => target === 'a').map(({ at }) => at);
    assert.ok(times.length > 14 * 24);
    for (let i = 1; i < times.length; i++) assert.ok(times[i] > times[i - 1] && times[i] - times[i - 1] <= 3600);
  });
});
