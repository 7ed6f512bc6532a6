import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startExample } from '../../../test/double/example-server.ts';
import { AlertReceiver, candidates } from './alert-receiver.ts';

const message = (...alerts: object[]): string => JSON.stringify({ version: '4', receiver: 'oakum', alerts });
const firing = (labels: object): object => ({ status: 'firing', labels });

function receiver(known: readonly string[]) {
  const captured: string[] = [];
  let now = 1000;
  const made = new AlertReceiver(
    {
      captureNow: async (target, reason) => {
        if (!known.includes(target)) return undefined;
        captured.push(`${target}: ${reason}`);
        return { captureId: 'c1' };
      },
    },
    () => {},
    () => now,
  );
  return { made, captured, pass: (seconds: number) => (now += seconds) };
}

describe('alert receiver', () => {
  it('captures the target of a firing alert, once per ten minutes', async () => {
    const { made, captured, pass } = receiver(['node/worker-17', 'http://10.0.0.1:6060']);
    const alert = firing({ alertname: 'KubeletMemory', node: 'worker-17', instance: '10.0.0.9:10250' });
    const { captures } = await made.receive(
      message(
        alert,
        alert,
        { status: 'resolved', labels: { node: 'b' } },
        firing({ alertname: 'X', instance: '10.0.0.1:6060' }),
        firing({ alertname: 'Y', node: 'gone' }),
        firing({ alertname: 'Z' }),
        firing({ alertname: 'OakumLeak', reporter: 'oakum', node: 'worker-17' }),
      ),
    );
    assert.deepEqual(
      captures.map(({ target, result }) => `${target}: ${result}`),
      [
        'node/worker-17: started',
        'http://10.0.0.1:6060: started',
        'node/gone: no such target',
        'undefined: it names no target',
      ],
    );
    assert.equal(captured[0], 'node/worker-17: the alert KubeletMemory fires');
    pass(60);
    const again = await made.receive(message(alert));
    assert.match(again.captures[0].result, /again in 540 s/);
    pass(600);
    assert.equal((await made.receive(message(alert))).captures[0].result, 'started');
  });

  it('finds a pod by its labels', () => {
    assert.deepEqual(candidates({ namespace: 'kcp', pod: 'kcp-0', instance: '10.1.1.1:6443' }).slice(0, 2), [
      'pod/kcp/kcp-0:6443',
      'node/10.1.1.1',
    ]);
  });

  it('finds a node of one of several clusters by the label of the cluster', async () => {
    const { made } = receiver(['cluster/eu/node/worker-1', 'cluster/us/node/worker-1']);
    const { captures } = await made.receive(
      message(
        firing({ alertname: 'KubeletMemory', node: 'worker-1', cluster: 'us' }),
        firing({ alertname: 'KubeletMemory', node: 'worker-1' }),
        firing({ alertname: 'KubeletMemory', node: 'worker-1', cluster: 'ap' }),
      ),
    );
    assert.deepEqual(
      captures.map(({ target, result }) => `${target}: ${result}`),
      ['cluster/us/node/worker-1: started', 'node/worker-1: no such target', 'node/worker-1: no such target'],
    );
  });

  it('refuses what is no message', async () => {
    const { made } = receiver([]);
    for (const body of ['', '[]', '{}', '{"alerts": 1}'])
      await assert.rejects(made.receive(body), /no message of an Alertmanager/);
    assert.deepEqual(await made.receive('{"alerts": [1, null, {"status": "firing"}]}'), {
      captures: [{ target: undefined, alert: 'an alert', result: 'it names no target' }],
    });
  });

  it('needs the token of the server', async t => {
    const token = 'x'.repeat(40);
    const { ask } = await startExample(t, { token });
    const headers = { 'content-type': 'application/json' };
    const question = { method: 'POST', headers, body: message() };
    assert.equal((await ask('/api/v1/alertmanager', question)).status, 401);
    const withToken = { ...question, headers: { ...headers, authorization: `Bearer ${token}` } };
    const { status, text } = await ask('/api/v1/alertmanager', withToken);
    assert.deepEqual([status, text], [202, '{"captures":[]}']);
    const long = { ...withToken, body: 'x'.repeat(1024 * 1024 + 1) };
    assert.equal((await ask('/api/v1/alertmanager', long)).status, 413);
    assert.equal((await ask('/api/v1/notifications', { headers: withToken.headers })).status, 200);
  });
});
