import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeText } from '../../base/text.ts';
import type { Reply } from '../reply.ts';
import { type HistoryPorts, readHistory } from './read-history.ts';
import type { MetricsHistory, RangeRequest } from '../ports.ts';

const NOW = 1_794_772_000;
const MIB = 1024 * 1024;

function answer(body: unknown, status = 200): Reply {
  const common = { cut: undefined, headAtSeconds: NOW, dateSeconds: NOW, tookSeconds: 0.1 };
  return { kind: 'answer', status, headers: {}, body: encodeText(JSON.stringify(body)), ...common };
}

function vector(...metrics: Record<string, string>[]): Reply {
  return answer({
    status: 'success',
    data: { resultType: 'vector', result: metrics.map(metric => ({ metric, value: [NOW, '1'] })) },
  });
}

/** Twelve days of a kubelet whose live heap rises by `perHour`, with a daily wave. */
function kubelet(instance: string, perHour: number, { fromSeconds, toSeconds, stepSeconds }: RangeRequest): object[] {
  const begin = Math.max(fromSeconds, NOW - 12 * 86_400);
  const times: number[] = [];
  for (let at = begin; at <= toSeconds; at += stepSeconds) times.push(at);
  const series = (name: string, valueAt: (hours: number) => number): object => ({
    metric: { __name__: name, job: 'kubelet', instance, node: instance.split(':')[0] },
    values: times.map(at => [at, String(valueAt((at - begin) / 3600))]),
  });
  const wave = (hours: number): number => Math.sin((hours / 24) * 2 * Math.PI);
  const heap = (hours: number): number => 40 * MIB + perHour * hours + 2 * MIB * wave(hours) + MIB * wave(hours * 7);
  return [
    series('go_gc_heap_live_bytes', heap),
    series('process_resident_memory_bytes', hours => 60 * MIB + 2 * heap(hours)),
    series('go_goroutines', hours => 300 + Math.round(10 * wave(hours * 5))),
    series('kubelet_running_pods', () => 30),
    series('process_start_time_seconds', () => begin - 86_400),
  ];
}

interface RequestContext {
  readonly instants: string[];
  readonly ranges: RangeRequest[];
}

function prometheus(nodes: Readonly<Record<string, number>>, sent: RequestContext, failing?: Reply): MetricsHistory {
  const labels = (instance: string): Record<string, string> => ({ job: 'kubelet', instance });
  return {
    address: 'http://prom:9090',
    instant: async query => {
      sent.instants.push(query);
      const names = Object.keys(nodes).filter(name => query.startsWith('process_') || query.includes(`"${name}"`));
      return vector(...names.map(labels));
    },
    range: async request => {
      sent.ranges.push(request);
      if (failing !== undefined) return failing;
      if (request.query.includes('container_'))
        return answer({ status: 'success', data: { resultType: 'matrix', result: [] } });
      const result = Object.entries(nodes)
        .filter(([name]) => new RegExp(`["|]${name}["|]`).test(request.query))
        .flatMap(([name, perHour]) => kubelet(name, perHour, request));
      return answer({ status: 'success', data: { resultType: 'matrix', result } });
    },
  };
}

async function ask(nodes: Readonly<Record<string, number>>, more: Partial<HistoryPorts> = {}, failing?: Reply) {
  const sent: RequestContext = { instants: [], ranges: [] };
  const found = await readHistory({
    history: prometheus(nodes, sent, failing),
    ref: { kind: 'node', name: 'worker-17' },
    target: 'node/worker-17',
    addresses: [],
    namespace: '',
    match: '',
    memoryLimitBytes: 2 ** 30,
    nowSeconds: NOW,
    signal: new AbortController().signal,
    ...more,
  });
  return { ...found, ...sent };
}

describe('the history of a target', () => {
  it('proves a leak over days with the time to its limit, and clears a healthy target', async () => {
    const peers = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`peer-${i}`, 0]));
    const leaking = await ask({ 'worker-17': 0.6 * MIB, ...peers });
    assert.equal(leaking.problem, null);
    assert.equal(leaking.selector, 'job="kubelet",instance="worker-17"');
    assert.equal(leaking.peerCount, 15, 'every second of 30: at most 20');
    const { detected } = leaking;
    assert.equal(detected?.verdict, 'leak');
    const [worst] = detected?.resources ?? [];
    assert.equal(worst?.resource, 'live heap');
    const [low, high] = worst?.timeToLimitHours ?? [0, 0];
    // From 60 + 2 * 213 MiB at 1.2 MiB/h to 1 GiB: 450 hours.
    assert.ok(low > 250 && low < 450 && (high ?? Infinity) > 450, `${low} to ${high}`);
    const healthy = await ask({ 'worker-17': 0, ...peers });
    assert.equal(healthy.detected?.verdict, 'healthy');
  });

  it('sends bounded queries: two weeks, every five minutes, peers every ten', async () => {
    const { ranges } = await ask({ 'worker-17': 0, 'peer-1': 0 });
    assert.deepEqual(
      ranges.map(({ fromSeconds, toSeconds, stepSeconds }) => [toSeconds - fromSeconds, stepSeconds]),
      [
        [1_209_600, 300],
        [1_209_600, 300],
        [1_209_600, 600],
      ],
    );
  });

  it('says why it is missing, and what to do', async () => {
    const problem = async (...args: Parameters<typeof ask>): Promise<string> => (await ask(...args)).problem ?? '';
    assert.match(await problem({}), /no series of node\/worker-17 .*--prometheus-match/);
    assert.match(
      await problem({ a: 0, b: 0 }, { ref: { kind: 'apiserver' }, target: 'apiserver', match: 'x="a",y="b"' }),
      /2 of its targets may be apiserver \(job="kubelet",instance="a" or .*\): name it with/,
    );
    const socket = { ref: { kind: 'unix', socketPath: '/s' } as const, target: 'unix:///s' };
    assert.match(await problem({}, socket), /no Prometheus scrapes unix:\/\/\/s/);
    const refused: Reply = { kind: 'refused', message: 'refused', tls: undefined, tookSeconds: 0 };
    assert.match(await problem({ 'worker-17': 0 }, {}, refused), /http:\/\/prom:9090 refuses the connection/);
    const failed = answer({ status: 'error', errorType: 'bad_data', error: 'exceeded maximum resolution' });
    assert.match(await problem({ 'worker-17': 0 }, {}, failed), /exceeded maximum resolution; ask with a larger step/);
    const forbidden = answer({}, 403);
    assert.match(await problem({ 'worker-17': 0 }, {}, forbidden), /query_range is denied/);
  });
});
