import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { actingWorld, marksOn } from '../../../test/double/world/acting-world.ts';
import { drainPlanFor } from '../../../test/double/world/plans.ts';
import type { ApplyResult } from './apply-plan.ts';

function stopped(result: ApplyResult): Extract<ApplyResult, { kind: 'stopped' }> {
  assert.ok(result.kind === 'stopped', JSON.stringify(result));
  return result;
}

describe('the budget of an hour', () => {
  it('begins no node of a wave for which the hour has no room, and finishes those that have', async () => {
    const nodes = ['w-1', 'w-2', 'w-3'];
    const acting = actingWorld(nodes);
    const drained = drainPlanFor(acting, nodes);
    const plan = {
      ...drained,
      policy: { ...drained.policy, maxPerHour: 2, maxConcurrent: 3 },
      waves: [{ ...drained.waves[0], nodes: drained.waves.flatMap(wave => wave.nodes) }],
    };
    const result = stopped(await acting.apply(plan));
    assert.deepEqual([result.why, result.step, result.undone], ['per-hour', 'w-3/announce', []]);
    assert.match(result.detail, /2 kubelets were restarted in the last hour or are about to be/);
    assert.deepEqual(acting.restarts.toSorted(), ['w-1', 'w-2']);
    for (const node of ['w-1', 'w-2']) assert.deepEqual(marksOn(acting, node), ['oakum.dev/last-restart']);
    assert.deepEqual(marksOn(acting, 'w-3'), []);
  });

  it('leaves no node cordoned when the hour is full just before its restart, and drains it again afterwards', async () => {
    const acting = actingWorld(['w-1', 'w-2']);
    acting.world.addPod('w-1', { name: 'a' });
    const drained = drainPlanFor(acting, ['w-1']);
    const plan = { ...drained, policy: { ...drained.policy, maxPerHour: 1 } };
    // Someone else restarts a kubelet while the pods are evicted.
    acting.world.fault = ({ path }) => {
      if (!path.endsWith('/eviction')) return undefined;
      const at = new Date(acting.clock.now() * 1000).toISOString();
      acting.world.change('nodes', 'w-2', { metadata: { annotations: { 'oakum.dev/last-restart': `${at} other` } } });
      return undefined;
    };
    const result = stopped(await acting.apply(plan));
    assert.deepEqual([result.why, result.step], ['per-hour', 'w-1/restart']);
    assert.deepEqual(
      result.undone.map(({ step, outcome }) => `${step} ${outcome}`),
      ['w-1/drain cannot', 'w-1/cordon undone', 'w-1/announce undone'],
    );
    assert.deepEqual([marksOn(acting, 'w-1'), acting.restarts], [[], []]);
    acting.world.fault = undefined;
    acting.world.addPod('w-1', { name: 'b' });
    await acting.clock.runUntil(acting.clock.now() + 3600);
    assert.deepEqual(await acting.apply(plan), { kind: 'done', wasDone: false });
    assert.deepEqual([acting.world.all('pods'), acting.restarts], [[], ['w-1']]);
    assert.deepEqual(marksOn(acting, 'w-1'), ['oakum.dev/last-restart']);
  });

  it('does not empty a node again for a restart that was done, when it is resumed after its node was not Ready', async () => {
    const acting = actingWorld(['w-1', 'w-2']);
    const plan = drainPlanFor(acting, ['w-1']);
    const setReady = (status: string): void => {
      const at = new Date(acting.clock.now() * 1000).toISOString();
      acting.world.change('nodes', 'w-1', {
        status: { conditions: [{ type: 'Ready', status, lastHeartbeatTime: at }] },
      });
    };
    acting.onCommand = async () => {
      acting.restart('w-1');
      setReady('False');
      return { how: 'exited', exitCode: 0, output: '' };
    };
    const result = stopped(await acting.apply(plan));
    assert.equal(result.step, 'w-1/wait-ready');
    assert.ok(marksOn(acting, 'w-1').includes('cordoned'));
    setReady('True');
    acting.world.addPod('w-1', { name: 'came-back' });
    assert.deepEqual(await acting.apply(plan), { kind: 'done', wasDone: false });
    assert.deepEqual([acting.world.all('pods').length, acting.restarts], [1, ['w-1']]);
    assert.deepEqual(marksOn(acting, 'w-1'), ['oakum.dev/last-restart']);
  });
});
