/** The feeds of a live watch: nodes and events from the API server, or samples from a Prometheus. */
import { SYSTEM_CLOCK } from '../../adapters/clock/system-clock.ts';
import type { KubeCluster } from '../../adapters/kube/kube-cluster.ts';
import { watchObjects } from '../../adapters/kube/watch-objects.ts';
import { explain } from '../../diagnosis/replies/explain.ts';
import type { Watch } from '../../engine/watch/create-watch.ts';
import { clusterSink } from '../../engine/watch/feeds/follow-cluster.ts';
import { followPrometheus } from '../../engine/watch/feeds/follow-prometheus.ts';
import type { ConditionFollower } from '../../engine/node-condition/follow-condition.ts';
import type { WatchOptions } from '../../engine/watch/state/watch-state.ts';
import type { Reply } from '../../model/reply.ts';
import { openPrometheus } from '../connect/open-target.ts';
import type { TargetOptions } from '../options/connection.ts';
import { everyTenth } from '../terminal/query-progress.ts';

const WATCH_SECONDS = 20;

/** Runs until the signal aborts. */
export async function feedFromCluster(
  watch: Watch,
  { cluster, target, kubelet }: KubeCluster,
  direct: boolean,
  signal: AbortSignal,
  conditions?: ConditionFollower,
): Promise<void> {
  const sink = clusterSink(watch, direct ? kubelet : name => target({ kind: 'node', name }));
  const timing = { sleep: SYSTEM_CLOCK.sleep, random: Math.random, watchSeconds: WATCH_SECONDS };
  const reporting = (what: string) => ({
    answered: () => watch.setMissingRight(what, undefined),
    failed: (reply: Reply, path: string): void => {
      const why = explain(reply, { target: 'apiserver', via: 'api-server', address: cluster.address, path });
      if (why === undefined) return;
      const isRefused = why.kind === 'forbidden' || why.kind === 'unauthorized';
      watch.setMissingRight(what, {
        why: isRefused ? 'forbidden' : 'failing',
        what: `${what}: ${why.sentence}`,
        command: why.nextStep,
      });
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
        ...reporting('nodes'),
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
  { intervalSeconds, timeScale }: Pick<WatchOptions, 'intervalSeconds' | 'timeScale'>,
  signal: AbortSignal,
): Promise<void> {
  const access = { url, tokenFile, headers, user: '', passwordFile: '', certificateAuthority, insecure, cwd, env };
  const progress = everyTenth((done, all) => log(`reading the past: ${done} of ${all} queries`));
  const options = { selector, intervalSeconds, timeScale, progress };
  await followPrometheus(watch, openPrometheus(access), SYSTEM_CLOCK, options, signal);
}
