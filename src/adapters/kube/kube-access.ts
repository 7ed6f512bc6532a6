/**
 * Where the API server is and how to authenticate to it. @kubernetes/client-node knows the ways to authenticate
 * (certificates, tokens, exec plugins, OIDC, in a pod); requests are our own, for their deadlines and byte caps. It takes
 * longer to load than everything else: only this file imports it, and only a command that needs a cluster loads it.
 */
import type { Agent } from 'node:http';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { FormatError } from '../../base/errors.ts';
import type { CredentialFiles } from '../../ports/credential-files.ts';
import { type Credentials, type Endpoint, RequestError } from '../../ports/request-sender.ts';
import { type Fields, isFields, type Kubeconfig, readKubeconfig, text } from './kubeconfig-files.ts';

export interface KubeOptions {
  readonly kubeconfig: string;
  readonly context: string;
  readonly namespace: string;
  /** --as, --as-group; '' and [] if not given. */
  readonly as: string;
  readonly asGroups: readonly string[];
  /** Instead of those in the kubeconfig; '' if not given. */
  readonly tokenFile: string;
  readonly certificateAuthority: string;
  readonly insecure: boolean;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface KubeAccess {
  readonly context: string;
  readonly namespace: string;
  readonly endpoint: Endpoint;
}

/** How long the credentials of an exec plugin are used if it does not say. */
const KEEP_CREDENTIALS_MS = 30_000;
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

export async function openKubeAccess(options: KubeOptions, files: CredentialFiles): Promise<KubeAccess> {
  const config = await readKubeconfig({ path: options.kubeconfig, cwd: options.cwd, env: options.env });
  if (config !== undefined) return accessOf(choose(config, options), options, files);
  if ((options.env['KUBERNETES_SERVICE_HOST'] ?? '') !== '') return accessOf(await insidePod(options), options, files);
  throw new FormatError(
    'there is no kubeconfig: give --kubeconfig FILE, set KUBECONFIG, or put one at ~/.kube/config; ' +
      'targets such as http://localhost:6060 need none',
  );
}

/** One context with its cluster and user. */
interface Chosen {
  readonly context: string;
  readonly namespace: string;
  readonly cluster: Fields;
  readonly user: Fields;
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
    endpoint: {
      base,
      // A SOCKS proxy comes as an agent with the credentials.
      ...(proxyUrl === '' || isSocks(proxyUrl) ? {} : { proxyUrl }),
      tls: { ...(serverName === '' ? {} : { serverName }), insecure },
      credentials: credentialsOf(chosen, options, files),
    },
  };
}

function isSocks(url: string): boolean {
  return url.startsWith('socks');
}

function credentialsOf(chosen: Chosen, options: KubeOptions, files: CredentialFiles): () => Promise<Credentials> {
  let kept: { readonly credentials: Credentials; readonly atMs: number } | undefined;
  let apply: ((into: HttpsOptions) => Promise<void>) | undefined;
  return async () => {
    if (kept !== undefined && Date.now() - kept.atMs < KEEP_CREDENTIALS_MS) return kept.credentials;
    try {
      apply ??= authenticator(chosen, options, files);
      const given: HttpsOptions = { headers: {} };
      await apply(given);
      kept = { credentials: withOptions(given, chosen, options), atMs: Date.now() };
      return kept.credentials;
    } catch (error) {
      if (error instanceof RequestError) throw error;
      throw new RequestError('credentials', `the kubeconfig's credentials: ${(error as Error).message.trim()}`);
    }
  };
}

/** What client-node fills in. */
interface HttpsOptions {
  headers: Record<string, string | string[]>;
  auth?: string;
  ca?: Buffer;
  cert?: Buffer | string;
  key?: Buffer | string;
  agent?: Agent;
}

function authenticator(
  chosen: Chosen,
  options: KubeOptions,
  files: CredentialFiles,
): (into: HttpsOptions) => Promise<void> {
  const config = new KubeConfig();
  const { 'proxy-url': proxy, 'certificate-authority': ca, ...cluster } = chosen.cluster;
  const { tokenFile, ...user } = options.tokenFile === '' ? chosen.user : { tokenFile: options.tokenFile };
  const caPath = options.certificateAuthority === '' ? ca : resolve(options.cwd, options.certificateAuthority);
  config.loadFromString(
    JSON.stringify({
      clusters: [
        {
          name: 'cluster',
          cluster: {
            ...cluster,
            ...(caPath === undefined
              ? {}
              : { 'certificate-authority': caPath, 'certificate-authority-data': undefined }),
            ...(isSocks(text(proxy)) ? { 'proxy-url': proxy } : {}),
            // It refuses plain http, such as kubectl proxy serves, unless verification is off.
            ...(text(cluster['server']).startsWith('http:') ? { 'insecure-skip-tls-verify': true } : {}),
          },
        },
      ],
      contexts: [{ name: 'context', context: { cluster: 'cluster', user: 'user' } }],
      users: [{ name: 'user', user: withExecInfo(user, chosen.cluster) }],
      'current-context': 'context',
    }),
  );
  return async into => {
    await config.applyToHTTPSOptions(into as Parameters<typeof config.applyToHTTPSOptions>[0]);
    if (tokenFile !== undefined) into.headers['Authorization'] = `Bearer ${await files.readToken(text(tokenFile))}`;
  };
}

/** Plugins written with client-go need this variable; kubectl always sets it. */
function withExecInfo(user: Fields, cluster: Fields): Fields {
  const exec = user['exec'];
  if (!isFields(exec)) return user;
  const info = {
    apiVersion: text(exec['apiVersion']) || 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    spec: { interactive: false, ...(exec['provideClusterInfo'] === true ? { cluster } : {}) },
  };
  const env = Array.isArray(exec['env']) ? exec['env'] : [];
  const variable = { name: 'KUBERNETES_EXEC_INFO', value: JSON.stringify(info) };
  return { ...user, exec: { ...exec, args: exec['args'] ?? [], env: [...env, variable] } };
}

function withOptions(given: HttpsOptions, { user, cluster }: Chosen, options: KubeOptions): Credentials {
  const headers: Record<string, string | string[]> = { ...given.headers };
  if (given.auth !== undefined) headers['Authorization'] = `Basic ${Buffer.from(given.auth).toString('base64')}`;
  const groups = options.as === '' && Array.isArray(user['as-groups']) ? user['as-groups'].map(text) : options.asGroups;
  if (options.as !== '') headers['Impersonate-User'] = options.as;
  if (groups.length > 0) headers['Impersonate-Group'] = [...groups];
  return {
    headers,
    ...(given.ca === undefined ? {} : { ca: given.ca }),
    ...(given.cert === undefined ? {} : { cert: given.cert }),
    ...(given.key === undefined ? {} : { key: given.key }),
    ...(isSocks(text(cluster['proxy-url'])) && given.agent !== undefined ? { agent: given.agent } : {}),
  };
}
