/**
 * Goroutine ids as the runtime assigns them: each processor takes batches of 16 and uses them up, so a rarely used
 * processor starts goroutines with old ids.
 */
import type { Dice } from '../../detect/simulate/dice.ts';

const BATCH = 16;
/** Only the end of a long stretch is simulated; before it, every processor has used up its batch. */
const PLAYED = 400;

export interface IdSource {
  /** The id of a goroutine started after `others` that are not in the dump. */
  next(others: number): number;
}

/** `skew` 0: all processors are used alike; above 0, the first ones are used more. */
export function idSource(processors: number, skew: number, dice: Dice): IdSource {
  let taken = 1;
  const free = Array.from({ length: processors }, () => ({ next: 0, left: 0 }));
  const shares = free.map((_, i) => 1 / (i + 1) ** skew);
  const total = shares.reduce((sum, share) => sum + share, 0);

  function pick(): number {
    let at = dice.uniform(0, total);
    for (let i = 0; i < processors; i++) if ((at -= shares[i]) <= 0) return i;
    return processors - 1;
  }

  function start(): number {
    const processor = free[pick()];
    if (processor.left === 0) {
      processor.next = taken;
      processor.left = BATCH;
      taken += BATCH;
    }
    processor.left--;
    return processor.next++;
  }

  return {
    next(others) {
      const skipped = Math.max(0, others - PLAYED);
      taken += Math.ceil(skipped / BATCH) * BATCH;
      free.forEach((processor, i) => {
        // A processor that would have emptied its batch in between has a fresh one.
        if (skipped * (shares[i] / total) > BATCH) processor.left = 0;
      });
      for (let i = others - skipped; i > 0; i--) start();
      return start();
    },
  };
}
