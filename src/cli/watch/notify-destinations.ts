/** The notifier of a watch, put together from the adapters. */
import { openAlertmanager } from '../../watch/notify/io/alertmanager.ts';
import { SYSTEM_CLOCK } from '../../live/io/system-clock.ts';
import { credentialFiles } from '../../live/io/credential-files.ts';
import { httpSender } from '../../live/io/http/send-request.ts';
import { eventDestination } from '../../watch/notify/io/event-destination.ts';
import { openWebhook } from '../../watch/notify/io/webhook.ts';
import { startNotifier, type Notifier } from '../../watch/notify/start-notifier.ts';
import { type MayAct, fencedAlerts, fencedNotices } from '../../watch/replicas/fenced.ts';
import type { Watch } from '../../watch/watch.ts';
import type { WatchStore } from '../../store/ports.ts';
import { type NoticeDestination, NOTIFY_DEFAULTS } from '../../watch/notify/destination.ts';
import { openKube, type OpenOptions } from '../connect/open-target.ts';
import type { WatchedCluster } from './watched-cluster.ts';
import type { NotifyConfig } from './notify-config.ts';

export type Destinations = Pick<NotifyConfig, 'alertmanagers'> & Partial<NotifyConfig>;

export interface NotifiedWatch {
  readonly watch: Watch;
  readonly store: WatchStore;
  readonly cluster: string;
  /** Several, each with a name; otherwise the events go to that of the kubeconfig's context. */
  readonly clusters: readonly WatchedCluster[];
  readonly connection: OpenOptions;
  readonly log: (line: string) => void;
  /** Among replicas: asked right before anything is sent. */
  readonly mayAct?: MayAct | undefined;
}

export function hasDestinations({ alertmanagers, webhooks = [], kubernetesEvents = false }: Destinations): boolean {
  return alertmanagers.length > 0 || webhooks.length > 0 || kubernetesEvents;
}

export async function notifierOf(
  { options = {}, alertmanagers, webhooks = [], kubernetesEvents = false }: Destinations,
  { watch, store, cluster, clusters, connection, log, mayAct }: NotifiedWatch,
  signal: AbortSignal,
): Promise<Notifier> {
  const send = httpSender(connection.env);
  const files = credentialFiles(connection.cwd);
  const events = kubernetesEvents ? await eventDestinations(clusters, connection) : [];
  return startNotifier(
    {
      source: watch,
      store,
      clock: SYSTEM_CLOCK,
      random: Math.random,
      log,
      alertmanagers: alertmanagers
        .map(one => openAlertmanager(one, send, files))
        .map(one => (mayAct === undefined ? one : fencedAlerts(one, mayAct))),
      destinations: [...webhooks.map(one => openWebhook(one, send, files, SYSTEM_CLOCK.now)), ...events].map(one =>
        mayAct === undefined ? one : fencedNotices(one, mayAct),
      ),
    },
    { ...NOTIFY_DEFAULTS, cluster, ...options },
    signal,
  );
}

/** One for each cluster, so that one that is not reached keeps only its own waiting. */
async function eventDestinations(
  clusters: readonly WatchedCluster[],
  connection: OpenOptions,
): Promise<readonly NoticeDestination[]> {
  const named = clusters.flatMap(one => (one.name === undefined ? [] : [{ cluster: one, name: one.name }]));
  if (named.length === 0) return [eventDestination((await openKube(connection)).cluster)];
  return named.map(({ cluster, name }) =>
    eventDestination(
      { context: name, post: async (path, body, limits) => (await cluster.open()).cluster.post(path, body, limits) },
      name,
    ),
  );
}
