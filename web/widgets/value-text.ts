/** Values of a profile as text: three significant digits and a unit. */
import { formatBytes, formatCount, formatHours, formatSeconds, hourly, signed } from '../../src/base/say.ts';
import { scale, scaledLabel } from '../../src/profile/pprof/measurement.ts';

/** `unit` as the profile names it: `bytes`, `nanoseconds`, `count` ...; or as `unitAs` makes it. */
export function valueText(value: number, unit: string): string {
  const [from = '', to] = unit.split(AS);
  if (to !== undefined) return scaledLabel(value, from, to);
  if (isBytes(unit)) return formatBytes(scale(value, unit, 'B').value);
  const seconds = scale(value, unit, 's');
  if (seconds.unit === 's' && isTime(unit)) return durationText(seconds.value);
  if (unit === 'count' || unit === '') return formatCount(value);
  return `${formatCount(value)} ${unit}`;
}

const AS = ' as ';

/** A unit that prints every value in `wanted`, as pprof's -unit does: `bytes as MB`. */
export function unitAs(unit: string, wanted: string): string {
  return wanted === '' ? unit : `${unit}${AS}${wanted}`;
}

/** The units that values can be printed in. */
export function unitChoices(unit: string): readonly string[] {
  if (isBytes(unit)) return ['B', 'kB', 'MB', 'GB'];
  return isTime(unit) ? ['ns', 'us', 'ms', 's', 'hrs'] : [];
}

export function changeText(change: number, unit: string): string {
  return change === 0 ? '±0' : signed(valueText(change, unit));
}

/** `91 %`, `0.4 %`, `<0.1 %`; '' when the whole is 0. */
export function shareText(part: number, whole: number): string {
  if (whole === 0) return '';
  const percent = Math.abs(part / whole) * 100;
  if (percent === 0) return '0 %';
  if (percent < 0.1) return '<0.1 %';
  return `${percent < 10 ? Number(percent.toFixed(1)) : Math.round(percent)} %`;
}

/** The same with a sign: `−4 %` where a part shrank while the whole grew. */
export function signedShareText(part: number, whole: number): string {
  const text = shareText(part, whole);
  return part !== 0 && part < 0 !== whole < 0 ? `−${text}` : text;
}

/** Replaces the space between a number and its unit, so that no line breaks there. */
export function keepUnits(sentence: string): string {
  return sentence.replace(/(\d) (?=%|(?:[KMGT]iB|B|[nµm]?s|min|h|d)\b)/g, '$1\u00a0').replace(/ → (?=\d)/g, '\u00a0→ ');
}

function isBytes(unit: string): boolean {
  return /^(?:b|bytes?|[kmgtp]b|(?:kilo|mega|giga|tera|peta)bytes?)$/i.test(unit);
}

function isTime(unit: string): boolean {
  return /^(?:[nuμm]?s|secs?|(?:nano|micro|milli)?seconds?|hrs?|hours?)$/i.test(unit);
}

const TIME_UNITS: readonly (readonly [seconds: number, unit: string])[] = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
  [1e-3, 'ms'],
  [1e-6, 'µs'],
];
const SMALLEST_TIME_UNIT = [1e-9, 'ns'] as const;

function durationText(seconds: number): string {
  const size = Math.abs(seconds);
  if (size === 0) return '0 s';
  const [unitSeconds, unit] = TIME_UNITS.find(([least]) => size >= least) ?? SMALLEST_TIME_UNIT;
  return `${Number((seconds / unitSeconds).toPrecision(3))} ${unit}`;
}

/** Levels, slopes and times to a limit as text: three significant digits and a unit, or '–' when unknown. */
export const NO_VALUE = '–';

export type Unit = 'bytes' | 'count' | 'seconds';

export function amountText(unit: Unit, value: number | null): string {
  if (value === null) return NO_VALUE;
  if (unit === 'bytes') return formatBytes(value).replace(/^-0(?= )/, '0');
  const text = formatCount(Math.abs(value) >= 100 ? Math.round(value) : value).replace(/^-0$/, '0');
  return unit === 'seconds' ? formatSeconds(text) : text;
}

/** `+780 KiB`, `-3` */
export function signedAmount(unit: Unit, value: number): string {
  return signed(amountText(unit, value));
}

/** `+780 KiB/h`, `-3/h` */
export function slopeText(unit: Unit, value: number | null): string {
  return value === null ? NO_VALUE : hourly(signed(amountText(unit, value)));
}

/** `15h–1d2h`, `4d or more` */
export function limitText(hours: readonly [number, number | null] | null): string {
  if (hours === null) return NO_VALUE;
  return formatHours(hours).replace(' to ', '–');
}
