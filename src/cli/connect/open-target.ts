/** Turns the name of a target into a connection. */
import { basename } from 'node:path';
import { credentialFiles } from '../../live/io/credential-files.ts';
import { daemonConnection, type DaemonOptions } from '../../live/io/daemon-connection.ts';
import { httpSender } from '../../live/io/send-request.ts';
import type { KubeOptions } from '../../live/io/kube/kube-credentials.ts';
import type { KubeCluster, NotOpened } from '../../live/io/kube/kube-cluster.ts';
import { openPrometheus as openPrometheusAt, type PrometheusOptions } from '../../live/io/prometheus.ts';
import { type TargetRef, clusterName } from '../../evidence/target.ts';
import type { ClusterConnection, TargetConnection, MetricsHistory, SendRequest } from '../../live/ports.ts';
import { oneLine } from '../../base/text-layout.ts';
import { explain } from '../../live/doctor/explain.ts';
import { type Io, fail } from '../io.ts';
import { EXIT, Failure } from '../../base/errors.ts';
import { readKubeconfig } from '../../live/io/kube/kubeconfig-files.ts';

export interface OpenOptions extends KubeOptions, DaemonOptions, Surroundings {
  /** Connects to the kubelet itself instead of through the API server. */
  readonly direct: boolean;
}

export interface OpenedTarget {
  readonly kind: 'opened';
  readonly connection: TargetConnection;
  /** Set if the target is in a cluster. */
  readonly cluster: ClusterConnection | undefined;
  /** Certificates are not verified, by flag or by kubeconfig. */
  readonly isInsecure: boolean;
}

interface Surroundings extends Pick<KubeOptions, 'cwd' | 'env'> {
  /** Shared by all that a command opens, so that connections to one server are used again. */
  readonly send?: SendRequest | undefined;
}

function senderOf({ send, env }: Surroundings): SendRequest {
  return send ?? httpSender(env);
}

/** Loaded only for targets in a cluster: the Kubernetes client library takes long to load. */
export async function openKube(options: KubeOptions & Surroundings): Promise<KubeCluster> {
  const { openKubeCluster } = await import('../../live/io/kube/kube-cluster.ts');
  return openKubeCluster(options, senderOf(options), credentialFiles(options.cwd));
}

/** Any http(s) URL, with any path. */
export function openUrl(url: string, options: DaemonOptions & Surroundings): TargetConnection {
  return daemonConnection(
    { kind: 'url', url: url.replace(/\/+$/, '') },
    options,
    senderOf(options),
    credentialFiles(options.cwd),
  );
}

/** A target of one of several clusters is opened in the context of that name, and has its name there. */
export async function openTarget(ref: TargetRef, given: OpenOptions): Promise<OpenedTarget | NotOpened> {
  if (ref.kind === 'url' || ref.kind === 'unix') {
    const connection = daemonConnection(ref, given, senderOf(given), credentialFiles(given.cwd));
    return { kind: 'opened', connection, cluster: undefined, isInsecure: given.insecure };
  }
  const options = await optionsAt(ref.cluster, given);
  const kube = await openKube(options);
  const { cluster } = kube;
  if (ref.kind === 'node' && options.direct) {
    const found = await kube.findKubelet(ref.name);
    return 'kind' in found ? found : { kind: 'opened', connection: found, cluster, isInsecure: options.insecure };
  }
  return { kind: 'opened', connection: kube.target(ref), cluster, isInsecure: kube.isInsecure };
}

export type PrometheusAccess = PrometheusOptions & Surroundings;

export function openPrometheus({ cwd, env, send, ...options }: PrometheusAccess): MetricsHistory {
  return openPrometheusAt(options, senderOf({ cwd, env, send }), credentialFiles(cwd));
}

/** Says in one line why a target cannot be reached; returns the exit code. */
export function reportUnreachable({ path, reply, address }: NotOpened, target: string, io: Io): number {
  const why = explain(reply, { target, via: 'api-server', address, path });
  return fail(
    io,
    EXIT.couldNotObserve,
    `${target}: ${oneLine(why === undefined ? 'not found' : `${why.sentence}; ${why.nextStep}`)}`,
  );
}

/** `eu` for `clusters/eu.yaml`: the name of the cluster of a kubeconfig file. */
export function clusterOfFile(path: string): string {
  return clusterName(basename(path).replace(/(?<=.)\.[^.]+$/, ''));
}

/**
 * The options for `cluster/prod-eu/node/worker-17` in commands about one target: the context of that name, as if it
 * were given with --context, or the file of that name, given with --kubeconfig. Throws a usage failure if there is no
 * such cluster.
 */
export async function optionsAt<T extends KubeOptions>(cluster: string | undefined, options: T): Promise<T> {
  if (cluster === undefined) return options;
  const { context, kubeconfig, cwd, env } = options;
  if (context !== '') {
    if (clusterName(context) === cluster) return options;
    throw new Failure('usage', `cluster/${cluster} is not the context ${context}; give only one of them`);
  }
  const contexts = (await readKubeconfig({ path: kubeconfig, cwd, env }))?.contexts.map(({ name }) => name) ?? [];
  const [found, other] = contexts.filter(name => clusterName(name) === cluster);
  if (found !== undefined && other !== undefined)
    throw new Failure('usage', `cluster/${cluster} may be the context ${found} or ${other}; choose with --context`);
  if (found !== undefined) return { ...options, context: found };
  if (kubeconfig !== '' && clusterOfFile(kubeconfig) === cluster) return options;
  throw new Failure(
    'usage',
    `the kubeconfig has no context ${cluster}; there are ${contexts.join(', ') || 'none'}. ` +
      `For a cluster from a folder, give --kubeconfig DIR/${cluster}.yaml`,
  );
}
