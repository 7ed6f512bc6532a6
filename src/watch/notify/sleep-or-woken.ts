import type { WatchClock } from '../../base/clock.ts';

/** Ends early with `wake` or `stopping`. Not AbortSignal.any, which leaves something behind in a signal that lives on. */
export async function sleepOrWoken(
  clock: WatchClock,
  seconds: number,
  wake: AbortController,
  stopping: AbortSignal,
): Promise<void> {
  if (stopping.aborted) return;
  const end = (): void => wake.abort();
  stopping.addEventListener('abort', end);
  await clock.sleep(seconds, wake.signal);
  stopping.removeEventListener('abort', end);
}
