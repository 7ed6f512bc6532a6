/** A live watch: of the nodes of a cluster, of named targets, or of the targets that a Prometheus knows. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { SYSTEM_CLOCK } from '../../adapters/clock/system-clock.ts';
import { parseS3Url, placeText } from '../../adapters/s3/s3-place.ts';
import type { KubeCluster } from '../../adapters/kube/kube-cluster.ts';
import { Failure } from '../../base/failure.ts';
import { oneLine } from '../../base/text-layout.ts';
import { BUNDLED_LEAKS } from '../../catalogue/bundled.ts';
import { createWatch } from '../../engine/watch/create-watch.ts';
import { defaultsAt, type PastSource, type WatchOptions } from '../../engine/watch/state/watch-state.ts';
import { targetText } from '../../model/target.ts';
import type { Background } from '../../ports/background.ts';
import type { TargetConnection } from '../../ports/target-connection.ts';
import type { WatchStore } from '../../ports/watch-store.ts';
import { openKube, openTarget } from '../connect/open-target.ts';
import { openProfiler } from '../connect/past-profiles.ts';
import { readAttributes } from '../connect/read-attributes.ts';
import { storeAddress, type StoreAddressText } from '../connect/store-address.ts';
import { readBoundedText } from '../../adapters/files/read-bounded-file.ts';
import { reportUnreachable } from '../connect/unreachable-target.ts';
import type { TargetOptions } from '../options/connection.ts';
import type { Io } from '../terminal/io.ts';
import { packageVersion } from '../terminal/package-version.ts';
import { startBackground } from './background-client.ts';
import { type ConfiguredTarget, readWatchConfig, type WatchConfig } from './config.ts';
import { feedFromCluster, feedFromPrometheus } from './live-feeds.ts';
import { nodeConditions } from './node-condition.ts';
import { hasDestinations, notifierOf } from './notify-destinations.ts';
import { ownProcess } from './own-process.ts';
import { evidenceSettings } from '../connect/open-evidence.ts';
import { openStore } from './store-client.ts';
import { watchPlans } from './watch-plans.ts';
import { watchPorts } from './watch-ports.ts';
import type { StartedWatch, WatchRequest } from './watch-request.ts';

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
  const withNodes = !isPrometheus && (request.nodes || (config.nodes ?? targets.length === 0));
  const cluster = withNodes ? await openKube(request.options) : undefined;
  if (cluster === undefined && (request.actions.isAllowed || request.nodeCondition))
    throw new Failure('usage', '--allow-actions and --node-condition are about nodes; add --nodes');
  const described = (await readAttributes(request.attributes || undefined, io)) ?? new Map();
  const options = { ...watchOptions(request, config, cluster), described };
  const opened = await openAll(targets, request.options, io);
  if (typeof opened === 'number') return opened;

  const shown = request.data === '' ? join(dataHome(io), 'oakum', slug(options.cluster)) : request.data;
  const database = await storeAddress(request, io);
  const store = await openStoreIn(shown, database, request, config, io, log);
  const background = startDetector(request, opened, options.oakumVersion, log);
  const self = ownProcess();
  const past = pastSource(request, io);
  const ports = watchPorts({ store, background, clock: SYSTEM_CLOCK, past }, BUNDLED_LEAKS, log);
  const watch = createWatch(ports, options, () => self.read());
  await watch.start();
  for (const { name, connection, memoryLimitBytes } of opened)
    watch.addTarget({ name, connection, attributes: {}, memoryLimitBytes });

  const feeds: Promise<void>[] = [];
  if (cluster !== undefined) {
    const conditions = request.nodeCondition ? nodeConditions(watch, cluster, log) : undefined;
    feeds.push(feedFromCluster(watch, cluster, request.options.direct, signal, conditions));
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
  const notifier = hasDestinations(destinations)
    ? await notifierOf(
        destinations,
        { watch, store, cluster: options.cluster, connection: request.options, log },
        signal,
      )
    : undefined;
  if (notifier !== undefined) feeds.push(notifier.done);
  const hints = isPrometheus ? [] : [captureHint(options)];
  if (past !== undefined)
    hints.push(`Profiles of the past of what is suspected are read from ${past.history.address}.`);
  return {
    watch,
    notifier,
    plans: watchPlans({ watch, store, cluster, request, io, log }),
    feed: Promise.all(feeds).then(() => {}),
    introduction: [
      `Watching ${subjectText(options, opened.length)}; data is kept in ${keptIn(shown, database, request, io)}.`,
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

function pastSource({ profiler }: WatchRequest, io: Io): PastSource | undefined {
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

const MAX_CONFIG_BYTES = 4 * 2 ** 20;
const NO_CONFIG: WatchConfig = {
  nodes: undefined,
  targets: [],
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

function watchOptions(request: WatchRequest, config: WatchConfig, cluster: KubeCluster | undefined): WatchOptions {
  const { prometheus, detector } = request;
  const isPrometheus = prometheus !== '';
  const defaults = defaultsAt(detector.timeScale);
  return {
    ...defaults,
    mode: isPrometheus ? 'prometheus' : cluster === undefined ? 'targets' : 'cluster',
    cluster: cluster?.cluster.context ?? (isPrometheus ? new URL(prometheus).host : 'targets'),
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
      options: { shown, setDamagedAside, ...limits },
    },
    stopWhenDead('store', log),
  );
}

function startDetector(request: WatchRequest, opened: readonly Opened[], oakumVersion: string, log: Log): Background {
  const { timeScale, leastGrowth, memoryLimitBytes: limitBytes } = request.detector;
  const limits = opened.flatMap(({ name, memoryLimitBytes }) =>
    memoryLimitBytes === undefined ? [] : [[name, memoryLimitBytes] as const],
  );
  const limitBytesByTarget = Object.fromEntries(limits);
  return startBackground(
    { timeScale, leastGrowth, limitBytesByTarget, limitBytes, catalogue: BUNDLED_LEAKS, oakumVersion },
    stopWhenDead('detector', log),
  );
}

function stopWhenDead(thread: string, log: Log): (why: string) => void {
  return why => {
    log(`the ${thread} thread died (${oneLine(why)}); start oakum watch again: it resumes where it stopped`);
    process.kill(process.pid, 'SIGTERM');
  };
}

function subjectText({ mode, cluster }: WatchOptions, count: number): string {
  const targets = count === 0 ? '' : `${count} ${count === 1 ? 'target' : 'targets'}`;
  if (mode === 'prometheus') return `the targets in ${cluster}`;
  if (mode === 'targets') return targets;
  return `the nodes of ${cluster}${targets === '' ? '' : ` and ${targets}`}`;
}

/** Where programs keep their data, by the XDG convention. */
function dataHome({ env }: Io): string {
  return env['XDG_DATA_HOME'] || join(env['HOME'] ?? homedir(), '.local/share');
}

function slug(name: string): string {
  return name.replace(/[^A-Za-z0-9.]+/g, '-').replace(/^[-.]+|[-.]+$/g, '') || 'watch';
}
