/** The feeds of a live watch: nodes and events from the API server, or samples from a Prometheus. */
import { SYSTEM_CLOCK } from '../../live/io/clocks.ts';
import type { KubeCluster } from '../../live/io/kube/kube-cluster.ts';
import { watchObjects } from '../../live/io/kube/watch-objects.ts';
import { oneLine } from '../../base/text-layout.ts';
import { explain } from '../../live/doctor/explain.ts';
import type { Watch } from '../../watch/watch-service.ts';
import { clusterAttribute, clusterSink, type ClusterSink } from '../../watch/sampling/follow-cluster.ts';
import { followPrometheus } from '../../watch/sampling/follow-prometheus.ts';
import type { ConditionFollower } from '../../watch/notify/follow-condition.ts';
import type { WatchOptions } from '../../watch/state/watch-state.ts';
import type { Reply } from '../../live/reply.ts';
import { openPrometheus } from '../connect/open-target.ts';
import type { TargetOptions } from '../options/connection.ts';
import type { ConfiguredTarget } from './config.ts';
import type { WatchedCluster } from './clusters.ts';
import { everyTenth } from '../capture-progress.ts';

const WATCH_SECONDS = 20;
const NODES = 'nodes';

export interface ClusterFeed {
  readonly cluster: WatchedCluster;
  /** Named targets in it, besides its nodes. */
  readonly targets: readonly ConfiguredTarget[];
  readonly conditions: ((kube: KubeCluster) => ConditionFollower) | undefined;
}

const REOPEN_SECONDS = 60;

/** Runs until the signal aborts. Nothing that goes wrong in a cluster is noticed by the others. */
export async function feedFromCluster(watch: Watch, feed: ClusterFeed, signal: AbortSignal): Promise<void> {
  const kube = await openInTime(watch, feed.cluster, signal);
  if (kube === undefined) return;
  const { name, options, memoryLimitBytes } = feed.cluster;
  for (const { ref, memoryLimitBytes: own } of feed.targets) {
    if (ref.kind !== 'apiserver' && ref.kind !== 'pod') continue;
    const connection = kube.target(ref);
    // Processes are compared with those of their job.
    const attributes = { ...clusterAttribute(name), ...(ref.kind === 'apiserver' ? { job: ref.kind } : {}) };
    watch.addTarget({ name: connection.target, connection, attributes, memoryLimitBytes: own ?? memoryLimitBytes });
  }
  const { target, kubelet } = kube;
  const connect = options.direct ? kubelet : (node: string) => target({ kind: 'node', name: node });
  const sink = clusterSink(watch, connect, name === undefined ? undefined : { name, memoryLimitBytes });
  await followObjects(watch, kube, name, sink, feed.conditions?.(kube), signal);
}

/** Undefined if the signal aborts before its kubeconfig can be used. */
async function openInTime(
  watch: Watch,
  cluster: WatchedCluster,
  signal: AbortSignal,
): Promise<KubeCluster | undefined> {
  while (!signal.aborted) {
    try {
      const kube = await cluster.open();
      watch.setMissingRight('kubeconfig', undefined, cluster.name);
      return kube;
    } catch (error) {
      const what = oneLine((error as Error).message);
      const command = 'correct it; it is read again every minute';
      watch.setMissingRight('kubeconfig', { why: 'failing', what, command }, cluster.name);
      if (cluster.name !== undefined) watch.setClusterProblem(cluster.name, what);
    }
    await SYSTEM_CLOCK.sleep(REOPEN_SECONDS, signal);
  }
  return undefined;
}

async function followObjects(
  watch: Watch,
  { cluster }: KubeCluster,
  name: string | undefined,
  sink: ClusterSink,
  conditions: ConditionFollower | undefined,
  signal: AbortSignal,
): Promise<void> {
  const timing = { sleep: SYSTEM_CLOCK.sleep, random: Math.random, watchSeconds: WATCH_SECONDS };
  const reporting = (what: string) => ({
    answered: () => {
      watch.setMissingRight(what, undefined, name);
      if (name !== undefined && what === NODES) watch.setClusterProblem(name, null);
    },
    failed: (reply: Reply, path: string): void => {
      const why = explain(reply, { target: 'apiserver', via: 'api-server', address: cluster.address, path });
      if (why === undefined) return;
      const isRefused = why.kind === 'forbidden' || why.kind === 'unauthorized';
      const right = {
        why: isRefused ? ('forbidden' as const) : ('failing' as const),
        what: `${what}: ${why.sentence}`,
        command: why.nextStep,
      };
      watch.setMissingRight(what, right, name);
      if (name !== undefined && what === NODES) watch.setClusterProblem(name, why.sentence);
    },
  });
  await Promise.all([
    watchObjects(
      cluster,
      '/api/v1/nodes',
      {
        changed: object => {
          sink.addNode(object);
          conditions?.sawNode(object);
        },
        removed: name => {
          sink.removeNode(name);
          conditions?.lostNode(name);
        },
        ...reporting(NODES),
      },
      timing,
      signal,
    ),
    watchObjects(
      cluster,
      '/api/v1/events?fieldSelector=involvedObject.kind%3DNode',
      { changed: object => sink.addEvent(object), removed: () => {}, ...reporting('events of nodes') },
      timing,
      signal,
    ),
    // Only to tell which nodes have which revision of a DaemonSet: without the right to list pods, it is done without.
    watchObjects(
      cluster,
      '/api/v1/pods?labelSelector=controller-revision-hash%2Cpod-template-generation',
      { changed: object => sink.addPod(object), removed: () => {}, answered: () => {}, failed: () => {} },
      timing,
      signal,
    ),
  ]);
}

export interface PrometheusSource {
  readonly url: string;
  readonly tokenFile: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly selector: string;
  readonly log: (line: string) => void;
}

export async function feedFromPrometheus(
  watch: Watch,
  { url, tokenFile, headers, selector, log }: PrometheusSource,
  { certificateAuthority, insecure, cwd, env }: TargetOptions,
  { intervalSeconds, hourSeconds }: Pick<WatchOptions, 'intervalSeconds' | 'hourSeconds'>,
  signal: AbortSignal,
): Promise<void> {
  const access = { url, tokenFile, headers, user: '', passwordFile: '', certificateAuthority, insecure, cwd, env };
  const progress = everyTenth((done, all) => log(`reading the past: ${done} of ${all} queries`));
  const options = { selector, intervalSeconds, hourSeconds, progress };
  await followPrometheus(watch, openPrometheus(access), SYSTEM_CLOCK, options, signal);
}
