/** A cluster of a watch: one without a name, or one of several. */
import type { KubeCluster } from '../../live/io/kube/kube-cluster.ts';
import { openKube } from '../connect/open-target.ts';
import type { TargetOptions } from '../options/connection.ts';
import type { ClusterSpec } from './cluster-specs.ts';
import { Failure } from '../../base/errors.ts';

export class WatchedCluster {
  /** Undefined if it is the only one: then names of targets do not mention it. */
  readonly name: string | undefined;
  readonly options: TargetOptions;
  readonly mayAct: boolean;
  readonly memoryLimitBytes: number | undefined;
  #kube: KubeCluster | undefined;

  constructor(spec: Pick<ClusterSpec, 'options'> & Partial<ClusterSpec>) {
    this.name = spec.name;
    this.options = spec.options;
    this.mayAct = spec.mayAct ?? true;
    this.memoryLimitBytes = spec.memoryLimitBytes;
  }

  /** Undefined while its kubeconfig cannot be used. */
  get kube(): KubeCluster | undefined {
    return this.#kube;
  }

  /** Reads the kubeconfig; nothing is asked. Throws if it cannot be used. */
  async open(): Promise<KubeCluster> {
    return (this.#kube ??= await openKube(this.options));
  }
}

/**
 * Opens several. A kubeconfig that cannot be used does not keep the others from being watched: it is tried again later.
 * Throws if none of them can be used, or if two are the same.
 */
export async function openClusters(specs: readonly ClusterSpec[]): Promise<readonly WatchedCluster[]> {
  const clusters = specs.map(spec => new WatchedCluster(spec));
  const opened = await Promise.allSettled(clusters.map(cluster => cluster.open()));
  const failed = opened.flatMap(one => (one.status === 'rejected' ? [one.reason as Error] : []));
  if (failed.length === clusters.length && failed[0] !== undefined) throw failed[0];
  const names = new Map<string, string>();
  for (const { name, kube } of clusters) {
    if (kube === undefined || name === undefined) continue;
    const other = names.get(kube.server);
    if (other !== undefined)
      throw new Failure('usage', `${other} and ${name} are the same cluster, ${kube.server}: leave one of them out`);
    names.set(kube.server, name);
  }
  return clusters;
}
