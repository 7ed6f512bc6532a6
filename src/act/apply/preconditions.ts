/** Reads what must hold just before a step. Nothing is kept from one step to the next. */
import { recordOf, textOf, type JsonRecord } from '../../base/json.ts';
import type { PlanPrecondition, PreconditionKind } from '../plan/plan-step.ts';
import {
  readNode,
  podFacts,
  devicesOf,
  foreignWorkOn,
  kuredLockOn,
  nodeState,
  textsOf,
  type NodeState,
} from '../plan/read-node.ts';
import { whyNotNow } from '../plan/cluster-rules.ts';
import { sharedAddress } from './check-plan.ts';
import type { WatchClock } from '../../base/clock.ts';
import { CORDONED_ANNOTATION } from '../../evidence/plan-marks.ts';
import type { ClusterActions, Outcome } from '../../live/ports.ts';

export interface WorldAccess {
  readonly actions: ClusterActions;
  readonly clock: WatchClock;
  readonly planId: string;
  /** Start of the kubelet's process; a sentence if it cannot be read. */
  readonly processStart: (node: string) => Promise<number | string>;
  /** Undefined while we hold the lock. */
  readonly whyLockLost: () => string | undefined;
}

export type Checked =
  | { readonly kind: 'holds' }
  | { readonly kind: 'broken'; readonly precondition: PreconditionKind; readonly detail: string }
  | { readonly kind: 'unread'; readonly detail: string; readonly isForbidden: boolean };

/** The clock of a node may jump by so much between two reads of one start time. */
const START_SLACK_SECONDS = 2;

class Unread extends Error {
  /** The server's answer; undefined if there was none. */
  readonly status: number | undefined;

  constructor(detail: string, status?: number) {
    super(detail);
    this.status = status;
  }
}

export async function checkPreconditions(
  preconditions: readonly PlanPrecondition[],
  access: WorldAccess,
): Promise<Checked> {
  const reader = new WorldReader(access);
  for (const precondition of preconditions) {
    const { kind } = precondition;
    try {
      const detail = await reader.why(precondition);
      if (detail !== undefined) return { kind: 'broken', precondition: kind, detail };
    } catch (error) {
      if (!(error instanceof Unread)) throw error;
      const { status, message } = error;
      // An answer such as 404 stays the same, however often it is asked for.
      if (status !== undefined && status < 500 && status !== 403 && status !== 429)
        return { kind: 'broken', precondition: kind, detail: message };
      return { kind: 'unread', detail: message, isForbidden: status === 403 };
    }
  }
  return { kind: 'holds' };
}

/** Reads each object once, for one step. */
class WorldReader {
  readonly #access: WorldAccess;
  readonly #read = new Map<string, Promise<unknown>>();

  constructor(access: WorldAccess) {
    this.#access = access;
  }

  /** Why it does not hold; undefined if it does. */
  async why(one: PlanPrecondition): Promise<string | undefined> {
    switch (one.kind) {
      case 'node-uid': {
        const { uid } = nodeState(await this.#node(one.node));
        return uid === one.uid ? undefined : `${one.node} is another node than the plan's (UID ${uid}, not ${one.uid})`;
      }
      case 'boot-id': {
        const { bootId } = nodeState(await this.#node(one.node));
        return bootId === one.bootId ? undefined : `${one.node} was rebooted since the plan was written`;
      }
      case 'kubelet-version': {
        const { kubeletVersion: now } = nodeState(await this.#node(one.node));
        return now === one.version ? undefined : `${one.node} has kubelet ${now} now, and ${one.version} in the plan`;
      }
      case 'node-ready':
        return nodeState(await this.#node(one.node)).isReady ? undefined : `${one.node} is not Ready`;
      case 'own-address': {
        const nodes = (await this.#nodes()).map(readNode);
        const now = nodes.find(({ name }) => name === one.node);
        if (now === undefined) return `there is no node ${one.node} any more`;
        if (now.address !== one.address || now.providerId !== one.providerId)
          return `the address or the provider id of ${one.node} has changed since the plan was written`;
        return sharedAddress(now, nodes);
      }
      case 'process-start': {
        const start = await this.#access.processStart(one.node);
        if (typeof start === 'string') throw new Unread(start);
        const isSame = Math.abs(start - one.startSeconds) <= START_SLACK_SECONDS;
        return isSame ? undefined : `the kubelet of ${one.node} was restarted since the plan was written`;
      }
      case 'not-cordoned':
        return cordonedBy(nodeState(await this.#node(one.node)));
      case 'cordoned-by-us': {
        const { isCordoned, annotations } = nodeState(await this.#node(one.node));
        const isOurs = textOf(annotations[CORDONED_ANNOTATION]) === this.#access.planId;
        if (!isCordoned) return `someone uncordoned ${one.node}`;
        return isOurs ? undefined : `${one.node} is cordoned, but not by this plan`;
      }
      case 'no-foreign-work':
        return (
          foreignWorkOn(readNode(await this.#node(one.node)), this.#access.planId) ??
          kuredLockOn(await this.#daemonSets(), this.#access.clock.now())
        );
      case 'no-device-pods': {
        const pod = (await this.#pods(one.node)).find(one => devicesOf(one).length > 0 && !podFacts(one).isTerminating);
        return pod === undefined ? undefined : `${nameOf(pod)} uses a device: a restart of the kubelet may end it`;
      }
      case 'not-ready-below':
        return tooManyNotReady((await this.#nodes()).map(nodeState), one.percent);
      case 'cordoned-below':
        return tooManyCordoned((await this.#nodes()).map(nodeState), one.node, one.percent);
      case 'machine-of-node': {
        const machine = await this.#get(one.path, () =>
          this.#access.actions.request({ method: 'GET', path: one.path }),
        );
        const name = textOf(recordOf(recordOf(machine['status'])['nodeRef'])['name']);
        if (name === one.node) return undefined;
        return `the Machine that ${one.node} names is ${name === '' ? 'of no node' : `that of ${name}`}; nothing is deleted`;
      }
      case 'zone-quiet':
        return this.#whyZoneBusy(one.zone, one.node);
      case 'cluster-allows': {
        const path = '/api/v1/namespaces/kube-system';
        const system = await this.#get(path, () => this.#access.actions.request({ method: 'GET', path }));
        return whyNotNow(textsOf(recordOf(system['metadata'])['annotations']), this.#access.clock.now());
      }
      case 'lock-held': {
        const why = this.#access.whyLockLost();
        return why === undefined ? undefined : `the lock is lost: ${why}`;
      }
      case 'privileged-namespace':
        return this.#whyNotPrivileged(one.namespace);
    }
  }

  async #whyZoneBusy(zone: string, node: string): Promise<string | undefined> {
    const others = (await this.#nodes()).map(nodeState).filter(one => one.zone === zone && one.name !== node);
    // Nodes that this plan drained before stay cordoned: they are no work of others.
    const busy = others.find(
      ({ isReady, isCordoned, annotations }) =>
        !isReady || (isCordoned && textOf(annotations[CORDONED_ANNOTATION]) !== this.#access.planId),
    );
    if (busy === undefined) return undefined;
    return `${busy.name}, also in zone ${zone}, is ${busy.isReady ? 'cordoned' : 'not Ready'}`;
  }

  async #whyNotPrivileged(namespace: string): Promise<string | undefined> {
    const found = await this.#access.actions.request({ method: 'GET', path: `/api/v1/namespaces/${namespace}` });
    if (found.kind === 'refused' && found.status === 404) return undefined;
    if (found.kind !== 'done') throw unread(found);
    const level = recordOf(recordOf(found.value['metadata'])['labels'])['pod-security.kubernetes.io/enforce'];
    return level === undefined || level === 'privileged'
      ? undefined
      : `the namespace ${namespace} enforces the Pod Security level ${textOf(level)}, which refuses a privileged pod`;
  }

  #node(name: string): Promise<JsonRecord> {
    return this.#get(`node ${name}`, () => this.#access.actions.node(name));
  }

  async #nodes(): Promise<readonly JsonRecord[]> {
    return (await this.#get('nodes', () => this.#access.actions.nodes())).items;
  }

  async #pods(node: string): Promise<readonly JsonRecord[]> {
    return (await this.#get(`pods ${node}`, () => this.#access.actions.podsOn(node))).items;
  }

  /** Without the right to list them, kured's lock is not seen; its annotation on the node still is. */
  async #daemonSets(): Promise<readonly JsonRecord[]> {
    const found = await this.#access.actions.daemonSets();
    if (found.kind === 'lost') throw unread(found);
    return found.kind === 'done' ? found.value.items : [];
  }

  #get<T>(key: string, read: () => Promise<Outcome<T>>): Promise<T> {
    const known = this.#read.get(key) as Promise<T> | undefined;
    if (known !== undefined) return known;
    const reading = read().then(outcome => {
      if (outcome.kind === 'done') return outcome.value;
      throw unread(outcome);
    });
    this.#read.set(key, reading);
    return reading;
  }
}

function unread(outcome: Exclude<Outcome<unknown>, { kind: 'done' }>): Unread {
  if (outcome.kind === 'lost') return new Unread(`the API server does not answer: ${outcome.message}`);
  return new Unread(outcome.message, outcome.status);
}

function cordonedBy({ name, isCordoned, annotations }: NodeState): string | undefined {
  if (!isCordoned) return undefined;
  const plan = textOf(annotations[CORDONED_ANNOTATION]);
  return plan === '' ? `${name} is cordoned, and not by Oakum` : `${name} is cordoned by ${plan}`;
}

function tooManyNotReady(nodes: readonly NodeState[], percent: number): string | undefined {
  const notReady = nodes.filter(({ isReady }) => !isReady);
  const share = nodes.length === 0 ? 0 : (100 * notReady.length) / nodes.length;
  if (notReady.length === 0 || share < percent) return undefined;
  const names = notReady.slice(0, 5).map(({ name }) => name);
  return `${notReady.length} of ${nodes.length} nodes are not Ready (${names.join(', ')}): at ${percent} % or more nothing is done`;
}

/** Nodes that Oakum cordons stay so after a drain: a plan for many must not take the cluster away. */
function tooManyCordoned(nodes: readonly NodeState[], node: string, percent: number): string | undefined {
  const away = nodes.filter(
    ({ name, isReady, isCordoned, annotations }) =>
      name !== node && (!isReady || (isCordoned && textOf(annotations[CORDONED_ANNOTATION]) !== '')),
  );
  if (away.length === 0 || away.length * 100 < percent * nodes.length) return undefined;
  const names = away.slice(0, 5).map(({ name }) => name);
  return `${away.length} of ${nodes.length} nodes are cordoned by Oakum or not Ready (${names.join(', ')}): at ${percent} % or more no further node is cordoned`;
}

function nameOf(pod: JsonRecord): string {
  const { namespace, name } = podFacts(pod);
  return `${namespace}/${name}`;
}
