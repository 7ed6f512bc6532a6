import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { textOf } from '../../base/json.ts';
import { actingWorld, type ActingWorld, marksOn } from '../../../test/double/world/acting-world.ts';
import { inTime } from '../../../test/double/world/in-time.ts';
import { drainPlanFor } from '../../../test/double/world/plans.ts';
import type { Plan } from '../plan/plan.ts';
import { abortOnNodes, type NodesAborted } from './abort-node.ts';

/** A plan that was stopped in the middle of its drain, with the lock released. */
async function halfDrained(): Promise<{ readonly acting: ActingWorld; readonly plan: Plan }> {
  const acting = actingWorld(['worker-1', 'worker-2']);
  acting.world.addPod('worker-1', { name: 'a', spec: { terminationGracePeriodSeconds: 100 } });
  const plan = drainPlanFor(acting, ['worker-1']);
  const stop = new AbortController();
  void acting.clock.sleep(20, stop.signal).then(() => stop.abort());
  await acting.apply(plan, { signal: stop.signal });
  assert.ok(marksOn(acting, 'worker-1').includes('cordoned'));
  return { acting, plan };
}

function abort({ clock, ports }: ActingWorld, nodes: readonly string[], planId: string | null): Promise<NodesAborted> {
  const lock = { namespace: 'oakum', name: 'oakum-actions', durationSeconds: 60 };
  const signal = new AbortController().signal;
  const who = { actor: 'robin', holder: 'abort-worker-1@there/1', hasEnded: () => false };
  return inTime(clock, abortOnNodes({ nodes, planId, lock, signal, ...who }, ports));
}

describe('an abort from the cluster alone', () => {
  it('undoes what a plan left on a node, removes its pod, and says who did it', async () => {
    const { acting, plan } = await halfDrained();
    const pod = { name: `oakum-restart-worker-1-${plan.id.slice(-8)}`, namespace: 'oakum' };
    acting.world.add('pods', { metadata: { ...pod, annotations: { 'oakum.dev/plan': plan.id } } });
    const aborted = await abort(acting, ['worker-1', 'worker-2'], null);
    assert.deepEqual(aborted, {
      kind: 'undone',
      undone: [
        {
          step: 'worker-1/cordon',
          outcome: 'undone',
          detail: `uncordoned, and the marks of ${plan.id} removed, and its pod deleted`,
        },
      ],
    });
    assert.deepEqual([marksOn(acting, 'worker-1'), acting.world.find('pods', pod.name, 'oakum')], [[], undefined]);
    assert.match(textOf(acting.world.all('events').at(-1)?.['note']), /\(aborted by robin\)$/);
    assert.deepEqual(await abort(acting, ['worker-1'], null), { kind: 'undone', undone: [] });
  });

  it('leaves alone what is not of the plan: a cordon by others, another plan, an apply that runs', async () => {
    const { acting } = await halfDrained();
    assert.deepEqual(await abort(acting, ['worker-1'], 'plan-other'), { kind: 'undone', undone: [] });
    acting.world.change('nodes', 'worker-2', { spec: { unschedulable: true } });
    assert.deepEqual(await abort(acting, ['worker-2'], null), { kind: 'undone', undone: [] });
    assert.deepEqual(marksOn(acting, 'worker-2'), ['cordoned']);
    const renewTime = new Date(acting.clock.now() * 1000).toISOString();
    acting.world.change(
      'leases',
      'oakum-actions',
      { spec: { holderIdentity: 'x', leaseDurationSeconds: 60, renewTime } },
      'oakum',
    );
    assert.match(JSON.stringify(await abort(acting, ['worker-1'], null)), /x holds the lock and may be at work/);
    assert.ok(marksOn(acting, 'worker-1').includes('cordoned'));
  });

  it('is what an abort and an apply do whose log is elsewhere', async () => {
    const { acting, plan } = await halfDrained();
    acting.log.lines.length = 0;
    const again = await acting.apply(plan);
    assert.ok(again.kind === 'refused');
    assert.match(
      again.detail,
      /was begun elsewhere, and worker-1 has its marks \(drain began \S+, applied by tester, planned by ann\): resume it where its log is, or end it with oakum plan abort --node worker-1; nothing was done/,
    );
    assert.equal((await acting.abort(plan)).kind, 'undone');
    assert.deepEqual(marksOn(acting, 'worker-1'), []);
    assert.equal((await acting.abort(plan)).kind, 'nothing-begun');
  });
});
