/**
 * Whether the clock can be believed when it says that something is old. One wrong jump ahead would make all history a
 * year old; so after a jump nothing is forgotten for its age until the clock has gone on evenly for a day.
 *
 *     now     100   160   220   31_536_220   31_536_280 ...   31_622_620
 *     ripe    yes   yes   yes   no           no               yes
 */
const BACK_SECONDS = 3_600;
const AHEAD_SECONDS = 86_400;
const PROBATION_SECONDS = 86_400;

export interface ClockState {
  /** The last time it was looked at; undefined before the first. */
  readonly now: number | undefined;
  /** When it last jumped. */
  readonly jumpedAt: number | undefined;
}

export const NEW_CLOCK: ClockState = { now: undefined, jumpedAt: undefined };

export function lookAtClock(state: ClockState, now: number): ClockState {
  const passed = state.now === undefined ? 0 : now - state.now;
  const jumped = passed < -BACK_SECONDS || passed > AHEAD_SECONDS;
  return { now, jumpedAt: jumped ? now : state.jumpedAt };
}

export function isSteady({ now, jumpedAt }: ClockState): boolean {
  return now !== undefined && (jumpedAt === undefined || now - jumpedAt >= PROBATION_SECONDS);
}
