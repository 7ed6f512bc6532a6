/**
 * Sets and clears the condition `KubeletLeaking` of nodes, and writes an Event each time, so that NodeHealthCheck,
 * MachineHealthCheck, draino or a person can act. It patches `nodes/status` by the type of the condition, so no other
 * condition is touched, and nothing else of a node can be.
 */
import { listOf, recordOf, textOf, type JsonRecord } from '../../base/json.ts';
import type { WatchClock } from '../../base/clock.ts';
import type { ClusterActions, Outcome } from '../../live/ports.ts';
import type { NodeStanding } from '../views/fleet.ts';

/** A clock of a node may differ from that of the API server by so much. */
const CLOCK_SECONDS = 2;

const MAX_MESSAGE = 500;

export const CONDITION_TYPE = 'KubeletLeaking';

interface ConditionPorts {
  readonly actions: Pick<ClusterActions, 'patchNodeConditions' | 'createEvent'>;
  readonly clock: Pick<WatchClock, 'now'>;
  /** The catalogue's id of a known leak. */
  readonly idOfLeak: (ref: string) => string | undefined;
  readonly log: (line: string) => void;
  /** With the sentence of the API server; undefined when it works again. */
  readonly refused: (message: string | undefined) => void;
}

export interface ConditionFollower {
  /** As the API server shows it, whenever it changes. */
  sawNode(node: JsonRecord): void;
  lostNode(name: string): void;
  /** Worst first. */
  follow(standings: readonly NodeStanding[]): Promise<void>;
}

interface KnownNode {
  readonly uid: string;
  readonly condition: CurrentCondition | undefined;
}

/** Who drains by conditions has no limit of its own: never more than this share of the nodes is offered at once. */
const MAX_SHARE = 0.2;
/** How often it is said that it still holds. */
const HEARTBEAT_SECONDS = 600;
const EVENTS_NAMESPACE = 'default';

export function followConditions(ports: ConditionPorts): ConditionFollower {
  return new NodeConditions(ports);
}

/** What became of one node: with `refused`, the next one would be refused, too. */
type Followed = 'followed' | 'left out' | 'refused';

class NodeConditions implements ConditionFollower {
  readonly #ports: ConditionPorts;
  readonly #nodes = new Map<string, KnownNode>();
  #isBusy = false;

  constructor(ports: ConditionPorts) {
    this.#ports = ports;
  }

  sawNode(object: JsonRecord): void {
    const { name, uid } = recordOf(object['metadata']);
    this.#nodes.set(textOf(name), { uid: textOf(uid), condition: conditionIn(object) });
  }

  lostNode(name: string): void {
    this.#nodes.delete(name);
  }

  async follow(standings: readonly NodeStanding[]): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      await this.#followAll(standings);
    } finally {
      this.#isBusy = false;
    }
  }

  async #followAll(standings: readonly NodeStanding[]): Promise<void> {
    const nodes = this.#nodes;
    const marked = new Set([...nodes].flatMap(([name, { condition }]) => (condition?.status === 'True' ? [name] : [])));
    let leftOut = 0;
    // Those that are cleared make room.
    const ordered = [...standings].sort((a, b) => Number(a.verdict === 'leak') - Number(b.verdict === 'leak'));
    for (const standing of ordered) {
      const known = nodes.get(standing.node);
      if (known === undefined) continue;
      const followed = await this.#followOne(standing, known, marked);
      if (followed === 'refused') return;
      if (followed === 'left out') leftOut++;
    }
    if (leftOut > 0)
      this.#ports.log(
        `${leftOut} more nodes leak and do not get the condition: at most ${mostMarked(nodes.size)} of ${nodes.size} have it at once`,
      );
  }

  async #followOne(standing: NodeStanding, known: KnownNode, marked: Set<string>): Promise<Followed> {
    const { actions, clock, idOfLeak, refused, log } = this.#ports;
    const { node } = standing;
    const { condition } = known;
    const wanted = decideCondition(standing, condition, idOfLeak);
    if (wanted === undefined) return 'followed';
    const isNew = wanted.status !== condition?.status;
    if (wanted.status === 'True' && isNew && marked.size >= mostMarked(this.#nodes.size)) return 'left out';
    const now = clock.now();
    const isFresh = now - (condition?.heartbeatSeconds ?? -Infinity) < HEARTBEAT_SECONDS;
    if (!isNew && isFresh && wanted.reason === condition?.reason) return 'followed';
    const at = inSeconds(now);
    const since = isNew || condition === undefined ? at : inSeconds(condition.sinceSeconds);
    const written = await actions.patchNodeConditions(node, [
      { type: CONDITION_TYPE, ...wanted, lastHeartbeatTime: at, lastTransitionTime: since },
    ]);
    if (written.kind !== 'done') return this.#refuse(node, written);
    refused(undefined);
    const sinceSeconds = isNew || condition === undefined ? Date.parse(at) / 1000 : condition.sinceSeconds;
    this.#nodes.set(node, { ...known, condition: { ...wanted, heartbeatSeconds: now, sinceSeconds } });
    if (wanted.status === 'True') marked.add(node);
    else marked.delete(node);
    if (isNew) {
      log(`${node}: ${CONDITION_TYPE} is ${wanted.status} (${wanted.reason})`);
      await this.#sendEvent(node, known.uid, wanted, now);
    }
    return 'followed';
  }

  #refuse(node: string, { message, ...outcome }: Exclude<Outcome<unknown>, { kind: 'done' }>): Followed {
    const isForbidden = outcome.kind === 'refused' && (outcome.status === 403 || outcome.status === 401);
    if (isForbidden) this.#ports.refused(message);
    else this.#ports.log(`the condition of ${node} was not written: ${message}`);
    return outcome.kind === 'refused' && !isForbidden ? 'followed' : 'refused';
  }

  async #sendEvent(node: string, uid: string, wanted: WantedCondition, now: number): Promise<void> {
    const isSet = wanted.status === 'True';
    const sent = await this.#ports.actions.createEvent(EVENTS_NAMESPACE, {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { generateName: `${node.slice(0, 200)}.oakum-`, namespace: EVENTS_NAMESPACE },
      eventTime: new Date(now * 1000).toISOString().replace('Z', '000Z'),
      reportingController: 'oakum.dev/watch',
      reportingInstance: 'oakum-watch',
      action: isSet ? 'SetCondition' : 'ClearCondition',
      reason: isSet ? 'KubeletLeaking' : 'KubeletLeakCleared',
      regarding: { apiVersion: 'v1', kind: 'Node', name: node, ...(uid === '' ? {} : { uid }) },
      note: `${wanted.reason}: ${wanted.message}`,
      type: isSet ? 'Warning' : 'Normal',
    });
    if (sent.kind !== 'done') this.#ports.log(`the Event about ${node} was not written: ${sent.message}`);
  }
}

/** `2026-11-15T19:57:20Z` */
function inSeconds(at: number): string {
  return new Date(at * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
}

function mostMarked(count: number): number {
  return Math.max(1, Math.floor(count * MAX_SHARE));
}

function conditionIn(node: JsonRecord): CurrentCondition | undefined {
  const found = listOf(recordOf(node['status'])['conditions'])
    .map(recordOf)
    .find(({ type }) => type === CONDITION_TYPE);
  if (found === undefined) return undefined;
  return {
    status: textOf(found['status']),
    sinceSeconds: Date.parse(textOf(found['lastTransitionTime'])) / 1000,
    heartbeatSeconds: Date.parse(textOf(found['lastHeartbeatTime'])) / 1000,
    reason: textOf(found['reason']),
    message: textOf(found['message']),
  };
}

/**
 * When a node has the condition `KubeletLeaking`.
 *
 *     leak proved      -> True, after a restart only when it is known that it came back
 *     restarted since  -> False, reason Restarted    at once: who acts on the condition must not act twice
 *     healthy          -> False, reason NotLeaking
 *     otherwise        -> stays as it is: a suspicion or a silent target proves nothing
 */
interface CurrentCondition {
  readonly status: string;
  /** Unix seconds; NaN if it has none. */
  readonly sinceSeconds: number;
  readonly heartbeatSeconds: number;
  readonly reason: string;
  readonly message: string;
}

interface WantedCondition {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** Undefined: nothing is to change. */
function decideCondition(
  { verdict, sentence, leakRef, incidentId, startSeconds, isOfThisLife }: NodeStanding,
  current: CurrentCondition | undefined,
  idOfLeak: (ref: string) => string | undefined,
): WantedCondition | undefined {
  const isSet = current?.status === 'True';
  const about = incidentId === null ? '' : ` (incident ${incidentId})`;
  if (verdict === 'leak' && isOfThisLife) {
    const reason = (leakRef === null ? undefined : idOfLeak(leakRef)) ?? 'LeakProved';
    const known = leakRef === null ? '' : `${leakRef}: `;
    return { status: 'True', reason, message: `${known}${sentence}${about}`.slice(0, MAX_MESSAGE) };
  }
  if (!isSet) return undefined;
  if (startSeconds !== null && startSeconds > current.sinceSeconds + CLOCK_SECONDS) {
    const at = new Date(startSeconds * 1000).toISOString();
    const message = `the kubelet was restarted at ${at}; whether the leak came back is not known yet${about}`;
    return { status: 'False', reason: 'Restarted', message };
  }
  return verdict === 'healthy'
    ? { status: 'False', reason: 'NotLeaking', message: sentence.slice(0, MAX_MESSAGE) }
    : undefined;
}
