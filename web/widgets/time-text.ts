/** Points in time as text: local time to read, UTC to compare. All functions take Unix seconds. */

import { isInCalendar, timeText } from '../../src/base/say.ts';

const DAY_SECONDS = 86_400;

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'short' });
const dayAndMonth = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const date = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });

/** As short as possible while unambiguous at `now`: `04:10`, `Tue 04:10`, `3 Aug 04:10`, `3 Aug 2025`. */
export function localTimeText(at: number, now: number): string {
  const distance = Math.abs(now - at);
  if (distance > 300 * DAY_SECONDS) return date.format(at * 1000);
  if (distance > 6 * DAY_SECONDS) return `${dayText(at)} ${clockText(at)}`;
  if (date.format(at * 1000) === date.format(now * 1000)) return clockText(at);
  return `${weekday.format(at * 1000)} ${clockText(at)}`;
}

/** `04:10` */
export function clockText(at: number): string {
  return clock.format(at * 1000);
}

/** `:12` */
export function secondsText(at: number): string {
  return `:${String(Math.floor(at) % 60).padStart(2, '0')}`;
}

/** `3 Aug` */
function dayText(at: number): string {
  return dayAndMonth.format(at * 1000);
}

/** `2026-08-04 06:00:12 UTC` */
export function utcText(at: number): string {
  return isInCalendar(at) ? timeText(at).replace('T', ' ').replace('Z', ' UTC') : String(at);
}

/** `2026-08-04T06:00` in local time, as an input of the type datetime-local takes it. */
export function toLocalInput(at: number): string {
  const date = new Date(at * 1000);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Undefined if it is no time. */
export function fromLocalInput(text: string): number | undefined {
  const seconds = new Date(text).getTime() / 1000;
  return Number.isFinite(seconds) ? seconds : undefined;
}

interface AxisTick {
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
