/** One line of the timeline. */
import type { CycleEvent, CycleStage } from '../../evidence/cycle/cycle.ts';
import { distinct } from './observed.ts';

const MAX_EVIDENCE = 5;

export function cycleEvent(
  atSeconds: number | null,
  text: string,
  evidence: readonly string[],
  more: { readonly stage?: CycleStage; readonly untilSeconds?: number } = {},
): CycleEvent {
  const { stage = null, untilSeconds = null } = more;
  return { atSeconds, untilSeconds, stage, text, evidence: distinct(evidence).slice(0, MAX_EVIDENCE) };
}
