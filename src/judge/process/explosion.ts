/** Processes whose goroutines multiplied: their memory is a consequence, so the goroutines lead the answer. */
import type { ProcessEvidence } from '../../evidence/snapshots/process-evidence.ts';

/** Fewer are common in any program. */
const MIN_COUNT = 1000;
const MIN_FACTOR = 2;
/** In one snapshot; few programs have so many on purpose, and those that do wait for connections. */
export const MANY_GOROUTINES = 10_000;

function isExplosion(first: number, last: number): boolean {
  return last >= MIN_COUNT && last >= MIN_FACTOR * first;
}

export function goroutinesExplode({ goroutines }: Pick<ProcessEvidence, 'goroutines'>): boolean {
  const [first, last] = [goroutines.at(0)?.table.total, goroutines.at(-1)?.table.total];
  if (first === undefined || last === undefined) return false;
  if (goroutines.length === 1) return last >= MANY_GOROUTINES;
  return isExplosion(first, last);
}
