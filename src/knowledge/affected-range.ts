/** A range of affected versions in words: `from 1.36.0, before 1.36.3`. */
import type { AffectedRange } from './known-leak.ts';

export function rangeText({ from, fixed }: AffectedRange): string {
  if (from === '' && fixed === '') return 'every version';
  if (fixed === '') return `from ${from}`;
  return from === '' ? `before ${fixed}` : `from ${from}, before ${fixed}`;
}
