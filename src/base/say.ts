/**
 * Every amount, rate, span, interval, limit and time as people read it. No other file builds one:
 *
 *     memory    412 MiB, 1.46 GiB, 486 B     binary, with three significant digits; so are rates: 39.9 MiB/h
 *     counts    44,310
 *     spans     3d4h, 12m, 45s
 *     limits    15h to 1d2h, 12d or more
 *     times     2026-11-15T20:00:43Z         RFC 3339 in UTC
 */

/** What an amount is of. */
export type Unit = 'bytes' | 'count';

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

export function formatBytes(bytes: number): string {
  if (!Number.isFinite(bytes)) return String(bytes);
  let scale = 0;
  let size = Math.abs(bytes);
  while (size >= 1024 && scale < UNITS.length - 1) {
    size /= 1024;
    scale++;
  }
  // 1023.6 KiB would round to four digits, so it is printed in the next unit.
  if (scale < UNITS.length - 1 && Math.round(size) >= 1024) {
    size /= 1024;
    scale++;
  }
  const text = scale === 0 ? trimmed(size) : threeDigits(size);
  const sign = bytes < 0 && Number(text) !== 0 ? '-' : '';
  return `${sign}${text} ${UNITS[scale]}`;
}

export function formatCount(count: number): string {
  if (!Number.isFinite(count)) return String(count);
  const [whole, fraction] = trimmed(count).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** How amounts of a unit are printed, exactly. */
export function amountIn(unit: Unit): (value: number) => string {
  return unit === 'bytes' ? formatBytes : formatCount;
}

/** An estimate: hundreds of things are counted in whole ones. */
export function formatAmount(unit: Unit, value: number): string {
  const text = unit === 'bytes' ? formatBytes(value) : formatCount(Math.abs(value) >= 100 ? Math.round(value) : value);
  return text.replace(/^-0(?= |$)/, '0');
}

/** `39.9 MiB/h`, `1,240/h` */
export function formatRate(unit: Unit, value: number): string {
  return hourly(formatAmount(unit, value));
}

/** `39.9 MiB/h` of `39.9 MiB` */
export function hourly(amount: string): string {
  return `${amount}/h`;
}

/** The time to a limit: `15h to 1d2h`, `12h`, or `12d or more` if it has no end. */
export function formatHours([low, high]: readonly [low: number, high: number | null]): string {
  const near = formatAge(low * 3600);
  if (high === null || !Number.isFinite(high)) return `${near} or more`;
  const far = formatAge(high * 3600);
  return near === far ? near : `${near} to ${far}`;
}

/** `limit in 15h to 1d2h`, `at its limit`; undefined when no limit is in sight. */
export function limitIn(hours: readonly [low: number, high: number | null] | undefined): string | undefined {
  if (hours === undefined || !Number.isFinite(hours[0])) return undefined;
  return hours[1] === 0 ? 'at its limit' : `limit in ${formatHours(hours)}`;
}

/** With a plus sign if it is positive. */
export function signed(text: string): string {
  return /^(?:-|0(?:[ /]|$))/.test(text) ? text : `+${text}`;
}

export function formatShare(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 1) return '<1%';
  return `${percent > 99 && percent < 100 ? '>99' : Math.round(percent)}%`;
}

/** `62 %`, of a number in percent. */
export function formatPercent(percent: number | string): string {
  return `${percent} %`;
}

/** `36 h`: a wait or a limit as it is given, in hours however long. */
export function formatHourCount(hours: number | string): string {
  return `${hours} h`;
}

/** `30 s`: a wait or a limit as it is given, in seconds however long. */
export function formatSeconds(seconds: number | string): string {
  return `${seconds} s`;
}

/** `90 min`: a wait as Go gives it, in minutes however long. */
export function formatMinutes(minutes: number): string {
  return `${minutes} min`;
}

/** `6 h`, `7 d`: a range of time as it is chosen. */
export function formatRange(hours: number): string {
  return hours % 24 === 0 && hours > 24 ? `${hours / 24} d` : `${hours} h`;
}

/** The two largest units, as kubectl shows ages. */
export function formatAge(seconds: number): string {
  const total = Math.max(0, Math.round(seconds));
  const units: readonly (readonly [number, string])[] = [
    [86_400, 'd'],
    [3_600, 'h'],
    [60, 'm'],
    [1, 's'],
  ];
  const first = units.findIndex(([size]) => total >= size);
  if (first < 0) return '0s';
  const [size, unit] = units[first];
  const whole = Math.floor(total / size);
  const next = units[first + 1];
  // From ten on, the second unit adds nothing.
  const rest = next === undefined || whole >= 10 ? 0 : Math.floor((total - whole * size) / next[0]);
  return `${whole}${unit}${rest === 0 ? '' : `${rest}${next[1]}`}`;
}

function trimmed(value: number): string {
  return Number.isInteger(value) ? String(value) : threeDigits(value);
}

function threeDigits(value: number): string {
  const size = Math.abs(value);
  if (size >= 100) return Math.round(value).toString();
  const text = value.toFixed(size >= 10 ? 1 : 2);
  const trimmedText = text.replace(/\.?0+$/, '');
  return trimmedText === '-0' ? '0' : trimmedText;
}

/** `99.3 %`, `62 %`. Never 0 or 100: evidence is not certainty. */
export function formatCertainty(probability: number): string {
  const percent = Math.min(99.9, Math.max(0.1, probability * 100));
  return `${percent < 10 || percent > 90 ? percent.toFixed(1) : percent.toFixed(0)} %`;
}

/** The calendar of `Date` ends here, in both directions. */
const CALENDAR_END_SECONDS = 8.64e12;

/** A time outside the calendar comes from a broken clock. */
export function isInCalendar(seconds: number): boolean {
  return Math.abs(seconds) <= CALENDAR_END_SECONDS;
}

const YEAR_10000_SECONDS = 253_402_300_800;

/** For users, if some are not. */
export const NO_SAMPLE_TIME = 'samples before 1970 or after the year 9999 are left out';

/** Between 1970 and 9999, as every sample is whose clock can be trusted. */
export function isSampleTime(seconds: number): boolean {
  return seconds >= 0 && seconds < YEAR_10000_SECONDS;
}

export function timeText(seconds: number): string {
  return exactTimeText(seconds).replace(/\.\d+Z$/, 'Z');
}

/** With milliseconds. What is not in the calendar is printed as a number. */
export function exactTimeText(seconds: number): string {
  // Sums of seconds can miss a whole number by a rounding error: 59.9999999 is the next minute.
  return isInCalendar(seconds) ? new Date(Math.round(seconds * 1000)).toISOString() : `${seconds} s`;
}

export function toMinute(time: string): string {
  return time.replace(/:\d\d(?:\.\d+)?Z$/, 'Z');
}
