import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recordOf, textOf } from '../../base/json.ts';
import type { Plan } from '../plan/plan.ts';
import type { PlanStep, StepCall } from '../plan/plan-step.ts';
import { actingWorld, type ActingWorld, marksOn } from '../../../test/double/world/acting-world.ts';
import { planFor } from '../../../test/double/world/plans.ts';
import { status } from '../../../test/double/world/world-answer.ts';

const POD: StepCall = {
  kind: 'pod',
  path: '/api/v1/namespaces/oakum/pods',
  manifest: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'oakum-restart', namespace: 'oakum' },
    spec: { nodeName: 'worker-1', hostPID: true, containers: [{ name: 'restart', image: 'x' }] },
  },
  namespace: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'oakum' } },
};

function withRestart(acting: ActingWorld, call: StepCall): Plan {
  const plan = planFor(acting, ['worker-1']);
  const change = (step: PlanStep): PlanStep => (step.kind === 'restart' ? { ...step, call } : step);
  const waves = plan.waves.map(wave => ({
    ...wave,
    nodes: wave.nodes.map(node => ({ ...node, steps: node.steps.map(change) })),
  }));
  return { ...plan, waves };
}

const pods = ({ world }: ActingWorld): unknown[] => world.all('pods');

describe('a restart by a pod', () => {
  it('makes no pod after it was told to stop while the world was read', async () => {
    const acting = actingWorld(['worker-1']);
    const stop = new AbortController();
    let made = 0;
    acting.world.onCreated = () => made++;
    acting.world.fault = ({ body }) => {
      if (JSON.stringify(body ?? '').includes('restart began')) stop.abort();
      return undefined;
    };
    const result = await acting.apply(withRestart(acting, POD), { signal: stop.signal });
    assert.ok(result.kind === 'stopped' && result.why === 'interrupted', JSON.stringify(result));
    assert.deepEqual([stop.signal.aborted, made, acting.restarts, pods(acting)], [true, 0, [], []]);
  });

  it('makes the namespace and the pod, sees the restart, and removes the pod', async () => {
    const acting = actingWorld(['worker-1']);
    acting.world.onCreated = pod => acting.restart(textOf(recordOf(pod['spec'])['nodeName']));
    assert.equal((await acting.apply(withRestart(acting, POD))).kind, 'done');
    assert.ok(acting.world.find('namespaces', 'oakum') !== undefined);
    assert.deepEqual([acting.restarts, pods(acting)], [['worker-1'], []]);
  });

  it('removes the pod when it fails, when nothing is seen, and after a stop; says why', async () => {
    const failing = actingWorld(['worker-1']);
    failing.world.onCreated = pod => {
      const waiting = { state: { waiting: { reason: 'ImagePullBackOff' } } };
      pod['status'] = { phase: 'Pending', containerStatuses: [waiting] };
    };
    const failed = await failing.apply(withRestart(failing, POD));
    assert.match(JSON.stringify(failed), /oakum\/oakum-restart failed: its image cannot be used \(ImagePullBackOff\)/);
    const silent = actingWorld(['worker-1']);
    assert.match(
      JSON.stringify(await silent.apply(withRestart(silent, POD))),
      /no restart of the kubelet of worker-1 was seen in 3m/,
    );
    const stopped = actingWorld(['worker-1']);
    const stop = new AbortController();
    stopped.world.onCreated = () => stop.abort();
    assert.match(
      JSON.stringify(await stopped.apply(withRestart(stopped, POD), { signal: stop.signal })),
      /interrupted/,
    );
    for (const acting of [failing, silent, stopped]) assert.deepEqual([acting.restarts, pods(acting)], [[], []]);
  });

  it('makes one pod although the answer got lost, and none where Pod Security refuses', async () => {
    const acting = actingWorld(['worker-1']);
    acting.world.onCreated = () => acting.restart('worker-1');
    let lost = 0;
    acting.world.fault = ({ method, path }, done) => {
      if (method !== 'POST' || !path.endsWith('/pods') || lost++ > 0) return undefined;
      done();
      return 'no-answer';
    };
    assert.equal((await acting.apply(withRestart(acting, POD))).kind, 'done');
    assert.deepEqual([acting.restarts, pods(acting)], [['worker-1'], []]);
    const strict = actingWorld(['worker-1']);
    strict.world.fault = ({ method, path }) =>
      method === 'POST' && path.endsWith('/pods')
        ? status(403, 'Forbidden', 'violates PodSecurity "restricted"')
        : undefined;
    assert.match(JSON.stringify(await strict.apply(withRestart(strict, POD))), /"forbidden".*violates PodSecurity/);
    assert.deepEqual(marksOn(strict, 'worker-1'), []);
  });
});

describe('a restart that someone else does', () => {
  it('prints the commands and waits until it is seen', async () => {
    const acting = actingWorld(['worker-1']);
    void acting.clock.sleep(30, new AbortController().signal).then(() => acting.restart('worker-1'));
    const plan = withRestart(acting, { kind: 'print', commands: ['ssh worker-1 sudo systemctl restart kubelet'] });
    assert.equal((await acting.apply(plan)).kind, 'done');
    assert.ok(acting.said.includes('run on worker-1: ssh worker-1 sudo systemctl restart kubelet'));
  });

  it('does not hold the lock while a person is waited for, and takes it again for the next node', async () => {
    const acting = actingWorld(['worker-1', 'worker-2']);
    const held: unknown[] = [];
    const holder = (): unknown =>
      recordOf(acting.world.find('leases', 'oakum-actions', 'oakum')?.['spec'])['holderIdentity'];
    const plan = planFor(acting, ['worker-1', 'worker-2'], { via: 'print' });
    void (async () => {
      for (const node of ['worker-1', 'worker-2']) {
        while (!acting.said.some(line => line.startsWith(`run on ${node}`)))
          await acting.clock.sleep(5, new AbortController().signal);
        await acting.clock.sleep(30, new AbortController().signal);
        held.push(holder());
        acting.restart(node);
      }
    })();
    assert.deepEqual(await acting.apply(plan), { kind: 'done', wasDone: false });
    assert.deepEqual([acting.restarts, held, holder()], [['worker-1', 'worker-2'], ['', ''], '']);
  });
});
