/** Finding + policy + facts -> Plan. Pure: the same facts give the same plan, with the same id. */
import type { ClusterFacts, NodeFacts, NodeFinding, RightAnswer } from './cluster-facts.ts';
import type { DrainChoice, NodeIntent, Plan, PlanAction, PlanIntent, PlanPolicy, PlanReason } from './plan.ts';
import { derivePlan } from './derive-plan.ts';
import { clusterWarnings, cordonWarning, nodeWarnings, upgradeFirst } from './advice.ts';
import { expectedEffect, hoursToDecide, returnHours } from './effect.ts';
import { sealPlan, type Sha256 } from './plan-file.ts';
import { closedGates } from './gates.ts';
import { distributionOf, fillProblem, replacerOf, restartTemplate, unitOf } from './distribution.ts';
import { imageOn } from './restart-pod.ts';
import type { RestartChoice } from './node-steps.ts';
import { rightKey } from './rights.ts';
import { timeText } from '../../base/say.ts';
import { Failure } from '../../base/errors.ts';

export interface PlanRequest {
  readonly action: PlanAction;
  /** Names of nodes. */
  readonly nodes: readonly string[];
  readonly findings: ReadonlyMap<string, NodeFinding>;
  readonly policy: PlanPolicy;
  readonly restart: RestartChoice;
  readonly drain: DrainRequest;
  /** The metrics of kubelets are read at their own port: `nodes/metrics` is enough for that. */
  readonly isDirect: boolean;
  /** The reason of `--force`; null without. */
  readonly force: string | null;
  readonly oakumVersion: string;
  /** Who asks for it; null for the user as the API server knows them. */
  readonly author: string | null;
}

export interface DrainRequest extends DrainChoice {
  /** Before a restart. */
  readonly before: boolean;
}

interface PlannedNode {
  readonly name: string;
  readonly node: NodeFacts;
  readonly finding: NodeFinding | undefined;
  /** Gates that the reason of `--force` opened. */
  readonly isForced: boolean;
}

const MAX_PLANNED_NODES = 500;

/** Throws a Failure if nothing is left to do, with the reasons. */
export function makePlan(request: PlanRequest, facts: ClusterFacts, isAllowed: RightAnswer, sha256: Sha256): Plan {
  const leftOut: { node: string; why: string }[] = [];
  const planned: PlannedNode[] = [];
  for (const name of new Set(request.nodes)) {
    const admitted = admit(name, request, facts);
    if (typeof admitted === 'string') leftOut.push({ node: name, why: admitted });
    else planned.push(admitted);
  }
  if (planned.length === 0) throw new Failure('plan-refused', nothingLeft(leftOut));
  if (planned.length > MAX_PLANNED_NODES)
    throw new Failure('usage', `${planned.length} nodes are too many for one plan; ${MAX_PLANNED_NODES} at most`);
  checkNotReady(facts, request.policy);
  const intent = intentFor(planned, leftOut, request, facts);
  const { template } = request.restart;
  const { rights } = derivePlan({ ...intent, id: '' }, template);
  const missing = rights.filter(right => isAllowed(right) === false).map(rightKey);
  const warning = `you may not: ${missing.join(', ')}; see oakum access --for act`;
  const warnings = [...intent.warnings, ...(missing.length === 0 ? [] : [warning])];
  return sealPlan({ ...intent, warnings }, template, sha256);
}

function nothingLeft(leftOut: readonly { readonly node: string; readonly why: string }[]): string {
  const [first] = leftOut;
  if (first === undefined) return 'no node to plan for';
  const more = leftOut.length === 1 ? '' : ` (and ${leftOut.length - 1} more nodes are left out)`;
  return `${first.node} is left out: ${first.why}${more}`;
}

function checkNotReady({ nodes }: ClusterFacts, { maxNotReadyPercent }: PlanPolicy): void {
  const notReady = nodes.filter(({ isReady }) => !isReady).length;
  if (notReady === 0 || notReady * 100 < maxNotReadyPercent * nodes.length) return;
  throw new Failure(
    'plan-refused',
    `${notReady} of ${nodes.length} nodes are not Ready, and acting stops at ${maxNotReadyPercent} %; find out why first, or raise --max-not-ready`,
  );
}

/** The node, or why it is left out. */
function admit(name: string, request: PlanRequest, facts: ClusterFacts): PlannedNode | string {
  const node = facts.nodes.find(one => one.name === name);
  if (node === undefined) return 'there is no such node';
  const { action, policy } = request;
  const finding = request.findings.get(name);
  const pods = facts.pods.get(name) ?? [];
  const kubelet = facts.kubelets.get(name);
  const drains = isDrained(request);
  const effect = expectedEffect({
    action,
    node,
    pods,
    finding,
    kubelet,
    atSeconds: facts.atSeconds,
    isDrained: drains,
  });
  const gates = closedGates({
    action,
    node,
    pods,
    finding,
    kubelet,
    cluster: facts,
    policy,
    drains,
    returnHours: returnHours(effect),
  });
  const odd = action === 'restart' ? viaProblem(node, request.restart) : undefined;
  const shut = odd ?? gates.find(({ canForce }) => !canForce || request.force === null)?.why;
  if (shut !== undefined) return shut;
  return { name, node, finding, isForced: gates.length > 0 };
}

function isDrained({ action, drain }: PlanRequest): boolean {
  return action === 'drain' || action === 'replace' || (action === 'restart' && drain.before);
}

/** Why the kubelet cannot be restarted in this way. */
function viaProblem(node: NodeFacts, { via, image, template }: RestartChoice): string | undefined {
  const distribution = distributionOf(node);
  if (via !== 'pod')
    return fillProblem(
      (via === 'command' ? template : null) ?? restartTemplate(distribution, node.isControlPlane),
      node,
    );
  if (unitOf(distribution, node.isControlPlane) === undefined)
    return `a pod cannot restart the kubelet of ${node.osImage || distribution}; use --via command or --via print`;
  if (image !== null || imageOn(node) !== undefined) return undefined;
  return 'it has no image with nsenter (busybox, alpine, debian ...); name one with --image';
}

function intentFor(
  planned: readonly PlannedNode[],
  leftOut: PlanIntent['leftOut'],
  request: PlanRequest,
  facts: ClusterFacts,
): Omit<PlanIntent, 'id'> {
  const { action, policy, restart } = request;
  if (facts.uid === null)
    throw new Failure(
      'plan-refused',
      'the namespace kube-system cannot be read, so nothing says which cluster the plan is for; it needs get on namespaces',
    );
  const { before: _, ...drain } = request.drain;
  const content = {
    schema: 'oakum.plan/v1' as const,
    createdAt: timeText(facts.atSeconds),
    expiresAt: timeText(facts.atSeconds + policy.maxAgeSeconds),
    oakumVersion: request.oakumVersion,
    author: request.author ?? facts.user ?? 'not known',
    action,
    via: action === 'restart' ? restart.via : null,
    cluster: {
      ...(facts.clusterName === undefined ? {} : { name: facts.clusterName }),
      context: facts.context,
      address: facts.address,
      uid: facts.uid,
      nodeCount: facts.nodes.length,
      notReadyCount: facts.nodes.filter(({ isReady }) => !isReady).length,
    },
    why: planned.map(one => reasonOf(one, request)),
    first: action === 'cordon' ? [] : upgradeFirst(planned),
    warnings: warningsOf(planned, request, facts),
    leftOut,
    policy,
    drain: isDrained(request) ? drain : null,
    isDirect: request.isDirect,
    nodes: planned.map(one => nodeIntent(one, request, facts)),
  };
  // Reasons and nodes in the order of the work.
  const order = derivePlan({ id: '', ...content }, restart.template).waves.flatMap(({ nodes }) => nodes);
  const at = (name: string): number => order.findIndex(({ node }) => node === name);
  const byOrder = (a: { node: string }, b: { node: string }): number => at(a.node) - at(b.node);
  return { ...content, why: content.why.sort(byOrder), nodes: content.nodes.sort(byOrder) };
}

function warningsOf(planned: readonly PlannedNode[], request: PlanRequest, facts: ClusterFacts): string[] {
  const { evictions, namespace } = facts;
  const { lock, maxNotReadyPercent } = request.policy;
  const targets = new Set(planned.map(({ name }) => name));
  const staysCordoned = request.action === 'cordon' || request.action === 'drain';
  const leavesTooMany = staysCordoned ? cordonWarning(facts.nodes, targets, maxNotReadyPercent) : undefined;
  const of = ({ node, finding }: PlannedNode): string[] =>
    nodeWarnings({
      action: request.action,
      node,
      finding,
      pods: facts.pods.get(node.name) ?? [],
      kubelet: facts.kubelets.get(node.name),
      drains: isDrained(request),
      evictions,
    });
  return [
    ...(namespace?.exists === false
      ? [
          `the namespace ${lock.namespace} does not exist, so the lock cannot be taken; make it and the role with: oakum access --for act | kubectl apply -f -`,
        ]
      : []),
    ...(leavesTooMany === undefined ? [] : [leavesTooMany]),
    ...planned.flatMap(of),
    ...clusterWarnings(facts, targets, isDrained(request)),
  ];
}

function nodeIntent({ name, node, finding }: PlannedNode, request: PlanRequest, facts: ClusterFacts): NodeIntent {
  const { action, restart } = request;
  const pods = facts.pods.get(name) ?? [];
  const kubelet = facts.kubelets.get(name);
  const drains = isDrained(request);
  const image = restart.image ?? imageOn(node) ?? '';
  return {
    node: name,
    uid: node.uid,
    bootId: node.bootId,
    zone: node.zone,
    pool: node.pool,
    isControlPlane: node.isControlPlane,
    kubeletVersion: node.kubeletVersion,
    distribution: distributionOf(node),
    address: node.address,
    providerId: node.providerId,
    image:
      action === 'restart' && restart.via === 'pod' ? { name: image, isOnNode: node.images.includes(image) } : null,
    replacer: action === 'replace' ? replacerOf(node, facts.machineVersion) : null,
    isReady: node.isReady,
    isZoneBusy: facts.nodes.some(
      other => other.name !== name && other.zone === node.zone && (!other.isReady || other.isCordoned),
    ),
    pods: drains
      ? pods.map(({ namespace, name: pod, uid, drain: ruling }) => ({
          namespace,
          name: pod,
          uid,
          act: ruling.act === 'evict' ? ('evict' as const) : ('leave' as const),
          note: ruling.note,
          dryRun: facts.evictions.get(`${namespace}/${pod}`)?.outcome ?? ('not-asked' as const),
        }))
      : [],
    expected: expectedEffect({ action, node, pods, finding, kubelet, atSeconds: facts.atSeconds, isDrained: drains }),
    verification: {
      warmUpSeconds: 600,
      decidedAfterHours:
        action === 'restart' ? hoursToDecide(finding?.slopePerHour ?? null, finding?.unit ?? null) : null,
      before: {
        at: timeText(facts.atSeconds),
        processStartSeconds: kubelet?.processStartSeconds ?? null,
        residentBytes: kubelet?.residentBytes ?? null,
        liveHeapBytes: kubelet?.liveHeapBytes ?? null,
        goroutines: kubelet?.goroutines ?? null,
        pods: kubelet?.pods ?? null,
        runningPods: pods.filter(({ isRunning }) => isRunning).length,
        resource: finding?.resource ?? null,
        slopePerHour: finding?.slopePerHour ?? null,
        slopeInterval: finding?.slopeInterval ?? null,
        limit: finding?.limit ?? null,
      },
    },
  };
}

function reasonOf({ node, finding, isForced }: PlannedNode, { force }: PlanRequest): PlanReason {
  return {
    node: node.name,
    verdict: finding?.verdict ?? 'unknown',
    sentence: finding?.sentence ?? 'nothing was measured',
    resource: finding?.resource ?? null,
    unit: finding?.unit ?? null,
    level: finding?.level ?? null,
    slopePerHour: finding?.slopePerHour ?? null,
    timeToLimitHours: finding?.timeToLimitHours ?? null,
    knownLeak: finding?.knownLeak ?? null,
    incident: finding?.incident ?? null,
    evidence: finding?.evidence ?? null,
    forcedBecause: isForced ? force : null,
  };
}
