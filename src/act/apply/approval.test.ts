import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { actingWorld, type ActingWorld, marksOn } from '../../../test/double/world/acting-world.ts';
import { planFor } from '../../../test/double/world/plans.ts';
import type { Plan } from '../plan/plan.ts';
import { approvePlan } from './approval.ts';

function ruled(annotations: Readonly<Record<string, string>>): ActingWorld {
  const acting = actingWorld(['worker-1', 'worker-2']);
  acting.world.change('namespaces', 'kube-system', { metadata: { annotations } });
  return acting;
}

const approve = ({ actions, clock }: ActingWorld, plan: Plan, by: string) =>
  approvePlan(plan, by, actions, clock.now());

async function refusal(acting: ActingWorld, plan: Plan): Promise<string> {
  const result = await acting.apply(plan);
  assert.ok(result.kind === 'refused', JSON.stringify(result));
  assert.deepEqual([acting.restarts, acting.log.lines, marksOn(acting, 'worker-1')], [[], [], []]);
  assert.ok(acting.world.requests.every(({ method, path }) => method === 'GET' || /reviews$|configmaps$/.test(path)));
  return result.detail;
}

describe('a cluster with rules', () => {
  it('refuses a plan during a pause and outside of its windows, and begins no node after one began', async () => {
    const paused = ruled({ 'oakum.dev/pause': 'change freeze' });
    assert.match(
      await refusal(paused, planFor(paused, ['worker-1'])),
      /acting is paused .*: change freeze; nothing was done/,
    );
    const closed = ruled({ 'oakum.dev/windows': 'nonsense' });
    assert.match(await refusal(closed, planFor(closed, ['worker-1'])), /cannot be read/);
    const acting = ruled({});
    acting.onCommand = async () => {
      acting.world.change('namespaces', 'kube-system', { metadata: { annotations: { 'oakum.dev/pause': 'stop' } } });
      return undefined;
    };
    const result = await acting.apply(planFor(acting, ['worker-1', 'worker-2']));
    assert.ok(result.kind === 'stopped' && result.step === 'worker-2/announce', JSON.stringify(result));
    assert.deepEqual([acting.restarts, marksOn(acting, 'worker-2')], [['worker-1'], []]);
  });

  it('leaves a node alone whose owners opted out', async () => {
    const acting = ruled({});
    const annotations = { 'oakum.dev/opt-out': 'runs the payroll' };
    acting.world.change('nodes', 'worker-1', { metadata: { annotations } });
    const result = await acting.apply(planFor(acting, ['worker-1']));
    assert.ok(result.kind === 'stopped');
    assert.match(
      result.detail,
      /worker-1 is left out by its owners \(annotation oakum\.dev\/opt-out\): runs the payroll/,
    );
  });

  it('wants a second person, for these calls and no others', async () => {
    const acting = ruled({ 'oakum.dev/approval': 'oakum' });
    const plan = planFor(acting, ['worker-1']);
    assert.match(await refusal(acting, plan), /wants a second person to approve a plan: oakum plan approve -f PLAN/);
    assert.deepEqual(await approve(acting, plan, 'ann'), {
      kind: 'refused',
      detail: 'ann made the plan, and another person has to approve it',
    });
    assert.deepEqual(await approve(acting, plan, 'tester'), { kind: 'approved' });
    assert.match(await refusal(acting, plan), /tester approved it, and another person has to/);
    assert.deepEqual(await approve(acting, plan, 'robin'), {
      kind: 'refused',
      detail: `${plan.id} is approved already`,
    });

    const second = ruled({ 'oakum.dev/approval': 'oakum' });
    const other = planFor(second, ['worker-1']);
    await approve(second, other, 'robin');
    const changed = { ...other, callsHash: `sha256:${'0'.repeat(64)}` };
    assert.match(await refusal(second, changed), /what robin approved is another plan than this/);
    assert.deepEqual(await second.apply(other), { kind: 'done', wasDone: false });
    assert.deepEqual(second.restarts, ['worker-1']);
  });
});
