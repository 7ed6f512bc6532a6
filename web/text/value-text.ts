/** Values of a profile in words: three significant digits and a unit. */
import { formatBytes, formatCount, signed } from '../../src/base/quantities.ts';
import { scale } from '../../src/pprof/units/measurement.ts';

/** `unit` as the profile names it: `bytes`, `nanoseconds`, `count` ... */
export function valueText(value: number, unit: string): string {
  if (isBytes(unit)) return formatBytes(scale(value, unit, 'B').value);
  const seconds = scale(value, unit, 's');
  if (seconds.unit === 's' && isTime(unit)) return durationText(seconds.value);
  if (unit === 'count' || unit === '') return formatCount(value);
  return `${formatCount(value)} ${unit}`;
}

export function changeText(change: number, unit: string): string {
  return change === 0 ? '±0' : signed(valueText(change, unit));
}

/** `91 %`, `0.4 %`, `<0.1 %`; '' of nothing. */
export function shareText(part: number, whole: number): string {
  if (whole === 0) return '';
  const percent = Math.abs(part / whole) * 100;
  if (percent === 0) return '0 %';
  if (percent < 0.1) return '<0.1 %';
  return `${percent < 10 ? Number(percent.toFixed(1)) : Math.round(percent)} %`;
}

/** A sentence in which no number is parted from its unit by the end of a line. */
export function keepUnits(sentence: string): string {
  return sentence.replace(/(\d) (?=%|(?:[KMGT]iB|B|[nµm]?s|min|h|d)\b)/g, '$1\u00a0').replace(/ → (?=\d)/g, '\u00a0→ ');
}

export function isBytes(unit: string): boolean {
  return /^(?:b|bytes?|[kmgtp]b|(?:kilo|mega|giga|tera|peta)bytes?)$/i.test(unit);
}

function isTime(unit: string): boolean {
  return /^(?:[nuμm]?s|secs?|(?:nano|micro|milli)?seconds?|hrs?|hours?)$/i.test(unit);
}

const TIMES: readonly (readonly [seconds: number, unit: string])[] = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
  [1e-3, 'ms'],
  [1e-6, 'µs'],
  [1e-9, 'ns'],
];

function durationText(seconds: number): string {
  const size = Math.abs(seconds);
  if (size === 0) return '0 s';
  const [scaleSeconds, unit] = TIMES.find(([least]) => size >= least) ?? TIMES[TIMES.length - 1];
  return `${Number((seconds / scaleSeconds).toPrecision(3))} ${unit}`;
}
