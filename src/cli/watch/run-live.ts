/** A live watch: of the nodes of one cluster or several, of named targets, or of the targets that a Prometheus knows. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { credentialFiles } from '../../live/io/credential-files.ts';
import { httpSender } from '../../live/io/send-request.ts';
import { SYSTEM_CLOCK } from '../../live/io/clocks.ts';
import { parseS3Url, placeText } from '../../store/io/s3-place.ts';
import type { KubeCluster } from '../../live/io/kube/kube-cluster.ts';
import { oneLine } from '../../base/text-layout.ts';
import { BUNDLED_LEAKS } from '../../knowledge/bundled.ts';
import { type NoticeDestination, NOTIFY_DEFAULTS } from '../../watch/notify/destination.ts';
import { openAlertmanager } from '../../watch/io/alertmanager.ts';
import { eventDestination } from '../../watch/io/event-destination.ts';
import { openWebhook } from '../../watch/io/webhook.ts';
import type { ReplicaSession } from '../../watch/replicas/replica-session.ts';
import { createWatch } from '../../watch/create-watch.ts';
import type { Watch } from '../../watch/watch-service.ts';
import { defaultsAt, type ProfilerSource, type WatchOptions } from '../../watch/state/watch-state.ts';
import { targetText, withoutCluster } from '../../evidence/target.ts';
import type { Background } from '../../watch/background.ts';
import type { TargetConnection } from '../../live/ports.ts';
import type { WatchStore } from '../../store/ports.ts';
import { openKube, type OpenOptions, openTarget, reportUnreachable } from '../connect/open-target.ts';
import { openProfiler } from '../connect/past-profiles.ts';
import { storeAddress, type StoreAddressText, evidenceSettings } from '../connect/store-places.ts';
import { readBoundedText } from '../../evidence/io/read-bounded-file.ts';
import type { TargetOptions } from '../options/connection.ts';
import type { Io } from '../io.ts';
import { packageVersion } from '../package-files.ts';
import { startBackground } from './background-client.ts';
import { type ClusterSpec, clusterSpecs, openClusters, WatchedCluster } from './clusters.ts';
import { type ConfiguredTarget, readWatchConfig, type WatchConfig } from './config.ts';
import { feedFromCluster, feedFromPrometheus } from './live-feeds.ts';
import type { NotifyConfig } from './notify-config.ts';
import { ownProcess } from './own-process.ts';
import type { Replica } from './replica.ts';
import { openStore } from './store-client.ts';
import { watchPlans } from './watch-plans.ts';
import { watchPorts } from './watch-ports.ts';
import type { StartedWatch, WatchRequest } from './watch-request.ts';
import { type Notifier, startNotifier } from '../../watch/notify/start-notifier.ts';
import { CONDITION_TYPE, type ConditionFollower, followConditions } from '../../watch/notify/follow-condition.ts';
import {
  fencedActions,
  fencedAlerts,
  fencedNotices,
  type MayAct,
  runWhileLeading,
  storeOfLeader,
} from '../../watch/replicas/fenced.ts';
import { readAttributes } from '../connect/read-source.ts';
import { Failure } from '../../base/errors.ts';

/** The condition of leaking nodes, for `oakum watch --node-condition`. */
const DEADLINE_SECONDS = 15;

type Log = (line: string) => void;

/** Returns the exit code if a target cannot be reached. */
export async function startLive(
  request: WatchRequest,
  io: Io,
  signal: AbortSignal,
  log: Log,
): Promise<StartedWatch | number> {
  const config = await readConfig(request.config, io);
  const targets = [...request.targets.map(ref => ({ ref, memoryLimitBytes: undefined })), ...config.targets];
  const isPrometheus = request.prometheus !== '';
  const specs = await specsOf(request, config);
  const withNodes = !isPrometheus && (request.nodes || (config.nodes ?? targets.length === 0));
  const { clusters, elsewhere, inClusters } = await openSubject(request, specs, targets, withNodes);
  if (clusters.length === 0 && (request.actions.isAllowed || request.nodeCondition))
    throw new Failure('usage', '--allow-actions and --node-condition are about nodes; add --nodes');
  const described = (await readAttributes(request.attributes || undefined, io)) ?? new Map();
  const options = { ...watchOptions(request, config, clusters, specs), described };
  const opened = await openAll(elsewhere, request.options, io);
  if (typeof opened === 'number') return opened;

  const shown = request.data === '' ? join(dataHome(io), 'oakum', dataName(options)) : request.data;
  const database = await storeAddress(request, io);
  const place = { database, cluster: clusterOfLeases(clusters), io, log };
  const replica =
    request.replica === undefined
      ? undefined
      : await (await import('./replica.ts')).openReplica({ ...request, replica: request.replica }, place);
  const store = await openStoreIn(shown, database, request, config, io, log).catch(async (error: unknown) => {
    await replica?.leave();
    throw error;
  });
  const background = startDetector(request, opened, clusters, options.oakumVersion, log);
  const self = ownProcess();
  const profiler = profilerSource(request, io);
  const shared = replica === undefined ? {} : { share: replica.session, exchange: replica.exchange };
  const ports = watchPorts({ store, background, clock: SYSTEM_CLOCK, profiler, ...shared }, BUNDLED_LEAKS, log);
  const watch = createWatch(ports, options, () => self.read());
  await watch.start();
  for (const { name, connection, memoryLimitBytes } of opened)
    watch.addTarget({ name, connection, attributes: {}, memoryLimitBytes });

  const feeds: Promise<void>[] = [];
  for (const cluster of clusters) {
    const { name } = cluster;
    const conditions = request.nodeCondition
      ? (kube: KubeCluster) => nodeConditions(watch, kube, name, log, replica?.session)
      : undefined;
    const own = inClusters.filter(({ ref }) => 'cluster' in ref && ref.cluster === name);
    feeds.push(feedFromCluster(watch, { cluster, targets: own, conditions }, signal));
  }
  if (isPrometheus) {
    const source = {
      url: request.prometheus,
      tokenFile: request.prometheusTokenFile,
      headers: request.prometheusHeader,
      selector: request.selector,
      log,
    };
    feeds.push(feedFromPrometheus(watch, source, request.options, options, signal));
  }
  const destinations = {
    ...config.notify,
    alertmanagers: [...request.alertmanagers, ...(config.notify?.alertmanagers ?? [])],
  };
  const notified = { watch, store, cluster: notifiedName(options), clusters, connection: request.options, log };
  const notifier = !hasDestinations(destinations)
    ? undefined
    : replica === undefined
      ? await notifierOf(destinations, notified, signal)
      : notifierOfLeader(destinations, notified, replica, signal);
  if (notifier !== undefined) feeds.push(notifier.done);
  const hints = isPrometheus ? [] : [captureHint(options)];
  if (profiler !== undefined)
    hints.push(`Profiles of the past of what is suspected are read from ${profiler.history.address}.`);
  return {
    watch,
    notifier,
    plans: watchPlans({ watch, store, clusters, request, io, log, replica: replica?.session }),
    ...(replica === undefined ? {} : { join: () => joinOthers(watch, replica, signal), leave: () => replica.leave() }),
    feed: Promise.all(feeds).then(() => {}),
    introduction: [
      `Watching ${subjectText(options, opened.length + inClusters.length)}; data is kept in ${keptIn(shown, database, request, io)}.`,
      ...hints,
    ],
  };
}

function keptIn(
  shown: string,
  database: { readonly shown: string } | undefined,
  { evidence }: WatchRequest,
  { env }: Io,
): string {
  const profiles = evidence === '' ? shown : placeText(parseS3Url(evidence, env));
  const rows = database?.shown ?? shown;
  return rows === profiles ? rows : `${rows}, profiles in ${profiles}`;
}

/** Whoever joins gets a share at once, and must know its targets by then. */
async function joinOthers(watch: Watch, { session, join: joinNow }: Replica, signal: AbortSignal): Promise<string> {
  for (let waited = 0; waited < MAX_WAIT_SECONDS && watch.status().targetCount === 0; waited++)
    await SYSTEM_CLOCK.sleep(1, signal);
  await joinNow(signal);
  return `This is ${replicasText(session)}.`;
}

function replicasText({ id, members, leader }: ReplicaSession): string {
  const others = members.length - 1;
  const leads = leader === null ? '' : leader.id === id ? '; it leads' : `; ${leader.id} leads`;
  return `replica ${id}, with ${others === 0 ? 'no others' : `${others} ${others === 1 ? 'other' : 'others'}`}${leads}`;
}

const MAX_WAIT_SECONDS = 10;

/** Leases of several clusters would not agree: only the one cluster of a watch has them. */
function clusterOfLeases(clusters: readonly WatchedCluster[]): KubeCluster | undefined {
  return clusters.length === 1 ? clusters[0]?.kube : undefined;
}

function profilerSource({ profiler }: WatchRequest, io: Io): ProfilerSource | undefined {
  if (profiler === undefined) return undefined;
  const { selector, sinceSeconds } = profiler;
  return { history: openProfiler(profiler, io), selector, sinceSeconds };
}

function captureHint({ capturesAllowed, gc }: WatchOptions): string {
  if (!capturesAllowed) return 'Profiles are not taken; --capture allows it.';
  return gc
    ? 'Profiles are taken when something is suspected, and of the heap every 6 hours; those collect garbage first (--no-gc: not).'
    : 'Profiles are taken when something is suspected, and of the heap every 6 hours; those collect no garbage first.';
}

const MAX_CONFIG_BYTES = 16 * 2 ** 20;
const NO_CONFIG: WatchConfig = {
  nodes: undefined,
  targets: [],
  clusters: undefined,
  intervalSeconds: undefined,
  retentionSeconds: undefined,
  capture: undefined,
  grafana: undefined,
  notify: undefined,
};

async function readConfig(path: string, io: Io): Promise<WatchConfig> {
  if (path === '') return NO_CONFIG;
  return readWatchConfig(await readBoundedText(resolve(io.cwd, path), MAX_CONFIG_BYTES, path), path);
}

async function specsOf(request: WatchRequest, { clusters }: WatchConfig): Promise<readonly ClusterSpec[]> {
  const { prometheus, options } = request;
  const given = [...request.clusters, ...(clusters?.given ?? [])];
  const configured = clusters?.configured ?? [];
  if (given.length + configured.length === 0) return [];
  if (prometheus !== '' || options.context !== '')
    throw new Failure('usage', 'the file of --config names clusters; leave out --prometheus and --context');
  return clusterSpecs(given, configured, options);
}

interface Subject {
  /** Those whose nodes are watched: none, one without a name, or several. */
  readonly clusters: readonly WatchedCluster[];
  /** Named targets, in the clusters and not. */
  readonly inClusters: readonly ConfiguredTarget[];
  readonly elsewhere: readonly ConfiguredTarget[];
}

/** Throws a usage failure if a target is in no cluster of the watch. */
async function openSubject(
  { options }: WatchRequest,
  specs: readonly ClusterSpec[],
  targets: readonly ConfiguredTarget[],
  withNodes: boolean,
): Promise<Subject> {
  const isNamed = ({ ref }: ConfiguredTarget): boolean => 'cluster' in ref && ref.cluster !== undefined;
  if (specs.length === 0) {
    const named = targets.find(isNamed);
    if (named !== undefined)
      throw new Failure('usage', `${targetText(named.ref)}: say with --clusters which clusters are watched`);
    const only = new WatchedCluster({ options });
    if (withNodes) await only.open();
    return { clusters: withNodes ? [only] : [], inClusters: [], elsewhere: targets };
  }
  for (const { ref } of targets) {
    if (ref.kind === 'url' || ref.kind === 'unix') continue;
    if (!specs.some(({ name }) => name === ref.cluster))
      throw new Failure(
        'usage',
        `${targetText(ref)}: say in which cluster, such as cluster/${specs[0]?.name}/${withoutCluster(targetText(ref))}`,
      );
  }
  return {
    clusters: await openClusters(specs),
    inClusters: targets.filter(isNamed),
    elsewhere: targets.filter(one => !isNamed(one)),
  };
}

function watchOptions(
  request: WatchRequest,
  config: WatchConfig,
  clusters: readonly WatchedCluster[],
  specs: readonly ClusterSpec[],
): WatchOptions {
  const { prometheus, detector } = request;
  const isPrometheus = prometheus !== '';
  const defaults = defaultsAt(detector.timeScale);
  return {
    ...defaults,
    mode: isPrometheus ? 'prometheus' : clusters.length === 0 ? 'targets' : 'cluster',
    cluster:
      specs.length > 0
        ? `${specs.length} ${specs.length === 1 ? 'cluster' : 'clusters'}`
        : (clusters[0]?.kube?.cluster.context ?? (isPrometheus ? new URL(prometheus).host : 'targets')),
    clusters: specs.map(({ name }) => name),
    clustersWithoutCapture: new Set(specs.filter(({ mayCapture }) => !mayCapture).map(({ name }) => name)),
    oakumVersion: packageVersion(),
    intervalSeconds: request.intervalSeconds ?? config.intervalSeconds ?? defaults.intervalSeconds,
    capturesAllowed: !isPrometheus && (request.capture || config.capture === true),
    gc: request.gc,
    memoryLimitBytes: detector.memoryLimitBytes,
    grafana: config.grafana,
  };
}

interface Opened {
  readonly name: string;
  readonly connection: TargetConnection;
  readonly memoryLimitBytes: number | undefined;
}

/** Returns the exit code if one cannot be reached. */
async function openAll(
  targets: readonly ConfiguredTarget[],
  options: TargetOptions,
  io: Io,
): Promise<Opened[] | number> {
  const opened: Opened[] = [];
  for (const { ref, memoryLimitBytes } of targets) {
    const found = await openTarget(ref, options);
    if (found.kind === 'not-opened') return reportUnreachable(found, targetText(ref), io);
    opened.push({ name: found.connection.target, connection: found.connection, memoryLimitBytes });
  }
  return opened;
}

function openStoreIn(
  shown: string,
  database: StoreAddressText | undefined,
  request: WatchRequest,
  config: WatchConfig,
  io: Io,
  log: Log,
): Promise<WatchStore> {
  const retention = request.retentionSeconds ?? config.retentionSeconds;
  const days = retention === undefined ? undefined : retention / 86_400;
  const limits = days === undefined ? {} : { limits: { hourDays: days, recordDays: days } };
  const { setDamagedAside } = request;
  const evidence = request.evidence === '' ? undefined : evidenceSettings(request.evidence, io.env, io.cwd);
  return openStore(
    {
      folder: resolve(io.cwd, shown),
      evidence,
      database: database?.url,
      isShared: request.replica !== undefined,
      options: { shown, setDamagedAside, ...limits },
    },
    stopWhenDead('store', log),
  );
}

function startDetector(
  request: WatchRequest,
  opened: readonly Opened[],
  clusters: readonly WatchedCluster[],
  oakumVersion: string,
  log: Log,
): Background {
  const { timeScale, leastGrowth, memoryLimitBytes: limitBytes } = request.detector;
  const limits = opened.flatMap(({ name, memoryLimitBytes }) =>
    memoryLimitBytes === undefined ? [] : [[name, memoryLimitBytes] as const],
  );
  const limitBytesByTarget = Object.fromEntries(limits);
  const limitBytesByCluster = Object.fromEntries(
    clusters.flatMap(({ name = '', memoryLimitBytes }) =>
      memoryLimitBytes === undefined ? [] : [[name, memoryLimitBytes] as const],
    ),
  );
  return startBackground(
    {
      timeScale,
      leastGrowth,
      limitBytesByTarget,
      limitBytesByCluster,
      limitBytes,
      catalogue: BUNDLED_LEAKS,
      oakumVersion,
    },
    stopWhenDead('detector', log),
  );
}

function stopWhenDead(thread: string, log: Log): (why: string) => void {
  return why => {
    log(`the ${thread} thread died (${oneLine(why)}); start oakum watch again: it resumes where it stopped`);
    process.kill(process.pid, 'SIGTERM');
  };
}

/** A set of clusters that grows is still the same set. */
const SEVERAL = 'clusters';

function dataName({ cluster, clusters = [] }: WatchOptions): string {
  return clusters.length > 0 ? SEVERAL : slug(cluster);
}

/** The label of what is in no cluster, or in several. */
function notifiedName({ cluster, clusters = [] }: WatchOptions): string {
  return clusters.length > 0 ? SEVERAL : cluster;
}

function subjectText({ mode, cluster, clusters = [] }: WatchOptions, count: number): string {
  const targets = count === 0 ? '' : `${count} ${count === 1 ? 'target' : 'targets'}`;
  if (mode === 'prometheus') return `the targets in ${cluster}`;
  if (mode === 'targets') return targets;
  const names = clusters.length === 0 ? '' : ` (${namesText(clusters)})`;
  return `the nodes of ${cluster}${names}${targets === '' ? '' : ` and ${targets}`}`;
}

const MAX_NAMED = 10;

function namesText(names: readonly string[]): string {
  const rest = names.length - MAX_NAMED;
  return `${names.slice(0, MAX_NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** Where programs keep their data, by the XDG convention. */
function dataHome({ env }: Io): string {
  return env['XDG_DATA_HOME'] || join(env['HOME'] ?? homedir(), '.local/share');
}

function slug(name: string): string {
  return name.replace(/[^A-Za-z0-9.]+/g, '-').replace(/^[-.]+|[-.]+$/g, '') || 'watch';
}

/** The notifier among replicas: the one that leads sends, from what the store says has been sent. */
function notifierOfLeader(
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
      // An incident that another replica stored before it died must not look resolved.
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

/** Follows the verdicts of a watch on the nodes of a cluster, after each evaluation. `name`: where there are several. */
function nodeConditions(
  watch: Watch,
  cluster: KubeCluster,
  name: string | undefined,
  log: (line: string) => void,
  replica?: ReplicaSession,
): ConditionFollower {
  const own = cluster.actions(`oakum/${packageVersion()} (watch)`, DEADLINE_SECONDS);
  const actions = replica === undefined ? own : fencedActions(own, () => replica.mayAct(replica.term));
  const follower = followConditions({
    actions,
    clock: SYSTEM_CLOCK,
    idOfLeak: ref => BUNDLED_LEAKS.find(({ refs }) => refs.includes(ref))?.id,
    log,
    refused: message =>
      watch.setMissingRight(
        'node condition',
        message === undefined
          ? undefined
          : {
              why: 'forbidden',
              what: `the condition ${CONDITION_TYPE} is not written: ${oneLine(message)}`,
              command: 'oakum access --for condition',
            },
        name,
      ),
  });
  watch.subscribe(event => {
    if (event.kind !== 'fleet' || replica?.isLeader === false) return;
    follower.follow(watch.nodeStandings(name)).catch((error: Error) => log(`conditions: ${oneLine(error.message)}`));
  });
  return follower;
}

/** The notifier of a watch, put together from the adapters. */
type Destinations = Pick<NotifyConfig, 'alertmanagers'> & Partial<NotifyConfig>;

interface NotifiedWatch {
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

function hasDestinations({ alertmanagers, webhooks = [], kubernetesEvents = false }: Destinations): boolean {
  return alertmanagers.length > 0 || webhooks.length > 0 || kubernetesEvents;
}

async function notifierOf(
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
