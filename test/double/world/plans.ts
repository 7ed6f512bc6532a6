/** Plans for a world: the small plan of now, and one that also drains. */
import type { DrainChoice, Plan, PlanIntent } from '../../../src/act/plan/plan.ts';
import { SMALL_DRAIN, smallPlan } from '../small-plan.ts';
import type { SmallWorld } from './small-world.ts';

export function planFor({ clock }: SmallWorld, nodes: readonly string[], change: Partial<PlanIntent> = {}): Plan {
  const at = (seconds: number): string => new Date((clock.now() + seconds) * 1000).toISOString();
  return smallPlan(nodes, { createdAt: at(-60), expiresAt: at(29 * 60), ...change });
}

/** Announce, cordon, drain, restart, wait, uncordon, withdraw, verify. */
export function drainPlanFor(small: SmallWorld, nodes: readonly string[], drain: Partial<DrainChoice> = {}): Plan {
  return planFor(small, nodes, { drain: { ...SMALL_DRAIN, ...drain } });
}
