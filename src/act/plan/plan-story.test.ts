import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { actingWorld } from '../../../test/double/world/acting-world.ts';
import { planFor } from '../../../test/double/world/plans.ts';
import type { PlanRecord } from '../../store/plan-log.ts';
import { planStory } from './plan-text.ts';

describe('the story of a plan', () => {
  it('tells each step with its time and who did it, and the last answer of verify', async () => {
    const acting = actingWorld(['worker-1']);
    const plan = planFor(acting, ['worker-1']);
    assert.match(planStory(plan, []), /not applied/);
    await acting.apply(plan);
    const records = [...(await acting.log.read())];
    const last = records.at(-1)!;
    for (const outcome of ['too early', 'came back, intrinsic'])
      records.push({
        ...last,
        kind: 'verified',
        node: 'worker-1',
        outcome,
        detail: `worker-1: <b>${outcome}</b>`,
      } as PlanRecord);
    const story = planStory(plan, records);
    assert.match(story, /applied by tester/);
    assert.match(story, /- 2027-01-15 \d\d:\d\d:\d\d worker-1\/restart: done, the kubelet of worker-1 started again/);
    assert.match(story, /\*\*worker-1: came back, intrinsic\*\*/);
    assert.doesNotMatch(story.split('## Whether it helped')[1]!, /too early|<b>/);
  });
});
