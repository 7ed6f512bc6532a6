/** Plans for a world: the small plan of now, and one that also drains. */
import type { Plan } from '../../../src/act/plan/plan.ts';
import type { DrainCall, PlanStep, StepCall } from '../../../src/act/plan/plan-step.ts';
import type { UnsealedPlan } from '../../../src/act/plan/plan-file.ts';
import { smallPlan } from '../small-plan.ts';
import type { SmallWorld } from './small-world.ts';

export function planFor({ clock }: SmallWorld, nodes: readonly string[], change: Partial<UnsealedPlan> = {}): Plan {
  const at = (seconds: number): string => new Date((clock.now() + seconds) * 1000).toISOString();
  return smallPlan(nodes, { createdAt: at(-60), expiresAt: at(29 * 60), ...change });
}

/** Announce, cordon, drain, restart, wait, uncordon, withdraw, verify. */
export function drainPlanFor(small: SmallWorld, nodes: readonly string[], drain: Partial<DrainCall> = {}): Plan {
  const plan = planFor(small, nodes);
  const waves = plan.waves.map(wave => ({
    ...wave,
    nodes: wave.nodes.map(nodePlan => {
      const [announce, restart, ready, withdraw] = nodePlan.steps;
      const { node } = nodePlan;
      const step = (kind: PlanStep['kind'], call: StepCall, more: Partial<PlanStep> = {}): PlanStep => ({
        ...announce,
        id: `${node}/${kind}`,
        kind,
        sentence: `${kind} ${node}`,
        call,
        preconditions: [{ kind: 'lock-held' }],
        undo: null,
        timeoutSeconds: 600,
        ...more,
      });
      const cordon = patch(node, { 'oakum.dev/cordoned-by': plan.id }, true);
      const uncordon = patch(node, { 'oakum.dev/cordoned-by': null }, null);
      const drainCall: DrainCall = {
        kind: 'drain',
        node,
        maxConcurrent: 3,
        retrySeconds: 60,
        gracePeriodSeconds: null,
        deleteEmptyDirData: false,
        force: false,
        pods: [],
        ...drain,
      };
      const steps = [
        announce,
        step('cordon', cordon, {
          preconditions: [
            { kind: 'not-cordoned', node },
            { kind: 'no-foreign-work', node },
          ],
          undo: { sentence: `uncordons ${node}`, call: uncordon },
        }),
        step('drain', drainCall, { preconditions: [{ kind: 'cordoned-by-us', node }] }),
        restart,
        ready,
        step('uncordon', uncordon),
        withdraw,
        step('verify', { kind: 'verify', path: `/api/v1/nodes/${node}/proxy/metrics` }),
      ];
      return { ...nodePlan, steps };
    }),
  }));
  return { ...plan, waves };
}

function patch(node: string, annotations: Record<string, string | null>, unschedulable: boolean | null): StepCall {
  return {
    kind: 'request',
    method: 'PATCH',
    path: `/api/v1/nodes/${node}`,
    contentType: 'application/merge-patch+json',
    body: { metadata: { annotations }, spec: { unschedulable } },
  };
}
