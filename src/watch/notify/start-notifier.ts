/**
 * Makes incidents known: alerts to every Alertmanager, notices to webhooks and as Kubernetes Events. It looks at the
 * incidents when one changes, and every minute; what it has said is in the store. Nothing here delays the watch.
 */
import { yieldToEventLoop } from '../../base/yield-to-event-loop.ts';
import { oneLine } from '../../base/text-layout.ts';
import type { NotificationsView, Silence } from '../../store/notification.ts';
import type { WatchEvent } from '../watch-model.ts';
import type { WatchClock } from '../../base/clock.ts';
import type { AlertDestination, NoticeDestination } from './destination.ts';
import type { OutboxStore } from '../../store/outbox-store.ts';
import type { SettingsStore } from '../../store/settings-store.ts';
import { AlertMember } from './alert-member.ts';
import { followIncidents } from './follow-incidents.ts';
import type { IncidentSource } from './incident-source.ts';
import { notifyMetrics } from './notify-metrics.ts';
import type { NotifyOptions } from './notify-options.ts';
import { Outbox } from './outbox.ts';
import { alertKey } from './raise-alerts.ts';
import { parseTold, TOLD_KEY, toldText } from './told.ts';

const LOOK_SECONDS = 60;

export interface NotifierParts {
  readonly source: IncidentSource & { subscribe(listener: (event: WatchEvent) => void): () => void };
  readonly store: OutboxStore & SettingsStore;
  readonly clock: WatchClock;
  readonly random: () => number;
  readonly log: (line: string) => void;
  readonly alertmanagers: readonly AlertDestination[];
  readonly destinations: readonly NoticeDestination[];
}

export interface Notifier {
  view(): NotificationsView;
  /** In OpenMetrics. */
  metrics(): string;
  /** Ends with the signal. */
  readonly done: Promise<void>;
}

export async function startNotifier(
  parts: NotifierParts,
  options: NotifyOptions,
  signal: AbortSignal,
): Promise<Notifier> {
  const { source, store, clock, log } = parts;
  let told = parseTold(await store.setting(TOLD_KEY));
  let written = toldText(told);
  const members = parts.alertmanagers.map(destination => new AlertMember(destination, parts, () => told.alerts));
  const outboxes = parts.destinations.map(destination => ({ destination, outbox: new Outbox(destination, parts) }));
  const waiting = await store.notices();
  for (const { destination, outbox } of outboxes)
    outbox.load(waiting.flatMap(queued => (queued.destination === destination.name ? [queued.notice] : [])));
  // Left by a destination that is no longer configured.
  const names = new Set(outboxes.map(({ destination }) => destination.name));
  for (const { destination, notice } of waiting) if (!names.has(destination)) store.dropNotice(destination, notice.id);

  function look(): void {
    const followed = followIncidents(told, source, options, clock.now());
    const text = toldText(followed.told);
    told = followed.told;
    if (text === written) return;
    // In one turn, so that one commit has all of it.
    for (const notice of followed.notices)
      for (const { destination, outbox } of outboxes) if (destination.takes?.(notice) !== false) outbox.put(notice);
    if (store.putSetting(TOLD_KEY, text)) written = text;
    for (const member of members) member.wake();
  }

  let isLooking = false;
  const lookSoon = (): void => {
    if (isLooking) return;
    isLooking = true;
    // Several incidents may change in one turn.
    void yieldToEventLoop().then(() => {
      isLooking = false;
      if (!signal.aborted) lookSafely();
    });
  };
  const lookSafely = (): void => {
    try {
      look();
    } catch (error) {
      log(`notifications: ${oneLine((error as Error).message)}; will try again`);
    }
  };
  const leave = source.subscribe(event => {
    if (event.kind === 'incident') lookSoon();
  });
  const looking = async (): Promise<void> => {
    while (!signal.aborted) {
      lookSafely();
      await clock.sleep(LOOK_SECONDS, signal);
    }
    leave();
  };
  const view = (): NotificationsView => ({
    schema: 'oakum.notifications/v1',
    destinations: [...members.map(member => member.status()), ...outboxes.map(({ outbox }) => outbox.status())],
    silences: silencesOf(members, new Map(told.alerts.map(alert => [alertKey(alert), alert.incidentId]))),
  });
  return {
    view,
    metrics: () => notifyMetrics(view()),
    done: Promise.all([
      looking(),
      ...members.map(member => member.run(signal)),
      ...outboxes.map(({ outbox }) => outbox.run(signal)),
    ]).then(() => {}),
  };
}

function silencesOf(members: readonly AlertMember[], incidentIds: ReadonlyMap<string, string>): Silence[] {
  const silences = members.flatMap(({ name, silenced }) =>
    silenced.flatMap(({ labels, by, comment, until }) => {
      const incidentId = incidentIds.get(alertKey({ labels }));
      return incidentId === undefined ? [] : [{ incidentId, destination: name, by, comment, until }];
    }),
  );
  // The members of a cluster share their silences.
  const seen = new Set<string>();
  return silences.filter(({ incidentId, by, comment, until }) => {
    const key = JSON.stringify([incidentId, by, comment, until]);
    return !seen.has(key) && seen.add(key);
  });
}
