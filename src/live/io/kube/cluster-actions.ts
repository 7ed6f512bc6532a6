/** Calls that change a cluster; each is one bounded request. */
import {
  listOf,
  optionalNumber,
  parseJson,
  parseJsonBytes,
  recordOf,
  textOf,
  type JsonRecord,
} from '../../../base/json.ts';
import { decodeText } from '../../../base/text.ts';
import type { Reply } from '../../reply.ts';
import type {
  RequestLimits,
  Endpoint,
  OutgoingRequest,
  SendRequest,
  ClusterActions,
  ObjectChange,
  ObjectList,
  Outcome,
  PodWatch,
} from '../../ports.ts';

const MAX_BYTES = 64 * 1024 * 1024;
const MAX_LINE_BYTES = 4 * 1024 * 1024;
const WATCH_GRACE_SECONDS = 10;
const PAGE_OBJECTS = 500;
const MAX_PAGES = 200;
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';

export interface ActionsOptions {
  readonly endpoint: Endpoint;
  readonly send: SendRequest;
  readonly deadlineSeconds: number;
}

export function clusterActions({ endpoint, send, deadlineSeconds }: ActionsOptions): ClusterActions {
  const limits: RequestLimits = { deadlineSeconds, maxBytes: MAX_BYTES, accept: 'application/json' };
  const call = async (request: OutgoingRequest): Promise<Outcome> =>
    outcomeOf(await send(endpoint, request, limits), request.method !== 'GET');
  const get = (path: string): Promise<Outcome> => call({ method: 'GET', path });
  const post = (path: string, json: JsonRecord): Promise<Outcome> => call({ method: 'POST', path, json });
  const list = (path: string): Promise<Outcome<ObjectList>> => listAll(get, path);
  const patch = (path: string, json: JsonRecord, contentType: string): Promise<Outcome> =>
    call({ method: 'PATCH', path, json, contentType });
  return {
    address: endpoint.base.origin,
    request: ({ method, path, contentType, body }) =>
      call({ method, path, json: body, ...(contentType === undefined ? {} : { contentType }) }),
    nodes: () => list('/api/v1/nodes'),
    node: name => get(`/api/v1/nodes/${part(name)}`),
    patchNode: (name, json) => patch(`/api/v1/nodes/${part(name)}`, json, MERGE_PATCH),
    patchNodeConditions: (name, conditions) =>
      patch(`/api/v1/nodes/${part(name)}/status`, { status: { conditions } }, STRATEGIC_PATCH),
    podsOn: node => list(podsPath(node)),
    watchPodsOn: (node, watch) => watchPods(endpoint, send, node, watch),
    pod: (namespace, name) => get(podPath(namespace, name)),
    createPod: (namespace, pod) => post(`/api/v1/namespaces/${part(namespace)}/pods`, pod),
    deletePod: ({ namespace, name, uid }) =>
      call({
        method: 'DELETE',
        path: podPath(namespace, name),
        json: { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0, preconditions: { uid } },
      }),
    evict: ({ namespace, name, uid }, { gracePeriodSeconds, dryRun } = {}) =>
      post(`${podPath(namespace, name)}/eviction`, {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name, namespace },
        deleteOptions: {
          preconditions: { uid },
          ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
          ...(dryRun === true ? { dryRun: ['All'] } : {}),
        },
      }),
    daemonSet: (namespace, name) => get(`/apis/apps/v1/namespaces/${part(namespace)}/daemonsets/${part(name)}`),
    daemonSets: () => list('/apis/apps/v1/daemonsets'),
    lease: (namespace, name) => get(leasePath(namespace, name)),
    createLease: (namespace, lease) => post(leasePath(namespace), lease),
    replaceLease: (namespace, name, json) => call({ method: 'PUT', path: leasePath(namespace, name), json }),
    createEvent: (namespace, event) => post(`/apis/events.k8s.io/v1/namespaces/${part(namespace)}/events`, event),
  };
}

const part = encodeURIComponent;

function podPath(namespace: string, name: string): string {
  return `/api/v1/namespaces/${part(namespace)}/pods/${part(name)}`;
}

function podsPath(node: string): string {
  return `/api/v1/pods?fieldSelector=${part(`spec.nodeName=${node}`)}`;
}

function leasePath(namespace: string, name?: string): string {
  const leases = `/apis/coordination.k8s.io/v1/namespaces/${part(namespace)}/leases`;
  return name === undefined ? leases : `${leases}/${part(name)}`;
}

async function listAll(get: (path: string) => Promise<Outcome>, path: string): Promise<Outcome<ObjectList>> {
  const items: JsonRecord[] = [];
  let token = '';
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = new URLSearchParams({ limit: String(PAGE_OBJECTS), ...(token === '' ? {} : { continue: token }) });
    const got = await get(`${path}${path.includes('?') ? '&' : '?'}${query}`);
    if (got.kind !== 'done') return got;
    for (const item of listOf(got.value['items'])) items.push(recordOf(item));
    const metadata = recordOf(got.value['metadata']);
    token = textOf(metadata['continue']);
    if (token === '') return { kind: 'done', value: { items, version: textOf(metadata['resourceVersion']) } };
  }
  return { kind: 'lost', message: `${path} has more than ${MAX_PAGES * PAGE_OBJECTS} objects`, mayHaveHappened: false };
}

/** Changes are handed on as they arrive. */
async function watchPods(
  endpoint: Endpoint,
  send: SendRequest,
  node: string,
  { version, seconds, onChange, signal }: PodWatch,
): Promise<Outcome<undefined>> {
  const query = new URLSearchParams({
    watch: '1',
    resourceVersion: version,
    timeoutSeconds: String(Math.max(1, Math.ceil(seconds))),
  });
  let expired: Outcome<undefined> | undefined;
  const onBody = lineReader(line => {
    const change = recordOf(parseJson(line));
    const object = recordOf(change['object']);
    if (change['type'] === 'ERROR') expired ??= refusal(Number(object['code'] ?? 500), object, undefined);
    else if (isChange(change['type'])) onChange({ type: change['type'], object });
  });
  const reply = await send(
    endpoint,
    { method: 'GET', path: `${podsPath(node)}&${query}` },
    { deadlineSeconds: seconds + WATCH_GRACE_SECONDS, maxBytes: MAX_BYTES, accept: 'application/json', signal, onBody },
  );
  if (expired !== undefined) return expired;
  if (reply.kind === 'stopped') return { kind: 'done', value: undefined };
  // A watch that is cut has told what it saw.
  if (reply.kind === 'answer' && reply.status === 200) return { kind: 'done', value: undefined };
  const outcome = outcomeOf(reply, false);
  return outcome.kind === 'done' ? { kind: 'done', value: undefined } : outcome;
}

function isChange(type: unknown): type is ObjectChange['type'] {
  return type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED';
}

function lineReader(onLine: (line: string) => void): (chunk: Uint8Array) => void {
  let rest: Uint8Array = new Uint8Array(0);
  return chunk => {
    const all = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let at = all.indexOf(10); at >= 0; at = all.indexOf(10, from)) {
      if (at > from) onLine(decodeText(all, from, at));
      from = at + 1;
    }
    // A line without an end is not kept for ever.
    rest = all.length - from > MAX_LINE_BYTES ? new Uint8Array(0) : all.slice(from);
  };
}

function outcomeOf(reply: Reply, isWrite: boolean): Outcome {
  if (reply.kind !== 'answer') {
    const neverSent = ['credentials', 'dns', 'refused', 'unreachable', 'tls', 'proxy', 'socket'].includes(reply.kind);
    const mayHaveHappened = isWrite && !neverSent && reply.wasSent !== false;
    return { kind: 'lost', message: reply.message, mayHaveHappened };
  }
  const body = recordOf(parseJsonBytes(reply.body, MAX_BYTES));
  const isGood = reply.status >= 200 && reply.status < 300;
  if (reply.cut !== undefined) return { kind: 'lost', message: reply.cut.message, mayHaveHappened: isWrite };
  if (isGood) return { kind: 'done', value: body };
  return refusal(reply.status, body, reply.headers['retry-after']);
}

function refusal(status: number, body: JsonRecord, retryAfter: string | undefined): Outcome<never> {
  const details = recordOf(body['details']);
  const header = retryAfter === undefined ? NaN : Number(retryAfter);
  const after = optionalNumber(details['retryAfterSeconds']) ?? header;
  return {
    kind: 'refused',
    status,
    reason: textOf(body['reason']),
    message: textOf(body['message']) || `the API server answered ${status}`,
    causes: listOf(details['causes']).map(cause => ({
      reason: textOf(recordOf(cause)['reason']),
      message: textOf(recordOf(cause)['message']),
    })),
    retryAfterSeconds: Number.isFinite(after) ? after : undefined,
  };
}
