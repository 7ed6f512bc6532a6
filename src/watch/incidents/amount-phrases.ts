/** Amounts of a resource as sentences say them. */
import { formatBytes, formatCount } from '../../base/quantities.ts';

export function amountOf(unit: 'bytes' | 'count', value: number): string {
  return unit === 'bytes' ? formatBytes(value) : formatCount(Math.abs(value) >= 100 ? Math.round(value) : value);
}
