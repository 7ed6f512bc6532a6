/** Moments in words: local time to read, UTC beside it. All take Unix seconds. */

const DAY_SECONDS = 86_400;

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'short' });
const dayAndMonth = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const date = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });

/** As short as it stays clear from `now`: `04:10`, `Tue 04:10`, `3 Aug 04:10`, `3 Aug 2025`. */
export function momentText(at: number, now: number): string {
  const when = new Date(at * 1000);
  const distance = Math.abs(now - at);
  if (distance > 300 * DAY_SECONDS) return date.format(when);
  if (distance > 6 * DAY_SECONDS) return `${dayAndMonth.format(when)} ${clock.format(when)}`;
  if (date.format(when) === date.format(new Date(now * 1000))) return clock.format(when);
  return `${weekday.format(when)} ${clock.format(when)}`;
}

/** `2026-08-04 06:00:12 UTC` */
export function utcText(at: number): string {
  if (!Number.isFinite(at) || Math.abs(at) > 8e12) return String(at);
  return `${new Date(at * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** Steps of a time axis, in minutes: 1 min to a year. */
const STEPS = [1, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10_080, 20_160, 43_200, 129_600, 525_600];

/** Round places of local time for an axis, about `most` of them, with their labels. */
export function axisTicks(from: number, to: number, most: number): { readonly at: number; readonly text: string }[] {
  const step = 60 * (STEPS.find(minutes => (to - from) / (minutes * 60) <= most) ?? STEPS[STEPS.length - 1]);
  const offset = new Date(from * 1000).getTimezoneOffset() * 60;
  const ticks = [];
  for (let at = Math.ceil((from - offset) / step) * step + offset; at <= to; at += step) {
    const when = new Date(at * 1000);
    const isMidnight = when.getHours() === 0 && when.getMinutes() === 0;
    ticks.push({ at, text: step >= DAY_SECONDS || isMidnight ? dayAndMonth.format(when) : clock.format(when) });
  }
  return ticks;
}
