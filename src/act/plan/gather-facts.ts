/** Reads what a plan needs of a cluster. Only the nodes are a must; everything else that cannot be read is said. */
import {
  type JsonRecord,
  listOf,
  optionalNumber,
  optionalText,
  parseJsonBytes,
  recordOf,
  textOf,
} from '../../base/json.ts';
import { type Reply, replyJson } from '../../live/reply.ts';
import type { BudgetFacts, ClusterFacts, EvictionAnswer, KubeletFacts, PodFacts } from './cluster-facts.ts';
import { devicesOf, kuredLockOn, podFacts, readNode, textsOf } from './read-node.ts';
import { answersTogether } from './budget-rules.ts';
import { isOfMachine } from './distribution.ts';
import { controllerOf, type DrainFlags, drainRuling, isMirrorPod } from './drain-rule.ts';
import type { ClusterConnection, TargetConnection } from '../../live/ports.ts';
import { readExposition } from '../../evidence/formats/read-exposition.ts';
import { factsOfMetrics } from '../../evidence/scrape-facts.ts';
import { forEachSample } from '../../evidence/formats/exposition.ts';
import { Failure } from '../../base/errors.ts';
import { explain } from '../../live/doctor/explain.ts';

const MAX_BYTES = 64 * 1024 * 1024;

const CERTIFICATE = 'kubelet_certificate_manager_client_ttl_seconds';

const PODS = 'kubelet_running_pods';

export interface GatherPorts {
  /** Where there are several. */
  readonly clusterName?: string | undefined;
  readonly cluster: ClusterConnection;
  readonly kubelet: (node: string) => Promise<TargetConnection | string>;
  readonly nowSeconds: number;
  readonly deadlineSeconds: number;
}

interface GatherRequest {
  readonly names: readonly string[];
  /** Of labels; its nodes are added, or only those named are kept with `--all-leaking`. Null without. */
  readonly selector: string | null;
  /** Whether the selector narrows the names down; otherwise it adds to them. */
  readonly narrows: boolean;
  readonly drainFlags: DrainFlags;
  /** Whether evictions are asked for. */
  readonly drains: boolean;
  readonly lockNamespace: string;
}

interface Gathered {
  readonly facts: ClusterFacts;
  readonly chosen: readonly string[];
}

export async function gatherClusterFacts(ports: GatherPorts, request: GatherRequest): Promise<Gathered> {
  const { cluster, nowSeconds } = ports;
  const reader = new ClusterReader(cluster, ports.deadlineSeconds);
  const listed = await reader.list('/api/v1/nodes');
  if (listed.kind === 'unread') throw new Failure('no-answer', `the nodes cannot be listed: ${listed.why}`);
  const chosen = await chosenNodes(request, reader);
  const nodes = listed.value.map(readNode);
  const known = chosen.filter(name => nodes.some(node => node.name === name));
  const unread: string[] = [];
  const orNone = (read: Read<readonly JsonRecord[]>, cost: string): readonly JsonRecord[] => {
    if (read.kind === 'read') return read.value;
    unread.push(`${cost}: ${read.why}`);
    return [];
  };
  const [daemonSets, budgets, system, namespace, machines, user] = await Promise.all([
    reader.list('/apis/apps/v1/daemonsets'),
    reader.list('/apis/policy/v1/poddisruptionbudgets'),
    reader.object('/api/v1/namespaces/kube-system'),
    reader.object(`/api/v1/namespaces/${request.lockNamespace}`),
    nodes.some(isOfMachine) ? reader.object('/apis/cluster.x-k8s.io') : undefined,
    userName(reader),
  ]);
  const sets = orNone(daemonSets, "DaemonSets could not be read, so kured's lock is not seen");
  const budgetFacts = orNone(budgets, 'PodDisruptionBudgets could not be read').map(readBudget);
  const hasDaemonSet = (space: string, name: string): boolean | undefined =>
    daemonSets.kind === 'read' ? sets.some(one => isNamed(one, space, name)) : undefined;
  const pods = new Map<string, readonly PodFacts[]>();
  const kubelets = new Map<string, KubeletFacts>();
  for (const name of known) {
    const found = await reader.list(`/api/v1/pods?fieldSelector=${encodeURIComponent(`spec.nodeName=${name}`)}`);
    // Without them nobody knows what blinks, what has a device and what would be evicted.
    if (found.kind === 'unread') throw new Failure('no-answer', `the pods of ${name} cannot be listed: ${found.why}`);
    pods.set(
      name,
      found.value.map(pod => readPod(pod, request.drainFlags, hasDaemonSet)),
    );
    const connection = await ports.kubelet(name);
    const kubelet = typeof connection === 'string' ? connection : await readKubelet(connection, ports.deadlineSeconds);
    if (typeof kubelet === 'string') unread.push(`the metrics of the kubelet of ${name} could not be read: ${kubelet}`);
    else kubelets.set(name, kubelet);
  }
  const all = [...pods.values()].flat();
  const evictions = request.drains ? await askEvictions(all, budgetFacts, reader) : new Map<string, never>();
  return {
    chosen,
    facts: {
      atSeconds: nowSeconds,
      clusterName: ports.clusterName,
      context: cluster.context,
      address: cluster.address,
      uid: system.kind === 'read' ? textOf(recordOf(system.value['metadata'])['uid']) || null : null,
      user,
      machineVersion: servedVersion(machines),
      nodes,
      pods,
      budgets: budgetFacts,
      kubelets,
      evictions,
      kuredLock: kuredLockOn(sets, nowSeconds) ?? null,
      namespace: namespaceFacts(namespace),
      unread,
    },
  };
}

/** As the API server knows whoever asks. */
async function userName(reader: ClusterReader): Promise<string | null> {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const reply = await reader.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', review);
  const { userInfo } = recordOf(replyJson(reply, MAX_STATUS_BYTES)['status']);
  return optionalText(recordOf(userInfo)['username']) ?? null;
}

/** The group's own choice; v1beta1 where it does not say, which every release up to 1.12 serves. */
function servedVersion(group: Read<JsonRecord> | undefined): string {
  const found = group?.kind === 'read' ? recordOf(group.value['preferredVersion'])['version'] : undefined;
  return optionalText(found) ?? 'v1beta1';
}

async function chosenNodes({ names, selector, narrows }: GatherRequest, reader: ClusterReader): Promise<string[]> {
  if (selector === null) return [...names];
  const read = await reader.list(`/api/v1/nodes?labelSelector=${encodeURIComponent(selector)}`);
  if (read.kind === 'unread') throw new Failure('usage', `--selector ${selector}: ${read.why}`);
  const selected = read.value.map(node => textOf(recordOf(node['metadata'])['name']));
  return narrows ? names.filter(name => selected.includes(name)) : [...names, ...selected];
}

function isNamed(object: JsonRecord, namespace: string, name: string): boolean {
  const metadata = recordOf(object['metadata']);
  return metadata['namespace'] === namespace && metadata['name'] === name;
}

function namespaceFacts(read: Read<JsonRecord>): ClusterFacts['namespace'] {
  if (read.kind === 'unread') return read.status === 404 ? { exists: false, enforces: null } : null;
  const labels = recordOf(recordOf(read.value['metadata'])['labels']);
  return { exists: true, enforces: textOf(labels['pod-security.kubernetes.io/enforce']) || null };
}

/** A sentence if the metrics cannot be read. */
async function readKubelet(connection: TargetConnection, deadlineSeconds: number): Promise<KubeletFacts | string> {
  const reply = await connection.get('/metrics', { deadlineSeconds, maxBytes: MAX_BYTES });
  if (reply.kind !== 'answer') return reply.message;
  if (reply.status !== 200) return `status ${reply.status}`;
  const facts = factsOfMetrics(reply.body);
  const values = new Map<string, number>();
  const read = readExposition(reply.body, { select: name => name === CERTIFICATE || name === PODS });
  forEachSample(read, ({ name }, value) => void values.set(name, value));
  const certificate = values.get(CERTIFICATE);
  return {
    processStartSeconds: facts.startTimeSeconds ?? null,
    residentBytes: facts.residentBytes ?? null,
    liveHeapBytes: facts.liveHeapBytes ?? facts.heapBytes ?? null,
    goroutines: facts.goroutines ?? null,
    pods: values.get(PODS) ?? null,
    // +Inf where certificates are not rotated.
    certificateSeconds: certificate === undefined || !Number.isFinite(certificate) ? null : certificate,
  };
}

/** The fields of a Pod and of a PodDisruptionBudget that a plan looks at. */
function readPod(
  pod: JsonRecord,
  flags: DrainFlags,
  hasDaemonSet: (namespace: string, name: string) => boolean | undefined,
): PodFacts {
  const spec = recordOf(pod['spec']);
  const status = recordOf(pod['status']);
  const owner = controllerOf(pod);
  const containers = [...listOf(spec['initContainers']), ...listOf(spec['containers'])].map(recordOf);
  return {
    ...podFacts(pod),
    labels: textsOf(recordOf(pod['metadata'])['labels']),
    isRunning: status['phase'] === 'Running',
    isReady: listOf(status['conditions'])
      .map(recordOf)
      .some(({ type, status: is }) => type === 'Ready' && is === 'True'),
    isMirror: isMirrorPod(pod),
    owner: owner === undefined ? null : `${owner.kind}/${owner.name}`,
    hasProbe: containers.some(one => one['readinessProbe'] !== undefined || one['startupProbe'] !== undefined),
    devices: devicesOf(pod),
    drain: drainRuling(pod, flags, hasDaemonSet),
  };
}

function readBudget(budget: JsonRecord): BudgetFacts {
  const metadata = recordOf(budget['metadata']);
  const status = recordOf(budget['status']);
  const { selector } = recordOf(budget['spec']);
  const count = (name: string): number => optionalNumber(status[name]) ?? 0;
  return {
    namespace: textOf(metadata['namespace']),
    name: textOf(metadata['name']),
    selector: selector === undefined || selector === null ? null : recordOf(selector),
    disruptionsAllowed: count('disruptionsAllowed'),
    currentHealthy: count('currentHealthy'),
    desiredHealthy: count('desiredHealthy'),
    expectedPods: count('expectedPods'),
  };
}

const AT_ONCE = 8;
const MAX_STATUS_BYTES = 1024 * 1024;

/**
 * Asks the server, by a dry run, whether it would evict each pod: it checks the budgets without using them up. By
 * `namespace/name`. Only pods that a drain would evict are asked about.
 */
async function askEvictions(
  pods: readonly PodFacts[],
  budgets: readonly BudgetFacts[],
  reader: ClusterReader,
): Promise<Map<string, EvictionAnswer>> {
  const answers = new Map<string, EvictionAnswer>();
  const waiting = pods.filter(({ drain, isTerminating }) => drain.act === 'evict' && !isTerminating);
  const ask = async (): Promise<void> => {
    for (let pod = waiting.shift(); pod !== undefined; pod = waiting.shift()) {
      const { namespace, name, uid } = pod;
      const reply = await reader.post(`/api/v1/namespaces/${namespace}/pods/${name}/eviction`, {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name, namespace },
        deleteOptions: { dryRun: ['All'], preconditions: { uid } },
      });
      answers.set(`${namespace}/${name}`, answerOf(reply, namespace, budgets));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, ask));
  return answersTogether(pods, budgets, answers);
}

function answerOf(reply: Reply, namespace: string, budgets: readonly BudgetFacts[]): EvictionAnswer {
  if (reply.kind !== 'answer') return { outcome: 'not-asked', budget: '', message: reply.message };
  if (reply.status < 300) return { outcome: 'allowed', budget: '', message: '' };
  const status = recordOf(parseJsonBytes(reply.body, MAX_STATUS_BYTES));
  const causes = listOf(recordOf(status['details'])['causes']).map(recordOf);
  const cause = textOf(causes.find(({ reason }) => reason === 'DisruptionBudget')?.['message']);
  const message = cause || textOf(status['message']) || `status ${reply.status}`;
  switch (reply.status) {
    case 429: {
      const budget = /disruption budget (\S+) /i.exec(cause)?.[1] ?? '';
      return { outcome: 'refused', budget, message: `${message}. ${whatFrees(budget, namespace, budgets)}` };
    }
    case 500:
      // More than one budget selects the pod: the server never evicts it.
      return { outcome: 'refused', budget: '', message: `${message}; leave it only one PodDisruptionBudget` };
    // It is gone or replaced by now.
    case 404:
    case 409:
      return { outcome: 'allowed', budget: '', message: '' };
    default:
      return { outcome: 'not-asked', budget: '', message };
  }
}

/** What would let the eviction through, from the budget's own numbers. */
function whatFrees(budget: string, namespace: string, budgets: readonly BudgetFacts[]): string {
  const found = budgets.find(one => one.namespace === namespace && one.name === budget);
  if (found === undefined) return 'Wait until more of its pods are Ready, or ask its owner to relax the budget';
  const { currentHealthy, desiredHealthy, expectedPods } = found;
  const name = `${namespace}/${budget}`;
  if (currentHealthy < desiredHealthy)
    return `${name} frees when ${desiredHealthy - currentHealthy + 1} more pods are Ready (${currentHealthy} of ${expectedPods} are, ${desiredHealthy} must stay)`;
  if (desiredHealthy >= expectedPods)
    return `${name} never allows a disruption: all ${expectedPods} pods must stay; add a replica or relax the budget`;
  return `${name} frees when 1 more pod is Ready, or with one more replica (${currentHealthy} of ${expectedPods} are Ready, ${desiredHealthy} must stay)`;
}

type Read<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'unread'; readonly why: string; readonly status: number | null };

const PAGE = 500;
const MAX_PAGES = 40;

/** Lists and objects of an API server: whole or not at all. */
export class ClusterReader {
  readonly #cluster: ClusterConnection;
  readonly #deadlineSeconds: number;

  constructor(cluster: ClusterConnection, deadlineSeconds: number) {
    this.#cluster = cluster;
    this.#deadlineSeconds = deadlineSeconds;
  }

  async object(path: string): Promise<Read<JsonRecord>> {
    const reply = await this.#cluster.get(path, this.#limits());
    const why = this.#problem(reply, path);
    return why ?? { kind: 'read', value: replyJson(reply, MAX_BYTES) };
  }

  /** `path` may have a query. */
  async list(path: string): Promise<Read<readonly JsonRecord[]>> {
    const found: JsonRecord[] = [];
    let next = '';
    for (let page = 0; page < MAX_PAGES; page++) {
      const query = `limit=${PAGE}${next === '' ? '' : `&continue=${encodeURIComponent(next)}`}`;
      const reply = await this.#cluster.get(`${path}${path.includes('?') ? '&' : '?'}${query}`, this.#limits());
      const why = this.#problem(reply, path);
      if (why !== undefined) return why;
      const { items, metadata } = replyJson(reply, MAX_BYTES);
      found.push(...listOf(items).map(recordOf));
      next = textOf(recordOf(metadata)['continue']);
      if (next === '') break;
    }
    return { kind: 'read', value: found };
  }

  post(path: string, body: unknown): Promise<Reply> {
    return this.#cluster.post(path, body, this.#limits());
  }

  #limits(): { deadlineSeconds: number; maxBytes: number; accept: string } {
    return { deadlineSeconds: this.#deadlineSeconds, maxBytes: MAX_BYTES, accept: 'application/json' };
  }

  #problem(reply: Reply, path: string): { kind: 'unread'; why: string; status: number | null } | undefined {
    const { address } = this.#cluster;
    const why = explain(reply, { target: 'the cluster', via: 'api-server', address, path: path.replace(/\?.*$/, '') });
    if (why === undefined) return undefined;
    return {
      kind: 'unread',
      why: `${why.sentence}; ${why.nextStep}`,
      status: reply.kind === 'answer' ? reply.status : null,
    };
  }
}
