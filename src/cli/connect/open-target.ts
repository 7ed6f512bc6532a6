/** Turns the name of a target into a connection. */
import { credentialFiles } from '../../live/io/credential-files.ts';
import { daemonConnection, type DaemonOptions } from '../../live/io/http/daemon-connection.ts';
import { httpSender } from '../../live/io/http/send-request.ts';
import type { KubeOptions } from '../../live/io/kube/kube-credentials.ts';
import type { KubeCluster, NotOpened } from '../../live/io/kube/kube-cluster.ts';
import { openPrometheus as openPrometheusAt, type PrometheusOptions } from '../../live/io/metrics-history.ts';
import { optionsAt } from './at-cluster.ts';
import type { TargetRef } from '../../evidence/target.ts';
import type { MetricsHistory } from '../../live/metrics-history.ts';
import type { ClusterConnection, TargetConnection } from '../../live/target-connection.ts';

export interface OpenOptions extends KubeOptions, DaemonOptions {
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

type Surroundings = Pick<KubeOptions, 'cwd' | 'env'>;

/** Loaded only for targets in a cluster: the Kubernetes client library takes long to load. */
export async function openKube(options: KubeOptions): Promise<KubeCluster> {
  const { openKubeCluster } = await import('../../live/io/kube/kube-cluster.ts');
  return openKubeCluster(options, httpSender(options.env), credentialFiles(options.cwd));
}

/** Any http(s) URL, with any path. */
export function openUrl(url: string, options: DaemonOptions & Surroundings): TargetConnection {
  return daemonConnection(
    { kind: 'url', url: url.replace(/\/+$/, '') },
    options,
    httpSender(options.env),
    credentialFiles(options.cwd),
  );
}

/** A target of one of several clusters is opened in the context of that name, and has its name there. */
export async function openTarget(ref: TargetRef, given: OpenOptions): Promise<OpenedTarget | NotOpened> {
  if (ref.kind === 'url' || ref.kind === 'unix') {
    const connection = daemonConnection(ref, given, httpSender(given.env), credentialFiles(given.cwd));
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

export function openPrometheus({ cwd, env, ...options }: PrometheusAccess): MetricsHistory {
  return openPrometheusAt(options, httpSender(env), credentialFiles(cwd));
}
