/** What keeps a node out of a plan. Some gates open with `--force REASON`, which the plan then carries. */
import { formatAge, timeText } from '../../base/say.ts';
import type { ClusterFacts, KubeletFacts, NodeFacts, NodeFinding, PodFacts } from './cluster-facts.ts';
import type { PlanAction, PlanPolicy } from './plan.ts';
import { CORDONED_ANNOTATION, RESTARTED_ANNOTATION } from '../../evidence/plan-marks.ts';
import { whyNever } from './budget-rules.ts';
import { foreignWorkOn } from './read-node.ts';

export interface GateFacts {
  readonly action: PlanAction;
  readonly node: NodeFacts;
  readonly pods: readonly PodFacts[];
  readonly finding: NodeFinding | undefined;
  readonly kubelet: KubeletFacts | undefined;
  readonly cluster: Pick<ClusterFacts, 'atSeconds' | 'kuredLock' | 'evictions' | 'budgets'>;
  readonly policy: PlanPolicy;
  /** The pods are evicted first. */
  readonly drains: boolean;
  readonly returnHours: number | null;
}

/** The clock of a node and of the program that took the evidence may differ. */
const CLOCK_SECONDS = 60;

export interface Gate {
  readonly why: string;
  /** A reason given with `--force` opens it. */
  readonly canForce: boolean;
}

/** The gates that are closed, hardest first. */
export function closedGates(facts: GateFacts): Gate[] {
  const hard = [theirWork(facts), ...restartGates(facts), ...drainGates(facts)].filter(why => why !== undefined);
  const soft = [verdictGate(facts), evidenceGate(facts), readyGate(facts)].filter(why => why !== undefined);
  return [...hard.map(why => ({ why, canForce: false })), ...soft.map(why => ({ why, canForce: true }))];
}

function theirWork({ node, cluster }: GateFacts): string | undefined {
  if (node.isLeaving) return 'its Node object is being deleted';
  const work = foreignWorkOn(node, '') ?? cluster.kuredLock;
  if (work !== null) return work;
  const isOurs = (node.annotations[CORDONED_ANNOTATION] ?? '') !== '';
  if (!node.isCordoned) return undefined;
  return isOurs
    ? `an earlier plan, ${node.annotations[CORDONED_ANNOTATION]}, left it cordoned; end that with oakum plan abort --node ${node.name}`
    : `it is cordoned, and not by Oakum: someone is at work on it; kubectl uncordon ${node.name} if not`;
}

function restartGates({
  action,
  node,
  pods,
  kubelet,
  cluster,
  policy,
  drains,
  returnHours,
}: GateFacts): (string | undefined)[] {
  if (action !== 'restart') return [];
  const certificate = kubelet?.certificateSeconds ?? null;
  const last = lastRestart(node);
  const since = last === undefined ? Infinity : cluster.atSeconds - last.atSeconds;
  return [
    deviceGate(pods, drains),
    certificate !== null && certificate <= 0
      ? "the kubelet's client certificate has expired: it would not come back after a restart; renew it first"
      : undefined,
    since < policy.coolDownSeconds
      ? `its kubelet was restarted ${formatAge(since)} ago by ${last?.planId}; the cool-down is ${formatAge(policy.coolDownSeconds)}`
      : undefined,
    since >= policy.coolDownSeconds && returnHours !== null && since < returnHours * 3600 && !policy.restartAgain
      ? `its kubelet was restarted ${formatAge(since)} ago and leaks again: a restart does not cure it. Upgrade or replace the node, or restart it once more with --again`
      : undefined,
  ];
}

/** Pods that a restart may end. A drain takes most of them away first, but leaves those of DaemonSets. */
function deviceGate(pods: readonly PodFacts[], drains: boolean): string | undefined {
  const stay = pods.filter(({ devices, isTerminating, drain }) =>
    drains ? devices.length > 0 && drain.act === 'leave' : devices.length > 0 && !isTerminating,
  );
  const [first] = stay;
  if (first === undefined) return undefined;
  const who = `${stay.length === 1 ? 'a pod uses' : `${stay.length} pods use`} devices (${first.namespace}/${first.name}: ${first.devices.join(', ')})`;
  const risk = 'which a restart of the kubelet may end (kubernetes#133382)';
  return drains
    ? `${who}, ${risk}, and a drain leaves it: ${first.drain.note}; replace the node instead`
    : `${who}, ${risk}; evict them first with --drain`;
}

/** Pods that may not go, and budgets that never let them. One that refuses now may allow it later, so it only warns. */
function drainGates({ pods, drains, cluster }: GateFacts): (string | undefined)[] {
  if (!drains) return [];
  for (const pod of pods) {
    const answer = cluster.evictions.get(`${pod.namespace}/${pod.name}`);
    const never = pod.drain.act === 'evict' ? whyNever(pod, cluster.budgets, answer) : undefined;
    if (never !== undefined) return [`${pod.namespace}/${pod.name} cannot be evicted: ${never}`];
  }
  const refused = pods.filter(({ drain }) => drain.act === 'refuse');
  const [first] = refused;
  if (first === undefined) return [];
  const more = refused.length === 1 ? '' : `, and ${refused.length - 1} more`;
  return [`${first.namespace}/${first.name} may not be evicted: ${first.drain.note}${more}`];
}

function verdictGate({ node, finding }: GateFacts): string | undefined {
  if (finding === undefined)
    return `nothing says that it leaks; run oakum triage node/${node.name}, then give its folder with --from`;
  if (finding.verdict === 'leak') return undefined;
  return `its verdict is ${finding.verdict}, not leak: ${finding.sentence}`;
}

function evidenceGate({ node, finding, kubelet }: GateFacts): string | undefined {
  if (finding === undefined) return undefined;
  const { evidence } = finding;
  const next = `run oakum capture node/${node.name}, then give its folder with --from`;
  if (evidence === null) return `no evidence was saved, and a restart destroys it; ${next}`;
  if (!evidence.isReadable) return `the evidence in ${evidence.where} cannot be read`;
  const takenAt = evidence.takenAt === null ? NaN : Date.parse(evidence.takenAt) / 1000;
  const startedAt = kubelet?.processStartSeconds ?? -Infinity;
  if (!(takenAt < startedAt - CLOCK_SECONDS)) return undefined;
  return `the evidence was taken at ${evidence.takenAt}, of an earlier process than the one that runs since ${timeText(startedAt)}; ${next}`;
}

function readyGate({ node, action }: GateFacts): string | undefined {
  return node.isReady || action !== 'restart' ? undefined : 'it is not Ready: look at it before you restart anything';
}

/** From the annotation that apply leaves: `2026-11-17T01:56:30.000Z plan-...`. */
function lastRestart({
  annotations,
}: Pick<NodeFacts, 'annotations'>): { readonly atSeconds: number; readonly planId: string } | undefined {
  const [at = '', planId = ''] = (annotations[RESTARTED_ANNOTATION] ?? '').split(' ');
  const atSeconds = Date.parse(at) / 1000;
  return Number.isNaN(atSeconds) ? undefined : { atSeconds, planId };
}
