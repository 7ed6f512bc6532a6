/**
 * The connection to `cluster/prod-eu/node/worker-17` for commands about one target: the context of that name, as if it
 * were given with --context, or the file of that name, given with --kubeconfig.
 */
import { basename } from 'node:path';
import { readKubeconfig } from '../../live/io/kube/kubeconfig-files.ts';
import type { KubeOptions } from '../../live/io/kube/kube-credentials.ts';
import { Failure } from '../../base/failure.ts';
import { clusterName } from '../../evidence/target.ts';

/** `eu` for `clusters/eu.yaml`: the name of the cluster of a kubeconfig file. */
export function clusterOfFile(path: string): string {
  return clusterName(basename(path).replace(/(?<=.)\.[^.]+$/, ''));
}

/** Throws a usage failure if there is no such cluster. */
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
