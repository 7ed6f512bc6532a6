import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeText } from '../base/text.ts';
import type { Reply } from '../live/reply.ts';
import type { NodeVerification, VerifySample } from './plan-verification.ts';
import { smallPlan } from '../../test/double/small-plan.ts';
import { actingWorld } from '../../test/double/world/acting-world.ts';
import { prometheusSamples, type PrometheusPorts } from './prometheus-samples.ts';
import { verifyOne } from './verify-plan.ts';
import type { MetricsHistory, RangeRequest } from '../live/ports.ts';

const MB = 1e6;
const PLAN = smallPlan(['worker-1']);
const [NODE] = PLAN.waves[0].nodes;
const OLD_START = NODE.verification.before.processStartSeconds ?? 0;
const RESTART = Date.parse(NODE.verification.before.at) / 1000 + 60;
const NOW = RESTART + 10 * 3600;

function reply(body: unknown, status = 200): Reply {
  const common = { cut: undefined, headAtSeconds: NOW, dateSeconds: NOW, tookSeconds: 0.1 };
  return { kind: 'answer', status, headers: {}, body: encodeText(JSON.stringify(body)), ...common };
}

/** Kubelets that grow by 2.4 MB an hour before the restart, and by `after` since. */
function prometheus(after: number, instances = ['10.0.0.1:10250']) {
  const asked: string[] = [];
  const ranges: RangeRequest[] = [];
  const history: MetricsHistory = {
    address: 'http://prom:9090',
    instant: async query => {
      asked.push(query);
      const result = instances.map(instance => ({ metric: { job: 'kubelet', instance }, value: [NOW, '30'] }));
      return reply({ status: 'success', data: { resultType: 'vector', result } });
    },
    range: async request => {
      ranges.push(request);
      const times: number[] = [];
      for (let at = request.fromSeconds; at <= request.toSeconds; at += request.stepSeconds) times.push(at);
      const series = (name: string, valueAt: (at: number, i: number) => number) => ({
        metric: { __name__: name, job: 'kubelet', instance: instances[0] },
        values: times.map((at, i) => [at, String(valueAt(at, i))]),
      });
      const noise = (i: number): number => (((i * 7919) % 13) - 6) * 0.05 * MB;
      const heap = (at: number, i: number): number =>
        at < RESTART
          ? (100 + (2.4 * (at - OLD_START)) / 3600) * MB + noise(i)
          : (60 + (after * (at - RESTART)) / 3600) * MB + noise(i);
      const result = [
        series('go_gc_heap_live_bytes', heap),
        series('process_start_time_seconds', at => (at < RESTART ? OLD_START : RESTART)),
        series('process_resident_memory_bytes', (at, i) => 2 * heap(at, i)),
        series('go_goroutines', () => 700),
        series('kubelet_running_pods', () => 30),
      ];
      return reply({ status: 'success', data: { resultType: 'matrix', result } });
    },
  };
  return { history, asked, ranges };
}

async function verify(history: MetricsHistory, more: Partial<PrometheusPorts> = {}) {
  const acting = actingWorld(['worker-1']);
  acting.world.change('nodes', 'worker-1', { status: { addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] } });
  const said: string[] = [];
  const now = (): number => NOW;
  const ports: PrometheusPorts = {
    history,
    actions: acting.actions,
    match: '',
    now,
    signal: new AbortController().signal,
    ...more,
  };
  const none = { read: async (): Promise<VerifySample[]> => [], append: async () => {} };
  // Whoever may ask Prometheus need not be allowed to read the kubelet.
  const kubelet = async () => ({
    ...(await acting.kubelet('worker-1')),
    get: async (): Promise<Reply> => reply({ message: 'forbidden' }, 403),
  });
  const answer: NodeVerification = await verifyOne(
    { plan: PLAN, records: [], warmUpSeconds: undefined },
    {
      actions: acting.actions,
      clock: { now, sleep: async () => {} },
      kubelet,
      say: line => void said.push(line),
      samples: none,
      fromPrometheus: nodePlan => prometheusSamples(nodePlan, RESTART, ports),
    },
    NODE,
  );
  return { answer, said };
}

describe('verify with a Prometheus', () => {
  it('answers at the first look, from what it has of both lives, without reading the kubelet', async () => {
    const { history, asked, ranges } = prometheus(2.4);
    const { answer } = await verify(history);
    assert.equal(answer.outcome, 'came back, intrinsic', answer.sentence);
    assert.ok(Math.abs((answer.slopes?.before ?? 0) - 2.4 * MB) < 0.05 * MB, String(answer.slopes?.before));
    assert.ok(Math.abs((answer.slopes?.after ?? 0) - 2.4 * MB) < 0.1 * MB, String(answer.slopes?.after));
    assert.match(answer.sentence, /at 30 pods: a restart only buys time; at the limit again on 2027-/);
    assert.match(asked[0], /node="worker-1".*instance=~"\(worker-1\|10\\\\\.0\\\\\.0\\\\\.1\)\(:\[0-9\]\+\)\?"/);
    assert.ok(ranges.every(({ query }) => query.includes('job="kubelet",instance="10.0.0.1:10250"')));
    for (const { fromSeconds, toSeconds, stepSeconds } of ranges)
      assert.ok((toSeconds - fromSeconds) / stepSeconds < 1000 && stepSeconds >= 15);
    assert.equal((await verify(prometheus(0).history)).answer.outcome, 'cleared');
  });

  it('says what is wrong with it, and goes on with what it sees itself', async () => {
    const several = await verify(prometheus(0, ['10.0.0.1:10250', 'worker-1:10250']).history);
    assert.equal(several.answer.outcome, 'unread');
    assert.match(several.said.join(), /2 targets may be node\/worker-1 .*--prometheus-match/);
    const none = await verify(prometheus(0, []).history);
    assert.match(none.said.join(), /has no series of node\/worker-1/);
    const down: MetricsHistory = { ...prometheus(0).history, range: async () => reply({}, 503) };
    assert.match((await verify(down)).said.join(), /http:\/\/prom:9090 says it cannot serve/);
    const odd: MetricsHistory = {
      ...prometheus(0).history,
      range: async () => ({ ...reply(0), body: encodeText('<html>') }) as Reply,
    };
    assert.equal((await verify(odd)).answer.outcome, 'unread');
    const { history, asked } = prometheus(0);
    await verify(history, { match: 'instance="a"' });
    assert.match(asked[0], /go_goroutines\{instance="a"\}/);
  });
});
