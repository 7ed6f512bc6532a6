/** What holds for every plan, whatever the cluster. */
import { planYaml } from './plan-file.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { aFinding, aNode, aRequest, planFor } from '../../../test/double/plan-facts.ts';
import { readToAct } from '../../../test/double/small-plan.ts';
import { encodeText } from '../../base/text.ts';
import { PLAN_ACTIONS, RESTART_VIAS } from './plan.ts';
import { stepsOf } from './derive-plan.ts';
import { rightKey, rightsOfCall, rightsOfPrecondition } from './rights.ts';

describe('any plan', () => {
  const zones = fc.constantFrom('a', 'b', 'c', null);
  const nodes = fc
    .array(
      fc.record({
        zone: zones,
        pool: zones,
        isControlPlane: fc.boolean(),
        hours: fc.option(fc.integer({ min: 1, max: 900 })),
      }),
      { minLength: 1, maxLength: 12 },
    )
    .map(list => list.map(({ hours, ...more }, i) => ({ node: aNode(`n${i}`, more), hours })));
  const plans = fc
    .record({
      nodes,
      action: fc.constantFrom(...PLAN_ACTIONS),
      via: fc.constantFrom(...RESTART_VIAS),
      drains: fc.boolean(),
      maxConcurrent: fc.integer({ min: 1, max: 5 }),
    })
    .map(({ nodes: list, action, via, drains, maxConcurrent }) => {
      const request = aRequest([]);
      return planFor(
        list.map(({ node }) => node),
        {
          action,
          restart: { ...request.restart, via },
          drain: { ...request.drain, before: drains },
          policy: { ...request.policy, maxConcurrent },
          findings: new Map(
            list.map(({ node, hours }) => [
              node.name,
              aFinding(node.name, { timeToLimitHours: hours === null ? null : [hours, null] }),
            ]),
          ),
        },
      );
    });

  it('never works on two nodes of one zone or pool at once, control planes last and alone, canary alone', () => {
    fc.assert(
      fc.property(plans, plan => {
        for (const { nodes: wave, isCanary } of plan.waves) {
          assert.equal(new Set(wave.map(({ zone }) => zone)).size, wave.length);
          assert.equal(new Set(wave.map(({ pool }) => pool)).size, wave.length);
          assert.ok(wave.length <= plan.policy.maxConcurrent && wave.length > 0);
          if (isCanary || wave.some(({ isControlPlane }) => isControlPlane)) assert.equal(wave.length, 1);
        }
        const order = plan.waves.flatMap(({ nodes: wave }) => wave.map(({ isControlPlane }) => isControlPlane));
        assert.ok(order.lastIndexOf(false) < (order.indexOf(true) === -1 ? Infinity : order.indexOf(true)));
      }),
      { numRuns: 60 },
    );
  });

  it('has rights for every call, undo and precondition, and final steps without undo', () => {
    fc.assert(
      fc.property(plans, plan => {
        const told = new Set(plan.rights.map(rightKey));
        for (const step of stepsOf(plan)) {
          const own = new Set(step.rights.map(rightKey));
          const needed = [
            ...rightsOfCall(step.call),
            ...(step.undo === null ? [] : rightsOfCall(step.undo.call)),
            ...step.preconditions.flatMap(rightsOfPrecondition),
          ];
          assert.ok(
            own.size > 0 && needed.every(right => own.has(rightKey(right)) && told.has(rightKey(right))),
            step.id,
          );
          assert.ok(!step.isFinal || step.undo === null, step.id);
          const isTouching = ['cordon', 'drain', 'restart', 'announce', 'delete-node'].includes(step.kind);
          if (isTouching)
            assert.ok(
              step.preconditions.some(({ kind }) => kind === 'lock-held'),
              step.id,
            );
        }
      }),
      { numRuns: 30 },
    );
  });

  it('is read as it was written', () => {
    fc.assert(
      fc.property(plans, plan => assert.deepEqual(readToAct(encodeText(planYaml(plan))), plan)),
      { numRuns: 4 },
    );
  });
});
