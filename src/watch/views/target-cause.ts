/** Why a target grows, as its row and its page say it. */
import { mayLeak } from '../../judge/verdict.ts';
import type { TargetCause } from '../watch-model.ts';
import { explanationOf, healthyCauseOf } from '../incidents/cause-phrases.ts';
import type { WatchedTarget } from '../state/watched-target.ts';
import type { WatchState } from '../state/watch-state.ts';

/** What the captures of the open incident show; of any other target, why it grows. */
export function causeOf({ incidents }: Pick<WatchState, 'incidents'>, target: WatchedTarget): TargetCause | null {
  const verdict = target.verdict?.verdict ?? 'unknown';
  if (!mayLeak(verdict)) return verdict === 'healthy' ? healthyCauseOf(target) : explanationOf(target);
  return (target.incidentId === undefined ? undefined : incidents.get(target.incidentId)?.cause) ?? null;
}
