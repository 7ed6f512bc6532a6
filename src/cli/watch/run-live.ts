/** A live watch: of a cluster's nodes, of named targets, or of what a Prometheus has. */
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { openKube, openTarget } from '../connect/open-target.ts';
import { SYSTEM_CLOCK } from '../../adapters/clock/system-clock.ts';
import { oneLine } from '../../base/text-layout.ts';
import { BUNDLED_LEAKS } from '../../catalogue/bundled.ts';
import { createWatch } from '../../engine/watch/create-watch.ts';
import { defaultsAt, type WatchOptions } from '../../engine/watch/state/watch-state.ts';
import { targetText } from '../../model/target.ts';
import type { TargetConnection } from '../../ports/target-connection.ts';
import type { Io } from '../terminal/io.ts';
import { reportUnreachable } from '../connect/unreachable-target.ts';
import { packageVersion } from '../terminal/package-version.ts';
import type { TargetOptions } from '../options/connection.ts';
import { startBackground } from './background-client.ts';
import { type ConfiguredTarget, readWatchConfig, type WatchConfig } from './config.ts';
import { feedFromCluster, feedFromPrometheus } from './live-feeds.ts';
import { ownProcess } from './own-process.ts';
import type { StartedWatch, WatchRequest } from './run-watch.ts';
import { openStore } from './store-client.ts';
import { watchPorts } from './watch-ports.ts';

export async function startLive(
  request: WatchRequest,
  io: Io,
  signal: AbortSignal,
  log: (line: string) => void,
): Promise<StartedWatch | number> {
  const config =
    request.config === ''
      ? NO_CONFIG
      : readWatchConfig(await readFile(resolve(io.cwd, request.config), 'utf8'), request.config);
  const targets: ConfiguredTarget[] = [
    ...request.targets.map(ref => ({ ref, memoryLimitBytes: undefined })),
    ...config.targets,
  ];
  const isPrometheus = request.prometheus !== '';
  const withNodes = !isPrometheus && (request.nodes || (config.nodes ?? targets.length === 0));
  const cluster = withNodes ? await openKube(request.options) : undefined;
  const name = cluster?.cluster.context ?? (isPrometheus ? new URL(request.prometheus).host : 'targets');
  const { timeScale, leastGrowth, memoryLimitBytes } = request.detector;
  const defaults = defaultsAt(timeScale);
  const options: WatchOptions = {
    ...defaults,
    mode: isPrometheus ? 'prometheus' : withNodes ? 'cluster' : 'targets',
    cluster: name,
    oakumVersion: packageVersion(),
    intervalSeconds: request.intervalSeconds ?? config.intervalSeconds ?? defaults.intervalSeconds,
    capturesAllowed: !isPrometheus && (request.capture || config.capture === true),
    memoryLimitBytes,
  };
  const opened = await openAll(targets, request.options, io);
  if (typeof opened === 'number') return opened;

  const shown = request.data === '' ? join(dataHome(io), 'oakum', slug(name)) : request.data;
  const retention = request.retentionSeconds ?? config.retentionSeconds;
  const died =
    (what: string) =>
    (why: string): void => {
      log(`${what} has died (${oneLine(why)}); start oakum watch again: it goes on where it ended`);
      process.kill(process.pid, 'SIGTERM');
    };
  const days = retention === undefined ? undefined : retention / 86_400;
  const limits = days === undefined ? {} : { limits: { hourDays: days, recordDays: days } };
  const store = await openStore(
    { folder: resolve(io.cwd, shown), options: { shown, setDamagedAside: request.setDamagedAside, ...limits } },
    died('the store'),
  );
  const self = ownProcess();
  const background = startBackground(
    {
      timeScale,
      leastGrowth,
      limitBytesByTarget: Object.fromEntries(
        opened.flatMap(({ name, memoryLimitBytes }) =>
          memoryLimitBytes === undefined ? [] : [[name, memoryLimitBytes]],
        ),
      ),
      limitBytes: memoryLimitBytes,
      catalogue: BUNDLED_LEAKS,
      oakumVersion: options.oakumVersion,
    },
    died('the detector'),
  );
  const watch = createWatch(watchPorts({ store, background, clock: SYSTEM_CLOCK }, BUNDLED_LEAKS, log), options, () =>
    self.read(),
  );
  await watch.start();
  for (const { name, connection, memoryLimitBytes } of opened)
    watch.addTarget({ name, connection, attributes: {}, memoryLimitBytes });
  const feeds: Promise<void>[] = [];
  if (cluster !== undefined) feeds.push(feedFromCluster(watch, cluster, request.options.direct, signal));
  if (isPrometheus) {
    const source = { url: request.prometheus, tokenFile: request.prometheusTokenFile, selector: request.selector };
    feeds.push(feedFromPrometheus(watch, source, request.options, options, signal));
  }
  return {
    watch,
    feed: Promise.all(feeds).then(() => {}),
    introduction: [
      `Watching ${whatText(request, withNodes, name, opened.length)}; remembering in ${shown}.`,
      ...(options.capturesAllowed ? [] : isPrometheus ? [] : ['Profiles are not taken: --capture allows it.']),
    ],
  };
}

const NO_CONFIG: WatchConfig = {
  nodes: undefined,
  targets: [],
  intervalSeconds: undefined,
  retentionSeconds: undefined,
  capture: undefined,
};

interface Opened {
  readonly name: string;
  readonly connection: TargetConnection;
  readonly memoryLimitBytes: number | undefined;
}

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

function whatText(request: WatchRequest, withNodes: boolean, name: string, count: number): string {
  const named = count === 0 ? '' : `${count} ${count === 1 ? 'target' : 'targets'}`;
  if (request.prometheus !== '') return `what ${name} has`;
  if (!withNodes) return named;
  return `the nodes of ${name}${named === '' ? '' : ` and ${named}`}`;
}

/** Where programs keep what they remember, by the conventions of desktops. */
function dataHome({ env }: Io): string {
  return env['XDG_DATA_HOME'] || join(env['HOME'] ?? homedir(), '.local/share');
}

function slug(name: string): string {
  return name.replace(/[^A-Za-z0-9.]+/g, '-').replace(/^[-.]+|[-.]+$/g, '') || 'watch';
}
