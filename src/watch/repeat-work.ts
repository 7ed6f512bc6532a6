/** The loops of a watch. */
import { oneLine } from '../base/text-layout.ts';
import { yieldToEventLoop } from '../base/yield-to-event-loop.ts';
import type { WatchClock } from '../base/clock.ts';

export interface LoopParts {
  readonly clock: WatchClock;
  readonly log: (line: string) => void;
}

/** Runs `work` repeatedly until the signal aborts; a failure is logged once, and the work is tried again. */
export async function repeatWork(
  { clock, log }: LoopParts,
  signal: AbortSignal,
  seconds: () => number,
  work: () => Promise<void>,
): Promise<void> {
  let told = '';
  while (!signal.aborted) {
    await clock.sleep(seconds(), signal);
    if (signal.aborted) return;
    try {
      await work();
      told = '';
    } catch (error) {
      const why = oneLine((error as Error).message);
      if (why !== told) log(`watch: ${why}; will try again`);
      told = why;
    }
    await yieldToEventLoop();
  }
}
