/** Figures of a detection in words: three significant digits, with units. '–' where nothing is known. */
import { formatAge, formatBytes, formatCount, signed } from '../../src/base/quantities.ts';

export const NOTHING = '–';

export type Unit = 'bytes' | 'count' | 'seconds';

export function amountText(unit: Unit, value: number | null): string {
  if (value === null) return NOTHING;
  if (unit === 'bytes') return formatBytes(value).replace(/^-0(?= )/, '0');
  const text = formatCount(Math.abs(value) >= 100 ? Math.round(value) : value).replace(/^-0$/, '0');
  return unit === 'seconds' ? `${text} s` : text;
}

/** `+780 KiB/h`, `-3/h` */
export function slopeText(unit: Unit, perHour: number | null): string {
  return perHour === null ? NOTHING : `${signed(amountText(unit, perHour))}/h`;
}

/** `15h–1d2h`, `4d or more` */
export function limitText(hours: readonly [number, number | null] | null): string {
  if (hours === null) return NOTHING;
  const [low, high] = hours.map(end => (end === null ? null : formatAge(end * 3600)));
  return high === null ? `${low} or more` : low === high ? `${low}` : `${low}–${high}`;
}
