/** Work of the leader: begun for each term that this replica leads, ended when it does not lead any more. */
import { oneLine } from '../../base/text-layout.ts';
import type { WatchClock } from '../../base/clock.ts';

export interface LeadingParts {
  readonly share: { readonly term: number | undefined };
  readonly clock: WatchClock;
  readonly log: (line: string) => void;
}

const LOOK_SECONDS = 0.5;
const RETRY_SECONDS = 5;

export async function runWhileLeading(
  { share, clock, log }: LeadingParts,
  duty: (term: number, signal: AbortSignal) => Promise<void>,
  stopping: AbortSignal,
): Promise<void> {
  while (!stopping.aborted) {
    const { term } = share;
    if (term === undefined) {
      await clock.sleep(LOOK_SECONDS, stopping);
      continue;
    }
    const over = new AbortController();
    const following = (async () => {
      while (share.term === term && !stopping.aborted && !over.signal.aborted)
        await clock.sleep(LOOK_SECONDS, stopping);
      over.abort();
    })();
    try {
      await duty(term, over.signal);
    } catch (error) {
      log(`as leader: ${oneLine((error as Error).message)}; will try again`);
      await clock.sleep(RETRY_SECONDS, over.signal);
    }
    over.abort();
    await following;
  }
}
