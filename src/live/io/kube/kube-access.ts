/** Where the API server is, by kubeconfig or inside a pod. */
import { readFile } from 'node:fs/promises';
import { FormatError } from '../../../base/errors.ts';
import type { CredentialFiles } from '../../credential-files.ts';
import type { Endpoint } from '../../request-sender.ts';
import { type Chosen, credentialsOf, isSocks, type KubeOptions } from './kube-credentials.ts';
import { type Kubeconfig, readKubeconfig, text } from './kubeconfig-files.ts';

export interface KubeAccess {
  readonly context: string;
  readonly namespace: string;
  /** That of the pod which this process runs in; undefined if the cluster is another one. */
  readonly podNamespace: string | undefined;
  readonly endpoint: Endpoint;
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

export async function openKubeAccess(options: KubeOptions, files: CredentialFiles): Promise<KubeAccess> {
  const config = await readKubeconfig({ path: options.kubeconfig, cwd: options.cwd, env: options.env });
  if (config !== undefined) return accessOf(choose(config, options), options, files);
  if ((options.env['KUBERNETES_SERVICE_HOST'] ?? '') !== '') {
    const pod = await insidePod(options);
    return { ...accessOf(pod, options, files), podNamespace: pod.namespace || undefined };
  }
  throw new FormatError(
    'there is no kubeconfig: give --kubeconfig FILE, set KUBECONFIG, or put one at ~/.kube/config; ' +
      'targets such as http://localhost:6060 need none',
  );
}

function choose(config: Kubeconfig, options: KubeOptions): Chosen {
  const name = options.context || config.currentContext;
  const names = config.contexts.map(context => context.name).join(', ') || 'none';
  if (name === '') throw new FormatError(`the kubeconfig has no current context; give --context, there are ${names}`);
  const context = config.contexts.find(one => one.name === name)?.fields;
  if (context === undefined) throw new FormatError(`the kubeconfig has no context ${name}; there are ${names}`);
  const cluster = config.clusters.find(one => one.name === context['cluster'])?.fields;
  if (cluster === undefined || text(cluster['server']) === '')
    throw new FormatError(
      `the kubeconfig's context ${name} names the cluster ${text(context['cluster'])}, which is missing`,
    );
  const user = config.users.find(one => one.name === context['user'])?.fields ?? {};
  return { context: name, namespace: text(context['namespace']), cluster, user };
}

async function insidePod({ env }: KubeOptions): Promise<Chosen> {
  const host = env['KUBERNETES_SERVICE_HOST'] ?? '';
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${env['KUBERNETES_SERVICE_PORT'] ?? '443'}`;
  const namespace = await readFile(`${SERVICE_ACCOUNT}/namespace`, 'utf8').catch(() => '');
  return {
    context: 'in-cluster',
    namespace: namespace.trim(),
    cluster: { server, 'certificate-authority': `${SERVICE_ACCOUNT}/ca.crt` },
    user: { tokenFile: `${SERVICE_ACCOUNT}/token` },
  };
}

function accessOf(chosen: Chosen, options: KubeOptions, files: CredentialFiles): KubeAccess {
  const { cluster } = chosen;
  const server = text(cluster['server']);
  if (!URL.canParse(server)) throw new FormatError(`the kubeconfig's server ${server} is not a URL`);
  const base = new URL(server);
  const proxyUrl = text(cluster['proxy-url']);
  const serverName = text(cluster['tls-server-name']);
  const insecure = options.insecure || cluster['insecure-skip-tls-verify'] === true;
  return {
    context: chosen.context,
    namespace: options.namespace || chosen.namespace || 'default',
    podNamespace: undefined,
    endpoint: {
      base,
      // A SOCKS proxy comes as an agent with the credentials.
      ...(proxyUrl === '' || isSocks(proxyUrl) ? {} : { proxyUrl }),
      tls: { ...(serverName === '' ? {} : { serverName }), insecure },
      credentials: credentialsOf(chosen, options, files),
    },
  };
}
