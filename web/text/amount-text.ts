/** Levels, slopes and times to a limit as text: three significant digits and a unit, or '–' when unknown. */
import { formatBytes, formatCount, formatHours, signed } from '../../src/base/say.ts';

export const NO_VALUE = '–';

export type Unit = 'bytes' | 'count' | 'seconds';

export function amountText(unit: Unit, value: number | null): string {
  if (value === null) return NO_VALUE;
  if (unit === 'bytes') return formatBytes(value).replace(/^-0(?= )/, '0');
  const text = formatCount(Math.abs(value) >= 100 ? Math.round(value) : value).replace(/^-0$/, '0');
  return unit === 'seconds' ? `${text} s` : text;
}

/** `+780 KiB`, `-3` */
export function signedAmount(unit: Unit, value: number): string {
  return signed(amountText(unit, value));
}

/** `+780 KiB/h`, `-3/h` */
export function slopeText(unit: Unit, perHour: number | null): string {
  return perHour === null ? NO_VALUE : `${signed(amountText(unit, perHour))}/h`;
}

/** `15h–1d2h`, `4d or more` */
export function limitText(hours: readonly [number, number | null] | null): string {
  if (hours === null) return NO_VALUE;
  return formatHours(hours).replace(' to ', '–');
}
