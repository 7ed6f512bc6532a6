/** What an apply would do now, without doing any of it. */
import type { PlanPrecondition } from '../plan/plan-step.ts';
import { stepsOf } from '../plan/read-plan.ts';
import type { ActPorts } from './act-context.ts';
import { type ApplyRequest, contextOf } from './apply-plan.ts';
import { missingRights, otherCluster, standingOf, type Standing } from './check-plan.ts';
import { readProcessStart } from './process-start.ts';
import { checkPreconditions } from './preconditions.ts';

export interface PlanPreview {
  readonly standing: Standing;
  readonly steps: readonly { readonly step: string; readonly why: string | undefined; readonly isDone: boolean }[];
}

/** These come to hold by earlier steps. */
const BY_STEPS: ReadonlySet<PlanPrecondition['kind']> = new Set(['lock-held', 'cordoned-by-us']);

export async function previewPlan(
  request: Omit<ApplyRequest, 'verify' | 'observe' | 'oakumVersion'>,
  ports: ActPorts,
): Promise<PlanPreview> {
  const { plan, log } = request;
  const { actions, clock } = ports;
  const records = await log.read();
  const standing = standingOf(plan, records, clock.now());
  if (standing.kind === 'refused' || standing.kind === 'done') return { standing, steps: [] };
  const refusal = (await otherCluster(plan, actions)) ?? (await missingRights(plan, actions));
  if (refusal !== undefined) return { standing: { kind: 'refused', ...refusal }, steps: [] };
  const { journal } = contextOf(request, ports, records);
  const access = {
    actions,
    clock,
    planId: plan.id,
    processStart: async (node: string) => readProcessStart(await ports.kubelet(node)),
    whyLockLost: () => undefined,
  };
  const steps: { step: string; why: string | undefined; isDone: boolean }[] = [];
  for (const { id, kind, preconditions } of stepsOf(plan)) {
    const state = journal.stateOf(id);
    const isDone = kind !== 'lock' && state.kind === 'ended' && state.outcome !== 'failed';
    const checked = isDone
      ? { kind: 'holds' as const }
      : await checkPreconditions(
          preconditions.filter(one => !BY_STEPS.has(one.kind)),
          access,
        );
    steps.push({ step: id, why: checked.kind === 'holds' ? undefined : checked.detail, isDone });
  }
  return { standing, steps };
}
