/**
 * Whether the clock can be trusted to tell what is old. One wrong jump ahead would make all history a year old; so after
 * a jump, nothing is deleted for its age until the clock has run evenly for a day.
 *
 *     now      100   160   220   31_536_220   31_536_280 ...   31_622_620
 *     steady   yes   yes   yes   no           no               yes
 */
import { optionalNumber, parseJson, recordOf } from '../../base/json.ts';

const BACK_SECONDS = 3_600;
const AHEAD_SECONDS = 86_400;
const PROBATION_SECONDS = 86_400;

export interface ClockState {
  /** The last time that it was read; undefined before the first. */
  readonly now: number | undefined;
  /** When it last jumped. */
  readonly jumpedAt: number | undefined;
}

export const NEW_CLOCK: ClockState = { now: undefined, jumpedAt: undefined };

export function parseClockState(text: string): ClockState {
  const { now, jumpedAt } = recordOf(parseJson(text));
  return { now: optionalNumber(now), jumpedAt: optionalNumber(jumpedAt) };
}

export function lookAtClock(state: ClockState, now: number): ClockState {
  const passed = state.now === undefined ? 0 : now - state.now;
  const jumped = passed < -BACK_SECONDS || passed > AHEAD_SECONDS;
  return { now, jumpedAt: jumped ? now : state.jumpedAt };
}

export function isSteady({ now, jumpedAt }: ClockState): boolean {
  return now !== undefined && (jumpedAt === undefined || now - jumpedAt >= PROBATION_SECONDS);
}
