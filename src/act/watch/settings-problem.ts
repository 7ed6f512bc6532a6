/** A plan runs only what this server was started to run, whatever the store says. */
import type { Plan } from '../plan/plan.ts';
import { isOfTemplate, restartTemplate } from '../plan/distribution.ts';
import type { PlanSettings } from './make-watch-plan.ts';

/** Why the plan does not fit the settings any more; undefined if it does. */
export function notOfSettings(plan: Plan, { restart }: PlanSettings): string | undefined {
  const changed = 'this server restarts kubelets in another way than the plan says; make a new plan';
  if (plan.via !== null && plan.via !== restart.via) return changed;
  for (const { node, distribution, isControlPlane, steps } of plan.waves.flatMap(wave => wave.nodes)) {
    const template = restart.template ?? restartTemplate(distribution, isControlPlane);
    for (const { call } of steps) {
      const isOther =
        (call.kind === 'command' && (restart.via !== 'command' || !isOfTemplate(call.argv, template, node))) ||
        (call.kind === 'pod' &&
          (restart.via !== 'pod' || call.path !== `/api/v1/namespaces/${restart.namespace}/pods`));
      if (isOther) return changed;
    }
  }
  return undefined;
}
