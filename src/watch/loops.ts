/** The loops of a watch. */
import { yieldToEventLoop } from '../base/bounded-work.ts';
import type { WatchClock } from '../base/clock.ts';
import { oneLine } from '../base/text-layout.ts';

export interface LoopPorts {
  readonly clock: WatchClock;
  readonly log: (line: string) => void;
}

/** Runs `work` repeatedly until the signal aborts; a failure is logged once, and the work is tried again. */
export async function repeatWork(
  { clock, log }: LoopPorts,
  signal: AbortSignal,
  seconds: () => number,
  work: () => Promise<void>,
): Promise<void> {
  let logged = '';
  while (!signal.aborted) {
    await clock.sleep(seconds(), signal);
    if (signal.aborted) return;
    try {
      await work();
      logged = '';
    } catch (error) {
      const why = oneLine((error as Error).message);
      if (why !== logged) log(`watch: ${why}; will try again`);
      logged = why;
    }
    await yieldToEventLoop();
  }
}

/** How many seconds of the machine have passed since this call, whatever the clock of the watch says. */
export function stopwatch(): () => number {
  const began = performance.now();
  return () => (performance.now() - began) / 1000;
}
