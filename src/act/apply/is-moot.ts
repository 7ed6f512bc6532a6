/** What a resumed run leaves out, because an earlier one undid what it belongs to. */
import type { PlanStep } from '../plan/plan-step.ts';
import type { Journal } from './journal.ts';

export function isMoot(journal: Journal, { kind }: PlanStep, steps: readonly PlanStep[]): boolean {
  const stateOf = (of: PlanStep['kind']) => {
    const step = steps.find(one => one.kind === of);
    return step === undefined ? undefined : journal.stateOf(step.id);
  };
  // A node is not emptied once more for an act that was done.
  if (kind === 'cordon' || kind === 'drain') {
    const act = stateOf('restart') ?? stateOf('delete-node');
    return act?.kind === 'ended' && act.outcome !== 'failed' && stateOf('cordon')?.kind === 'undone';
  }
  return kind === 'uncordon' && stateOf('cordon')?.kind === 'undone';
}
