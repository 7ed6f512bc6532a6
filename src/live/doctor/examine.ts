/** Examines one target. */
import type {
  DoctorReport,
  EndpointCheck,
  NodeCensus,
  ProcessFacts,
  PrometheusCheck,
  Danger,
  RightCheck,
} from './doctor.ts';
import type { TargetRef, TargetKind } from '../../evidence/target.ts';
import type { ClusterConnection, RequestLimits, TargetConnection } from '../ports.ts';
import { type Answer, type Reply, replyJson } from '../reply.ts';
import { factsOfMetrics } from '../../evidence/scrape-facts.ts';
import { provable } from './provable.ts';
import { textOf, optionalText, recordOf } from '../../base/json.ts';
import { namesFor } from '../../evidence/metric-names.ts';
import { explain } from './explain.ts';
import { sniffExposition } from '../../evidence/formats/exposition.ts';
import { isGzip } from '../../base/sniff.ts';
import { type Explanation, NOT_METRICS, wrongContent } from './explanation.ts';
import { readLabelSets } from '../../evidence/recording/hourly-query.ts';

const REVIEW_BYTES = 1024 * 1024;

const NODE_RIGHTS: readonly Right[] = [
  {
    verb: 'get',
    resource: 'nodes',
    subresource: 'proxy',
    opens: 'everything through the API server; profiles and configz also with --direct',
  },
  { verb: 'get', resource: 'nodes', subresource: 'metrics', opens: '/metrics with --direct' },
  { verb: 'get', resource: 'nodes', subresource: 'stats', opens: '/stats/summary with --direct' },
  { verb: 'get', resource: 'nodes', opens: "a node's address, which --direct needs" },
  { verb: 'list', resource: 'nodes', opens: 'names and versions of all nodes' },
];

/** Which paths of a target answer. */
const PROFILES = ['goroutine', 'heap', 'allocs', 'block', 'mutex', 'threadcreate', 'goroutineleak'];

const KUBELET = ['/healthz', '/metrics/probes', '/metrics/resource', '/stats/summary', '/configz'];

/** Enough to see whether it answers. */
const SMALL_BYTES = 64 * 1024;

const LIMITS: RequestLimits = { deadlineSeconds: 3, maxBytes: 64 * 1024 };

/** Checks whether a Prometheus has what an analysis needs. */
export const NEEDED_SERIES: readonly string[] = namesFor('doctor');

export interface Examination {
  readonly ref: TargetRef;
  readonly connection: TargetConnection;
  readonly cluster: ClusterConnection | undefined;
  readonly prometheus: TargetConnection | undefined;
  readonly nodes: NodeCensus | undefined;
  readonly isInsecure: boolean;
  readonly requestTimeoutSeconds: number;
  readonly connect: (url: string) => TargetConnection;
}

/** An answer comes sooner than a profile is made. */
const MAX_DEADLINE_SECONDS = 15;
const METRICS_BYTES = 256 * 1024 * 1024;

export async function examine(input: Examination): Promise<DoctorReport> {
  const { ref, connection, cluster } = input;
  const deadlineSeconds = Math.min(input.requestTimeoutSeconds, MAX_DEADLINE_SECONDS);
  const limits: RequestLimits = { deadlineSeconds, maxBytes: METRICS_BYTES };
  const user = cluster === undefined ? undefined : await reviewSelf(cluster, limits);
  const rights = cluster === undefined ? [] : await reviewRights(rightsFor(ref, cluster.namespace), cluster, limits);
  const { endpoints, metrics } = await probeEndpoints(connection, ref.kind, limits);
  const process = metrics === undefined ? undefined : processFacts(metrics, ref);
  const node = ref.kind === 'node' ? ref.name : undefined;
  const prometheus = input.prometheus === undefined ? undefined : await checkPrometheus(input.prometheus, node, limits);
  return {
    schema: 'oakum.doctor/v1',
    target: connection.target,
    via: connection.via,
    address: connection.address,
    context: cluster?.context,
    user,
    nodes: input.nodes,
    rights,
    endpoints,
    process,
    prometheus,
    ...provable({ kind: ref.kind, endpoints, process, prometheus }),
    dangers: await findDangers({ ...input, rights, openPath: askablePath(endpoints) }),
  };
}

/** For a profile, with a request that costs nothing. */
function askablePath(endpoints: readonly EndpointCheck[]): string | undefined {
  const path = endpoints.find(one => one.answers === 'yes' && one.path !== '/healthz')?.path;
  return path?.startsWith('/debug/pprof/') === true ? `${path}?seconds=0` : path;
}

function processFacts({ body, dateSeconds, headAtSeconds }: Answer, ref: TargetRef): ProcessFacts {
  const facts = factsOfMetrics(body);
  // The process's start time is by the same clock.
  const now = dateSeconds ?? headAtSeconds;
  const wanted = NEEDED_SERIES.filter(name => ref.kind === 'node' || !name.startsWith('kube'));
  return {
    version: facts.version,
    goVersion: facts.goVersion,
    upSeconds: facts.startTimeSeconds === undefined ? undefined : Math.max(0, now - facts.startTimeSeconds),
    goroutines: facts.goroutines,
    residentBytes: facts.residentBytes,
    cgroupVersion: facts.cgroupVersion,
    seriesCount: facts.seriesCount,
    featuresOn: facts.featuresOn,
    missingSeries: wanted.filter(name => !facts.names.has(name)),
  };
}

/** `node` is the name of the target, if it is a node. */
async function checkPrometheus(
  connection: TargetConnection,
  node: string | undefined,
  limits: RequestLimits,
): Promise<PrometheusCheck> {
  const query = `count by (__name__, job) ({__name__=~"${NEEDED_SERIES.join('|')}"})`;
  const path = `/api/v1/query?query=${encodeURIComponent(query)}`;
  const reply = await connection.get(path, limits);
  const problem = explain(reply, { ...connection, path: '/api/v1/query' });
  const found = reply.kind === 'answer' && problem === undefined ? readLabelSets(reply.body) : [];
  const names = new Set(found.map(labels => textOf(labels['__name__'])));
  const jobs = [...new Set(found.map(labels => textOf(labels['job'])))].filter(job => job !== '').sort();
  const series = NEEDED_SERIES.map(name => ({ name, present: names.has(name) }));
  const knowsTarget = problem === undefined && node !== undefined ? await knows(node, connection, limits) : undefined;
  return { address: connection.address, problem, series, jobs, knowsTarget };
}

/** Scrape configurations put the name of a node in `node` or `instance`, with or without a port. */
async function knows(node: string, connection: TargetConnection, limits: RequestLimits): Promise<boolean> {
  const name = node.replace(/\./g, '\\\\.');
  const query = `count(go_goroutines{node="${node}"} or go_goroutines{instance=~"${name}(:[0-9]+)?"})`;
  const reply = await connection.get(`/api/v1/query?query=${encodeURIComponent(query)}`, limits);
  return reply.kind === 'answer' && reply.status === 200 && readLabelSets(reply.body).length > 0;
}

/** Dangers that are visible from outside. */
interface DangerInput {
  readonly ref: TargetRef;
  readonly connection: TargetConnection;
  readonly cluster: ClusterConnection | undefined;
  readonly rights: readonly RightCheck[];
  readonly isInsecure: boolean;
  /** A path that answers. */
  readonly openPath: string | undefined;
  /** Connects to another port of the same machine, without credentials. */
  readonly connect: (url: string) => TargetConnection;
}

async function findDangers(input: DangerInput): Promise<Danger[]> {
  const { ref, connection, rights, openPath } = input;
  const dangers: Danger[] = [];
  if (rights.some(({ right, allowed }) => right === 'get nodes/proxy' && allowed === true))
    dangers.push({
      what: 'you may get nodes/proxy, which is not read-only: it allows running commands in every container of every node',
      advice: 'hold it only during a capture, and never grant it to anything that runs in the cluster',
    });
  // Loopback only: nobody else can reach it.
  if (openPath !== undefined && !isLocal(ref) && (await isOpen(connection, openPath, { withoutCredentials: true })))
    dangers.push(openDanger(ref, connection));
  if (ref.kind === 'node' && (await isReadOnlyPortOpen(input, ref.name)))
    dangers.push({
      what: 'the kubelet serves its read-only port 10255 to anyone: pods, environment and metrics',
      advice: 'set readOnlyPort: 0 in its configuration',
    });
  if (input.isInsecure)
    dangers.push({
      what: 'certificates are not verified: anyone in between gets your credentials',
      advice: 'give --certificate-authority instead of --insecure-skip-tls-verify',
    });
  return dangers;
}

function openDanger(ref: TargetRef, { via }: TargetConnection): Danger {
  if (ref.kind === 'url')
    return {
      what: 'it answers anyone who can reach its port, without authentication',
      advice: 'let it listen on loopback only, or put authentication in front of it',
    };
  if (via === 'kubelet')
    return {
      what: 'the kubelet answers requests without credentials',
      advice: 'set authentication.anonymous.enabled: false in its configuration',
    };
  return {
    what: 'the API server answers this to anonymous requests',
    advice: 'check which ClusterRoleBindings name system:anonymous or system:unauthenticated',
  };
}

function isLocal(ref: TargetRef): boolean {
  return ref.kind === 'unix' || (ref.kind === 'url' && /^https?:\/\/(?:localhost|127\.|\[::1\])/.test(ref.url));
}

async function isOpen(connection: TargetConnection, path: string, more: Partial<RequestLimits>): Promise<boolean> {
  const reply = await connection.get(path, { ...LIMITS, ...more });
  return reply.kind === 'answer' && (reply.status === 200 || isProfileThere(reply));
}

/** Through the API server if the target is reached through it: only that is sure to reach the node. */
async function isReadOnlyPortOpen(
  { connection, cluster, rights, connect }: DangerInput,
  name: string,
): Promise<boolean> {
  if (connection.via === 'kubelet') {
    const { hostname } = new URL(connection.address);
    return isOpen(connect(`http://${hostname}:10255`), '/healthz', { withoutCredentials: true });
  }
  const mayProxy = rights.some(({ right, allowed }) => right === 'get nodes/proxy' && allowed === true);
  if (!mayProxy || cluster === undefined) return false;
  const reply = await cluster.get(`/api/v1/nodes/http:${name}:10255/proxy/healthz`, LIMITS);
  return reply.kind === 'answer' && reply.status === 200;
}

interface Probes {
  readonly endpoints: readonly EndpointCheck[];
  /** The answer to /metrics, if there is one. */
  readonly metrics: Answer | undefined;
}

/**
 * Profiles are requested by name, since the index of a kubelet is a 404, and with `seconds=0`: Go then answers 400 if it
 * has the profile and 404 if not, without making it. A real goroutineleak profile would reset the waiting times of all
 * goroutines. CPU profiles and traces cannot be probed like this, but they answer if the others do.
 */
async function probeEndpoints(connection: TargetConnection, kind: TargetKind, limits: RequestLimits): Promise<Probes> {
  const metricsReply = await connection.get('/metrics', limits);
  const first = check(metricsReply, '/metrics', connection);
  const endpoints = [first];
  const metrics = metricsReply.kind === 'answer' && first.answers === 'yes' ? metricsReply : undefined;
  const others = [
    ...(kind === 'node' ? KUBELET : ['/healthz']),
    ...PROFILES.map(name => `/debug/pprof/${name}?seconds=0`),
  ];
  const isSettled = saysAll(first, connection);
  for (const path of others) {
    if (isSettled) endpoints.push(notAsked(path));
    else endpoints.push(check(await connection.get(path, { ...limits, maxBytes: SMALL_BYTES }), path, connection));
  }
  return { endpoints, metrics };
}

/** Whether every other path would get the same answer: nothing is there, or nobody may get in. */
function saysAll({ status, problem }: EndpointCheck, { via }: TargetConnection): boolean {
  if (status === 0 || problem?.kind === 'target-down' || problem?.kind === 'unauthorized') return true;
  // Through the API server, everything needs the same permission.
  return via === 'api-server-proxy' && problem?.kind === 'forbidden';
}

function notAsked(path: string): EndpointCheck {
  return { path: shown(path), answers: 'not-asked', status: 0, tookSeconds: 0, problem: undefined };
}

function check(reply: Reply, path: string, connection: TargetConnection): EndpointCheck {
  const status = reply.kind === 'answer' ? reply.status : 0;
  const base = { path: shown(path), status, tookSeconds: reply.tookSeconds };
  const problem =
    reply.kind === 'answer' && isProfileThere(reply)
      ? undefined
      : (explain(reply, { ...connection, path: shown(path) }) ?? contentProblem(reply, shown(path)));
  // An answer that is too long is still an answer.
  if (problem === undefined || problem.kind === 'too-large') return { ...base, answers: 'yes', problem: undefined };
  return { ...base, answers: 'no', problem };
}

/** A login page answers every path with 200. */
function contentProblem(reply: Reply, path: string): Explanation | undefined {
  if (reply.kind !== 'answer') return undefined;
  if (path.startsWith('/metrics')) {
    return sniffExposition(reply.body) ? undefined : wrongContent(path, NOT_METRICS);
  }
  // Old versions of Go answer `seconds=0` with the profile itself.
  if (path.startsWith('/debug/pprof/'))
    return isGzip(reply.body) ? undefined : wrongContent(path, 'it is not a profile');
  return undefined;
}

/** Go's answer to `seconds=0` if it has the profile. */
function isProfileThere({ status, headers }: Answer): boolean {
  return status === 400 && headers['x-go-pprof'] !== undefined;
}

function shown(path: string): string {
  return path.replace(/\?.*$/, '');
}

/**
 * Asks the API server what the caller may do. Subresources are named as such: `kubectl auth can-i get nodes/proxy` asks
 * about a node with the name proxy.
 */
interface Right {
  readonly verb: string;
  /** `nodes`, or a path. */
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly opens: string;
}

/** `undefined` means the whole cluster. */
function rightsFor(ref: TargetRef | undefined, namespace: string): readonly Right[] {
  switch (ref?.kind) {
    case undefined:
    case 'node':
      return NODE_RIGHTS;
    case 'pod':
      return [
        {
          verb: 'get',
          resource: 'pods',
          subresource: 'proxy',
          namespace: ref.namespace ?? namespace,
          opens: "the pod's ports through the API server",
        },
      ];
    case 'apiserver':
      return [
        { verb: 'get', resource: '/metrics', opens: '/metrics' },
        { verb: 'get', resource: '/debug/pprof/heap', opens: 'profiles' },
      ];
    default:
      return [];
  }
}

async function reviewRights(
  rights: readonly Right[],
  cluster: ClusterConnection,
  limits: RequestLimits,
): Promise<RightCheck[]> {
  const checks: RightCheck[] = [];
  for (const right of rights) {
    const reply = await cluster.post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', review(right), {
      ...limits,
      maxBytes: REVIEW_BYTES,
    });
    const { verb, resource, subresource, opens } = right;
    const name = `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}`;
    const allowed = field(reply, 'allowed');
    checks.push({ right: name, allowed: typeof allowed === 'boolean' ? allowed : undefined, opens });
  }
  return checks;
}

function review({ verb, resource, subresource, namespace }: Right): unknown {
  const spec = resource.startsWith('/')
    ? { nonResourceAttributes: { verb, path: resource } }
    : {
        resourceAttributes: {
          verb,
          resource,
          group: '',
          version: 'v1',
          ...(subresource === undefined ? {} : { subresource }),
          ...(namespace === undefined ? {} : { namespace }),
        },
      };
  return { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec };
}

/** The caller, as the API server sees it; undefined before 1.28 and for unknown callers. */
async function reviewSelf(cluster: ClusterConnection, limits: RequestLimits): Promise<string | undefined> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const reply = await cluster.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', body, {
    ...limits,
    maxBytes: REVIEW_BYTES,
  });
  return optionalText(recordOf(field(reply, 'userInfo'))['username']);
}

/** A field of the answer's status. */
function field(reply: Reply, name: 'allowed' | 'userInfo'): unknown {
  return recordOf(replyJson(reply, REVIEW_BYTES)['status'])[name];
}
