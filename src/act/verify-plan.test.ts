import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { VerifySample } from './plan-verification.ts';
import { actingWorld } from '../../test/double/world/acting-world.ts';
import { inTime } from '../../test/double/world/in-time.ts';
import { planFor } from '../../test/double/world/plans.ts';
import { verifyPlan } from './verify-plan.ts';

describe('verify', () => {
  it('looks again until the time is up, keeps every look, and knows how long Ready took', async () => {
    const acting = actingWorld(['worker-1']);
    const plan = planFor(acting, ['worker-1']);
    await acting.apply(plan);
    const kept: VerifySample[] = [];
    const samples = { read: async () => kept, append: async (one: VerifySample) => void kept.push(one) };
    const request = {
      plan,
      records: await acting.log.read(),
      warmUpSeconds: undefined,
      signal: new AbortController().signal,
    };
    const ports = { ...acting, kubelet: acting.kubelet, say: () => {}, samples };
    const looking = verifyPlan({ ...request, forSeconds: 600, everySeconds: 60 }, ports);
    const { nodes, schema } = await inTime(acting.clock, looking);
    assert.deepEqual([schema, nodes[0].outcome, kept.length], ['oakum.verify/v1', 'too early', 11]);
    assert.equal(nodes[0].checks.find(({ name }) => name === 'ready')?.text, 'Ready again 0s after the restart');
  });
});
