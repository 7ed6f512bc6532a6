/** A cluster whose nodes are asked again and again: credentials are fetched once for all of them. */
import type { KubeObject } from '../../formats/kube-json/objects.ts';
import type { ClusterConnection, TargetConnection } from '../../ports/target-connection.ts';
import { clusterOf, connection, kubeletUrl, type OpenOptions } from '../http/open-target.ts';
import { proxyFromEnvironment } from '../http/proxy-tunnel.ts';
import { openKubeAccess } from './kube-access.ts';

export interface WatchedCluster {
  readonly cluster: ClusterConnection;
  /** Undefined when the node tells no address, and it is asked without the API server. */
  connect(name: string, node: KubeObject): TargetConnection | undefined;
}

export async function openWatchedCluster(options: OpenOptions): Promise<WatchedCluster> {
  const access = await openKubeAccess(options);
  const { endpoint } = access;
  return {
    cluster: clusterOf(access),
    connect(name, node) {
      const target = `node/${name}`;
      if (options.direct) {
        const base = kubeletUrl(JSON.stringify(node));
        if (base === undefined) return undefined;
        const tls = { insecure: options.insecure };
        return connection(target, 'kubelet', {
          ...endpoint,
          base,
          tls,
          proxy: proxyFromEnvironment(base, options.env),
        });
      }
      const base = new URL(endpoint.base);
      base.pathname = `${base.pathname.replace(/\/+$/, '')}/api/v1/nodes/${name}/proxy`;
      return connection(target, 'api-server-proxy', { ...endpoint, base });
    },
  };
}
