/**
 * How to authenticate to the API server. @kubernetes/client-node knows most ways (tokens, passwords, OIDC, SOCKS proxies).
 * Files and plugins are our own, for their bounds, as are requests. It takes longer to load than everything else: only
 * this file imports it, and only a command that needs a cluster loads it.
 */
import type { Agent } from 'node:http';
import { resolve } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { type ExecPlugin, pluginName, runExecPlugin } from './exec-plugin.ts';
import { type Fields, isFields, text } from './kubeconfig-files.ts';
import { type Credentials, RequestError, type CredentialFiles } from '../../ports.ts';

export interface KubeOptions {
  readonly kubeconfig: string;
  readonly context: string;
  readonly namespace: string;
  /** Its name in the names of targets, where there are several clusters. */
  readonly clusterName?: string | undefined;
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

/** One context with its cluster and user. */
export interface Chosen {
  readonly context: string;
  readonly namespace: string;
  readonly cluster: Fields;
  readonly user: Fields;
}

/** How long credentials are used if it is not known when they expire. */
const KEEP_CREDENTIALS_MS = 30_000;

export function isSocks(url: string): boolean {
  return url.startsWith('socks');
}

export function credentialsOf(chosen: Chosen, options: KubeOptions, files: CredentialFiles): Work<Credentials> {
  let kept: { readonly credentials: Credentials; readonly untilMs: number } | undefined;
  let apply: Authenticate | undefined;
  const late = (): RequestError => new RequestError('credentials', lateText(chosen, options));
  return sharedWork(async signal => {
    if (kept !== undefined && Date.now() < kept.untilMs) return kept.credentials;
    try {
      apply ??= authenticator(chosen, options, files);
      const given: HttpsOptions = { headers: {} };
      const expiresAtMs = await apply(given, signal);
      kept = {
        credentials: withOptions(given, chosen, options),
        untilMs: expiresAtMs ?? Date.now() + KEEP_CREDENTIALS_MS,
      };
      return kept.credentials;
    } catch (error) {
      if (error instanceof RequestError) throw error;
      throw new RequestError('credentials', `${whose(chosen)}: ${(error as Error).message.trim()}`);
    }
  }, late);
}

/** For a request whose deadline comes while others still wait. */
function lateText({ user, cluster }: Chosen, { tokenFile, env }: KubeOptions): string {
  const plugin = tokenFile === '' ? pluginOf(user, cluster, env) : undefined;
  if (plugin === undefined) return 'the credentials were not there in time';
  return `${pluginName(plugin)} gave no credentials in time; it may wait for a login`;
}

function whose({ user }: Chosen): string {
  const provider = isFields(user['auth-provider']) ? text(user['auth-provider']['name']) : '';
  if (!DROPPED_PROVIDERS.includes(provider)) return "the kubeconfig's credentials";
  return `the auth-provider ${provider}, which Kubernetes 1.26 replaced by credential plugins`;
}

/** Fills in the credentials, and returns when they expire if that is known. */
type Authenticate = (into: HttpsOptions, signal: AbortSignal) => Promise<number | undefined>;

/** What client-node fills in. */
interface HttpsOptions {
  headers: Record<string, string | string[]>;
  auth?: string;
  ca?: Buffer;
  cert?: Buffer | string;
  key?: Buffer | string;
  agent?: Agent;
}

function authenticator(chosen: Chosen, options: KubeOptions, files: CredentialFiles): Authenticate {
  const { tokenFile, ...user } = options.tokenFile === '' ? chosen.user : { tokenFile: options.tokenFile };
  const plugin = pluginOf(user, chosen.cluster, options.env);
  const read = certificateFiles(chosen.cluster, user, options);
  const config = new KubeConfig();
  config.loadFromString(JSON.stringify(forClientNode(chosen.cluster, user)));
  return async (into, signal) => {
    const data: Partial<Record<CertificateData, string>> = {};
    // Each time, because certificates are renewed.
    for (const [name, path] of read) data[name] = Buffer.from(await files.readBytes(path)).toString('base64');
    const { caData, ...own } = data;
    if (caData !== undefined) config.clusters = config.clusters.map(cluster => ({ ...cluster, caData }));
    config.users = config.users.map(one => ({ ...one, ...own }));
    await config.applyToHTTPSOptions(into as Parameters<typeof config.applyToHTTPSOptions>[0]);
    if (tokenFile !== undefined) into.headers['Authorization'] = `Bearer ${await files.readToken(text(tokenFile))}`;
    if (plugin === undefined) return undefined;
    const { token, certificate, key, expiresAtMs } = await runExecPlugin(plugin, signal);
    if (certificate !== '') Object.assign(into, { cert: certificate, key });
    if (token !== '') into.headers['Authorization'] = `Bearer ${token}`;
    return expiresAtMs;
  };
}

/** Fields of client-node. */
type CertificateData = 'caData' | 'certData' | 'keyData';
type CertificateFile = readonly [name: CertificateData, path: string];

/** Certificates that are in files; data in the kubeconfig itself counts more, as for kubectl. */
function certificateFiles(
  cluster: Fields,
  user: Fields,
  { certificateAuthority, cwd }: KubeOptions,
): CertificateFile[] {
  const unlessData = (fields: Fields, name: string): string =>
    text(fields[`${name}-data`]) === '' ? text(fields[name]) : '';
  const ca =
    certificateAuthority === '' ? unlessData(cluster, 'certificate-authority') : resolve(cwd, certificateAuthority);
  const all: CertificateFile[] = [
    ['caData', ca],
    ['certData', unlessData(user, 'client-certificate')],
    ['keyData', unlessData(user, 'client-key')],
  ];
  return all.filter(([, path]) => path !== '');
}

/** What is left for client-node: data, tokens, passwords, OIDC. It would read files of any size, and run commands for ever. */
function forClientNode(cluster: Fields, user: Fields): Fields {
  const { 'proxy-url': proxy, 'certificate-authority': _ca, ...rest } = cluster;
  const { 'client-certificate': _cert, 'client-key': _key, exec: _exec, 'auth-provider': provider, ...own } = user;
  return {
    clusters: [
      {
        name: 'cluster',
        cluster: {
          ...rest,
          ...(isSocks(text(proxy)) ? { 'proxy-url': proxy } : {}),
          // It refuses plain http, such as kubectl proxy serves, unless verification is off.
          ...(text(cluster['server']).startsWith('http:') ? { 'insecure-skip-tls-verify': true } : {}),
        },
      },
    ],
    contexts: [{ name: 'context', context: { cluster: 'cluster', user: 'user' } }],
    users: [
      {
        name: 'user',
        user: { ...own, ...(provider === undefined ? {} : { 'auth-provider': withoutCommand(provider) }) },
      },
    ],
    'current-context': 'context',
  };
}

/** Kubernetes dropped them in 1.26. client-node runs their command in a way that nothing can interrupt. */
const DROPPED_PROVIDERS = ['azure', 'gcp'];

function withoutCommand(provider: unknown): unknown {
  if (!isFields(provider) || !isFields(provider['config'])) return provider;
  const { 'cmd-path': _path, exec: _exec, tokenFile: _file, ...config } = provider['config'];
  return { ...provider, config };
}

/** Undefined if the user has none. */
function pluginOf(user: Fields, cluster: Fields, env: KubeOptions['env']): ExecPlugin | undefined {
  const { exec } = user;
  if (!isFields(exec)) return undefined;
  const own = Array.isArray(exec['env']) ? exec['env'].filter(isFields) : [];
  return {
    command: text(exec['command']),
    args: Array.isArray(exec['args']) ? exec['args'].map(text) : [],
    env: {
      ...env,
      ...Object.fromEntries(own.map(one => [text(one['name']), text(one['value'])])),
      KUBERNETES_EXEC_INFO: execInfo(exec, cluster),
    },
    installHint: text(exec['installHint']),
    mustAsk: exec['interactiveMode'] === 'Always',
  };
}

/** Plugins written with client-go need this variable; kubectl always sets it. */
function execInfo(exec: Fields, cluster: Fields): string {
  return JSON.stringify({
    apiVersion: text(exec['apiVersion']) || 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    spec: { interactive: false, ...(exec['provideClusterInfo'] === true ? { cluster } : {}) },
  });
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

/**
 * Work that several callers wait for is done once. It ends early when the last of them has given up:
 *
 *     caller A  |-----x            gives up at its deadline; the work goes on for B
 *     caller B     |--------x      gives up too: the work's own signal aborts
 */
type Work<T> = (signal: AbortSignal) => Promise<T>;

/** `gaveUp` is what a caller is told that gives up before the others. */
export function sharedWork<T>(start: Work<T>, gaveUp: () => Error): Work<T> {
  let running: Run<T> | undefined;
  return callers => {
    if (running === undefined) {
      const stop = new AbortController();
      const run: Run<T> = { result: start(stop.signal), stop, waiting: 0 };
      running = run;
      const done = (): void => {
        if (running === run) running = undefined;
      };
      run.result.then(done, done);
    }
    const run = running;
    run.waiting++;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        run.waiting--;
        if (run.waiting > 0) {
          reject(gaveUp());
          return;
        }
        run.stop.abort();
        // Whoever comes now starts anew.
        if (running === run) running = undefined;
      };
      if (callers.aborted) leave();
      else callers.addEventListener('abort', leave, { once: true });
      run.result.then(resolve, reject).finally(() => callers.removeEventListener('abort', leave));
    });
  };
}

interface Run<T> {
  readonly result: Promise<T>;
  readonly stop: AbortController;
  waiting: number;
}
