/** The notifier among replicas: the one that leads sends, from what the store says has been sent. */
import { SYSTEM_CLOCK } from '../../live/io/system-clock.ts';
import type { Notifier } from '../../watch/notify/start-notifier.ts';
import { runWhileLeading } from '../../watch/replicas/run-while-leading.ts';
import { storeOfLeader } from '../../watch/replicas/store-of-leader.ts';
import { type Destinations, type NotifiedWatch, notifierOf } from './notify-destinations.ts';
import type { Replica } from './replica.ts';

export function notifierOfLeader(
  destinations: Destinations,
  notified: Omit<NotifiedWatch, 'mayAct'>,
  { session }: Replica,
  stopping: AbortSignal,
): Notifier {
  const { watch, log } = notified;
  let current: Notifier | undefined;
  const done = runWhileLeading(
    { share: session, clock: SYSTEM_CLOCK, log },
    async (term, signal) => {
      // What another replica found and could not tell any more must not look resolved.
      await watch.resync();
      const store = storeOfLeader(notified.store, () => watch.asLeader());
      const mayAct = (): Promise<boolean> => session.mayAct(term);
      current = await notifierOf(destinations, { ...notified, store, mayAct }, signal);
      await current.done;
      current = undefined;
    },
    stopping,
  );
  return {
    view: () => current?.view() ?? { schema: 'oakum.notifications/v1', destinations: [], silences: [] },
    metrics: () => current?.metrics() ?? '',
    done,
  };
}
