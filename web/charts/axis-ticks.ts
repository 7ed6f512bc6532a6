import { clockText, dayText } from '../text/time-text.ts';

export interface AxisTick {
  /** Unix seconds. */
  readonly at: number;
  readonly text: string;
}

const DAY_MINUTES = 1440;
/** Distances between ticks: one minute to one year. */
const STEP_MINUTES = [1, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10_080, 20_160, 43_200, 129_600];
const LONGEST_STEP_MINUTES = 525_600;

/** Ticks at round local times, with labels: at most `maxTicks` + 1 of them. */
export function axisTicks(from: number, to: number, maxTicks: number): AxisTick[] {
  const spanMinutes = (to - from) / 60;
  const stepMinutes = STEP_MINUTES.find(minutes => spanMinutes / minutes <= maxTicks) ?? LONGEST_STEP_MINUTES;
  const step = 60 * stepMinutes;
  const offset = new Date(from * 1000).getTimezoneOffset() * 60;
  const ticks: AxisTick[] = [];
  for (let at = Math.ceil((from - offset) / step) * step + offset; at <= to; at += step) {
    const isDay = stepMinutes >= DAY_MINUTES || isMidnight(at);
    ticks.push({ at, text: isDay ? dayText(at) : clockText(at) });
  }
  return ticks;
}

function isMidnight(at: number): boolean {
  const date = new Date(at * 1000);
  return date.getHours() === 0 && date.getMinutes() === 0;
}
