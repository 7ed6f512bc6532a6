/** Lets simulated time pass until some work is done. */
import type { SimulatedClock } from '../simulated-clock.ts';
import { yieldToEventLoop } from '../../../src/base/bounded-work.ts';

const STEP_SECONDS = 1;

export async function inTime<T>(clock: SimulatedClock, work: Promise<T>, maxSeconds: number = 6 * 3600): Promise<T> {
  let isDone = false;
  const finished = work.finally(() => (isDone = true));
  finished.catch(() => {});
  const until = clock.now() + maxSeconds;
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 4; turn++) await yieldToEventLoop();
  };
  while (!isDone) {
    if (clock.now() > until) throw new Error(`not done after ${maxSeconds} s`);
    await clock.runUntil(clock.now() + STEP_SECONDS, settle);
  }
  return finished;
}
