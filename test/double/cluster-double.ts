/** An API server and a kubelet over HTTPS; see README.md. */
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { actingAnswer } from './acting-answers.ts';
import { accessReview, forbiddenResource, NODE, nodeObject, selfReview, status } from './api-server-answers.ts';
import type { Fault, PlannedAnswer } from './faults.ts';
import { json, kubeletAnswer, kubeletRight, plain } from './kubelet-answers.ts';
import { type RecordedSet, RECORDED_SET_SECONDS } from './recording.ts';
import { isAllowed, userOf, type UserName } from './users.ts';

/** How long a request for changes lasts. */
const WATCH_MS = 500;
const CERTIFICATES = join(dirname(fileURLToPath(import.meta.url)), 'certificates');

export interface ClusterOptions {
  readonly certificate?: 'server' | 'expired' | 'other-name' | 'self-signed';
  /** enableDebuggingHandlers=false */
  readonly handlersOff?: boolean;
  /** Dates of the recording, or today's. */
  readonly clock?: 'recorded' | 'ours';
}

export interface ClusterDouble {
  readonly apiServer: string;
  readonly kubelet: string;
  readonly caFile: string;
  /** A file with one context; `server` replaces the API server's URL. */
  kubeconfig(user: UserName, server?: string): string;
  /** A file with the user's token. */
  tokenFile(user: UserName): string;
  /** Applies to every request to a path of the kubelet or the API server with this prefix, including the query. */
  fault(path: string, fault: Fault | undefined): void;
  /** `GET /metrics?x as admin`, in order of arrival. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

export async function startCluster(options: ClusterOptions = {}): Promise<ClusterDouble> {
  const faults = new Map<string, Fault>();
  const requests: string[] = [];
  let metricsRequests = 0;
  const recordedSet = (): RecordedSet => (metricsRequests <= 1 ? 'first' : 'second');
  const date = (): string =>
    new Date(options.clock === 'ours' ? Date.now() : RECORDED_SET_SECONDS[recordedSet()] * 1000).toUTCString();

  const deliver = (planned: PlannedAnswer, path: string, request: IncomingMessage, response: ServerResponse): void => {
    const dated = { ...planned, headers: { date: date(), ...planned.headers } };
    const fault = [...faults].find(([prefix]) => path.startsWith(prefix))?.[1];
    if (fault !== undefined) return fault(dated, request, response);
    response.writeHead(dated.status, dated.headers);
    response.end(dated.body);
  };
  const atKubelet = (url: URL): PlannedAnswer => {
    if (url.pathname === '/metrics') metricsRequests++;
    return kubeletAnswer(url, recordedSet(), options.handlersOff === true);
  };

  const onKubelet: RequestListener = (request, response) => {
    const url = new URL(request.url ?? '/', 'https://kubelet');
    const path = url.pathname + url.search;
    const user = userOf(request.headers.authorization, undefined);
    requests.push(`${request.method} ${path} as ${user?.name.replace(/^.*:/, '') ?? 'unknown'}`);
    const right = kubeletRight(url.pathname);
    const planned =
      user === undefined || user.name === 'system:anonymous'
        ? plain(401, 'Unauthorized')
        : isAllowed(user, right)
          ? atKubelet(url)
          : plain(403, `Forbidden (user=${user.name}, verb=get, resource=nodes, subresource(s)=[${right.slice(6)}])\n`);
    deliver(planned, path, request, response);
  };

  const kubelet = await listen(onKubelet, options);
  // Now: a request may still be answered while the servers close.
  const kubeletPort = portOf(kubelet);

  const onApiServer: RequestListener = async (request, response) => {
    const url = new URL(request.url ?? '/', 'https://api');
    const user = userOf(request.headers.authorization, request.headers['impersonate-user'] as string | undefined);
    const path = url.pathname + url.search;
    const [, , rest] = PROXIED.exec(url.pathname) ?? [];
    requests.push(`${request.method} ${path} as ${user?.name.replace(/^.*:/, '') ?? 'unknown'}`);
    const own = rest === undefined ? path : rest + url.search;
    const body = await bodyOf(request);
    const isWatch = url.searchParams.get('watch') === '1';
    if (isWatch) await delay(WATCH_MS, undefined, { ref: false });
    deliver(apiServerAnswer({ url, user, body, isWatch, kubeletPort, atKubelet }), own, request, response);
  };

  const apiServer = await listen(onApiServer, options);
  const folder = mkdtempSync(join(tmpdir(), 'oakum-double-'));
  const url = (server: Server): string => `https://127.0.0.1:${portOf(server)}`;
  /** Renamed into place: a child process may be reading the file that was there before. */
  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(`${path}.draft`, text);
    renameSync(`${path}.draft`, path);
    return path;
  };
  return {
    apiServer: url(apiServer),
    kubelet: url(kubelet),
    caFile: join(CERTIFICATES, 'ca.crt'),
    kubeconfig: (user, server = url(apiServer)) =>
      write(`kubeconfig-${user}.json`, JSON.stringify(kubeconfigOf(user, server))),
    tokenFile: user => write(`token-${user}`, `${tokenOf(user)}\n`),
    fault: (path, fault) => void (fault === undefined ? faults.delete(path) : faults.set(path, fault)),
    requests,
    close: async () => {
      rmSync(folder, { recursive: true, force: true });
      await Promise.all([shut(apiServer), shut(kubelet)]);
    },
  };
}

/** A path of a kubelet, through the API server. */
const PROXIED = /^\/api\/v1\/nodes\/([^/]+)\/proxy(\/.*)$/;

interface ApiRequest {
  readonly url: URL;
  readonly user: ReturnType<typeof userOf>;
  readonly body: string;
  readonly isWatch: boolean;
  readonly kubeletPort: number;
  readonly atKubelet: (url: URL) => PlannedAnswer;
}

function apiServerAnswer({ url, user, body, isWatch, kubeletPort, atKubelet }: ApiRequest): PlannedAnswer {
  const [, node, rest = ''] = PROXIED.exec(url.pathname) ?? [];
  if (user === undefined) return status(401, 'Unauthorized', 'Unauthorized');
  if (url.pathname.endsWith('/selfsubjectaccessreviews')) return accessReview(user, body);
  if (url.pathname.endsWith('/selfsubjectreviews')) return selfReview(user);
  if (node !== undefined) {
    if (!isAllowed(user, 'nodes/proxy')) return forbiddenResource(user, node, 'nodes/proxy');
    if (node !== NODE) return status(404, 'NotFound', `nodes "${node}" not found`);
    return atKubelet(new URL(rest + url.search, url));
  }
  if (url.pathname === '/version') return json(200, { gitVersion: 'v1.36.0', goVersion: 'go1.26.7' });
  const acting = actingAnswer(user, url, body);
  if (acting !== undefined) return acting;
  if (url.pathname.startsWith('/api/v1/nodes')) {
    if (!isAllowed(user, 'nodes')) return forbiddenResource(user, NODE, 'nodes');
    // Nothing changes.
    if (isWatch) return plain(200, '');
    const object = nodeObject(kubeletPort);
    if (url.pathname === '/api/v1/nodes')
      return json(200, { kind: 'NodeList', metadata: { resourceVersion: '1' }, items: [object] });
    const name = url.pathname.slice('/api/v1/nodes/'.length);
    return name === NODE ? json(200, object) : status(404, 'NotFound', `nodes "${name}" not found`);
  }
  if (/^\/(?:metrics$|debug\/pprof\/)/.test(url.pathname)) {
    if (isAllowed(user, url.pathname)) return atKubelet(url);
    return status(403, 'Forbidden', `forbidden: User "${user.name}" cannot get path "${url.pathname}"`);
  }
  return status(404, 'NotFound', 'the server could not find the requested resource');
}

function kubeconfigOf(user: UserName, server: string): object {
  return {
    clusters: [{ name: 'lab', cluster: { server, 'certificate-authority': join(CERTIFICATES, 'ca.crt') } }],
    users: [{ name: user, user: { token: tokenOf(user) } }],
    contexts: [{ name: 'lab', context: { cluster: 'lab', user } }],
    'current-context': 'lab',
  };
}

function tokenOf(user: UserName): string {
  return user === 'expired' ? 'token-from-yesterday' : `token-${user}`;
}

function listen(listener: RequestListener, { certificate = 'server' }: ClusterOptions): Promise<Server> {
  const file = (name: string): Buffer => readFileSync(join(CERTIFICATES, name));
  const server = createServer({ cert: file(`${certificate}.crt`), key: file('server.key') }, listener);
  return new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(server)));
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function shut(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise(resolve => server.close(() => resolve()));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
