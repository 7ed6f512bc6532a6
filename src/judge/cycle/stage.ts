/** The stage of the cycle that a target is in when the record ends. */
import type { CycleStage, Death } from '../../evidence/cycle/cycle.ts';
import { type History, isForMemory, type Phase } from './history.ts';

/** A life this many times as long as the one before it has broken the cycle. */
const OUTLIVED = 2;
/** A Ready node that still reports this long after a start has settled. */
const READY_SECONDS = 30;

export function stageOf(history: History): CycleStage {
  const { phases, signs, samples, seen } = history;
  const last = phases.at(-1);
  if (last === undefined) return signs.length > 0 ? 'pre-oom' : 'unknown';
  if (isCaught(history)) return 're-oom';
  if (last.life.death !== undefined) return 'killed';
  if (last.storm?.isOngoing === true) return 'storm';
  if (last.sign !== undefined || signs.length > 0) return 'pre-oom';
  if (last.life.isRestart) return isAtRest(last, history) ? 'recovered' : 'killed';
  const isReady = seen.conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  const wasReady = seen.kubeEvents.findLast(({ reason }) => /^Node(?:Not)?Ready$/.test(reason))?.reason === 'NodeReady';
  // Conditions alone, as in a list of nodes, show neither restarts nor kills.
  const hasHistory = seen.kubeEvents.length + seen.logs.length > 0;
  return samples.length > 0 || wasReady || (isReady && hasHistory) ? 'healthy' : 'unknown';
}

/** Every death of the process, oldest first. */
export function deathsOf({ phases }: History): Death[] {
  return phases.flatMap(({ life }) => (life.death === undefined ? [] : [life.death]));
}

/** Whether the last two deaths were for memory, and it has not outlived the life between them. */
function isCaught(history: History): boolean {
  const [before, last] = deathsOf(history).slice(-2);
  if (last === undefined || !isForMemory(before.cause) || !isForMemory(last.cause)) return false;
  const { phases, seen } = history;
  const current = phases[phases.length - 1].life;
  const length = (last.atSeconds ?? NaN) - (before.atSeconds ?? NaN);
  const since = (seen.lastSeconds ?? NaN) - (current.startSeconds ?? last.atSeconds ?? NaN);
  return current.death !== undefined || !(since > OUTLIVED * length);
}

function isAtRest({ life, isMeasured }: Phase, { seen }: History): boolean {
  if (isMeasured) return true;
  const start = life.startSeconds;
  // A life whose start was not seen was only inferred from later reports.
  if (start === undefined) return true;
  return (
    seen.conditions.some(
      ({ type, status, atSeconds }) =>
        type === 'Ready' && status === 'True' && (atSeconds ?? 0) > start + READY_SECONDS,
    ) || seen.kubeEvents.some(({ reason, atSeconds }) => reason === 'NodeReady' && (atSeconds ?? 0) >= start)
  );
}
