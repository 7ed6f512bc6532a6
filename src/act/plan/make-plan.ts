/** Finding + policy + facts -> Plan. Pure: the same facts give the same plan, with the same id. */
import type { ClusterFacts, NodeFacts, NodeFinding, RightAnswer } from './cluster-facts.ts';
import type { CheckedRight, NodePlan, Plan, PlanAction, PlanPolicy, PlanReason, PlanWave } from './plan.ts';
import type { PlanStep } from './plan-step.ts';
import { clusterWarnings, cordonWarning, nodeWarnings, upgradeFirst } from './advice.ts';
import { expectedEffect, hoursToDecide, returnHours } from './effect.ts';
import { sealPlan, type Sha256, type UnsealedPlan } from './plan-file.ts';
import { closedGates } from './gates.ts';
import { distributionOf, fillProblem, restartTemplate, unitOf } from './distribution.ts';
import { imageOn } from './restart-pod.ts';
import { type DrainChoice, nodeSteps, planStep, type RestartChoice } from './node-steps.ts';
import { directRight, rightKey } from './rights.ts';
import { timeText } from '../../base/say.ts';
import { Failure } from '../../base/errors.ts';

export interface PlanRequest {
  readonly action: PlanAction;
  /** Names of nodes. */
  readonly nodes: readonly string[];
  readonly findings: ReadonlyMap<string, NodeFinding>;
  readonly policy: PlanPolicy;
  readonly restart: RestartChoice;
  readonly drain: DrainChoice;
  /** The metrics of kubelets are read at their own port: `nodes/metrics` is enough for that. */
  readonly isDirect: boolean;
  /** The reason of `--force`; null without. */
  readonly force: string | null;
  readonly oakumVersion: string;
}

interface PlannedNode {
  readonly name: string;
  readonly zone: string | null;
  readonly pool: string | null;
  readonly isControlPlane: boolean;
  readonly hoursToLimit: number | null;
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
  return sealPlan(id => contentOf(id, planned, leftOut, request, facts, isAllowed), sha256);
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
  const { zone, pool, isControlPlane } = node;
  const hoursToLimit = finding?.timeToLimitHours?.[0] ?? null;
  return { name, zone, pool, isControlPlane, hoursToLimit, node, finding, isForced: gates.length > 0 };
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

function contentOf(
  id: string,
  planned: readonly PlannedNode[],
  leftOut: Plan['leftOut'],
  request: PlanRequest,
  facts: ClusterFacts,
  isAllowed: RightAnswer,
): UnsealedPlan {
  const { action, policy, restart } = request;
  const groups = wavesOf(planned, policy.maxConcurrent);
  const waves = groups.map((group, index): PlanWave => ({
    number: index + 1,
    isCanary: index === 0 && groups.length > 1,
    thenWaitSeconds: index === 0 && groups.length > 1 ? policy.canaryWaitSeconds : 0,
    nodes: group.map(one => nodePlan(id, one, request, facts)),
  }));
  const inOrder = groups.flat();
  const { namespace, name, durationSeconds } = policy.lock;
  const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${name}`;
  const release = { kind: 'lease-release', path } as const;
  const before = [
    planStep(
      'lock',
      null,
      `takes the lock ${namespace}/${name}: one plan at a time`,
      { kind: 'lease-acquire', path, durationSeconds },
      { undo: { sentence: 'releases the lock', call: release } },
    ),
  ];
  const after = [planStep('unlock', null, `releases the lock ${namespace}/${name}`, release)];
  const steps = [...before, ...waves.flatMap(wave => wave.nodes.flatMap(node => node.steps)), ...after];
  return {
    schema: 'oakum.plan/v1',
    createdAt: timeText(facts.atSeconds),
    expiresAt: timeText(facts.atSeconds + policy.maxAgeSeconds),
    oakumVersion: request.oakumVersion,
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
    sentence: sentenceOf(request, inOrder),
    why: inOrder.map(one => reasonOf(one, request)),
    first: action === 'cordon' ? [] : upgradeFirst(inOrder),
    warnings: warningsOf(inOrder, request, facts),
    leftOut,
    policy,
    before,
    waves,
    after,
    rights: checkedRights(steps, isAllowed),
  };
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

function nodePlan(planId: string, planned: PlannedNode, request: PlanRequest, facts: ClusterFacts): NodePlan {
  const { node, finding } = planned;
  const { action, policy, restart } = request;
  const pods = facts.pods.get(node.name) ?? [];
  const kubelet = facts.kubelets.get(node.name);
  const drain = { ...request.drain, before: isDrained(request) };
  const busy = facts.nodes.some(
    ({ name, zone, isReady, isCordoned }) => name !== node.name && zone === node.zone && (!isReady || isCordoned),
  );
  return {
    node: node.name,
    uid: node.uid,
    zone: node.zone,
    pool: node.pool,
    isControlPlane: node.isControlPlane,
    kubeletVersion: node.kubeletVersion,
    osImage: node.osImage,
    distribution: distributionOf(node),
    steps: nodeSteps({
      action,
      planId,
      node,
      pods,
      evictions: facts.evictions,
      processStartSeconds: kubelet?.processStartSeconds ?? null,
      policy,
      restart,
      drain,
      isZoneBusy: busy,
    }).map(step => (request.isDirect ? { ...step, rights: step.rights.map(directRight) } : step)),
    expected: expectedEffect({
      action,
      node,
      pods,
      finding,
      kubelet,
      atSeconds: facts.atSeconds,
      isDrained: drain.before,
    }),
    verification: {
      readyWithinSeconds: 120,
      warmUpSeconds: 600,
      decidedAfterHours:
        action === 'restart' ? hoursToDecide(finding?.slopePerHour ?? null, finding?.unit ?? null) : null,
      before: {
        at: timeText(facts.atSeconds),
        processStartSeconds: kubelet?.processStartSeconds ?? null,
        bootId: node.bootId === '' ? null : node.bootId,
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
      checks: CHECKS[action],
    },
  };
}

const CHECKS: Readonly<Record<PlanAction, readonly string[]>> = {
  restart: [
    "the kubelet's start time moved and its CPU time began again",
    'the node is Ready again, and in what time',
    'as many pods run as before',
    'PLEG and error rates are normal',
    'memory and goroutines are at the level of youth',
    'the slope after against the slope before, at equal pods: cleared, came back, or too early',
  ],
  cordon: ['the node is cordoned by this plan'],
  drain: ['the node is cordoned and only DaemonSet and static pods are left'],
  replace: ['the node is gone'],
};

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

function sentenceOf({ action, restart }: PlanRequest, planned: readonly PlannedNode[]): string {
  const nodes = planned.length === 1 ? `node ${planned[0]?.name}` : `${planned.length} nodes, one after another`;
  switch (action) {
    case 'restart':
      return restart.via === 'print'
        ? `Have the kubelet of ${nodes} restarted, and verify it.`
        : `Restart the kubelet of ${nodes}.`;
    case 'cordon':
      return `Cordon ${nodes}.`;
    case 'drain':
      return `Cordon and drain ${nodes}.`;
    case 'replace':
      return `Drain and replace ${nodes}.`;
  }
}

function checkedRights(steps: readonly PlanStep[], isAllowed: RightAnswer): CheckedRight[] {
  const found = new Map<string, CheckedRight & { readonly steps: string[] }>();
  for (const { id, rights } of steps) {
    for (const right of rights) {
      const key = rightKey(right);
      const known = found.get(key) ?? { ...right, isAllowed: isAllowed(right), steps: [] };
      known.steps.push(id);
      found.set(key, known);
    }
  }
  return [...found.values()];
}

/**
 * Which nodes come first, and which may be worked on at the same time.
 *
 *     sorted     workers by time to limit, then control-plane nodes
 *     wave 1     the canary: one node
 *     wave 2...  up to maxConcurrent nodes, no two of one zone, no two of one pool
 *     last       control-plane nodes, one by one
 *
 * Nodes without a zone may share one, so they count as one zone; the same for pools.
 */
interface OrderedNode {
  readonly name: string;
  readonly zone: string | null;
  readonly pool: string | null;
  readonly isControlPlane: boolean;
  /** Null: not known, so not urgent. */
  readonly hoursToLimit: number | null;
}

/** Infinity less itself is NaN, which counts as equal: names decide then. */
function inOrder<N extends OrderedNode>(nodes: readonly N[]): N[] {
  return [...nodes].sort(
    (a, b) =>
      Number(a.isControlPlane) - Number(b.isControlPlane) ||
      (a.hoursToLimit ?? Infinity) - (b.hoursToLimit ?? Infinity) ||
      (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
  );
}

/** The nodes of each wave. */
function wavesOf<N extends OrderedNode>(nodes: readonly N[], maxConcurrent: number): N[][] {
  const [canary, ...rest] = inOrder(nodes);
  if (canary === undefined) return [];
  const waves: N[][] = [[canary]];
  let waiting = rest;
  while (waiting.length > 0) {
    const wave: N[] = [];
    for (const node of waiting) if (wave.length < maxConcurrent && fits(node, wave)) wave.push(node);
    waves.push(wave);
    waiting = waiting.filter(node => !wave.includes(node));
  }
  return waves;
}

/** The first node always fits. A control-plane node waits until it is alone. */
function fits(node: OrderedNode, wave: readonly OrderedNode[]): boolean {
  if (wave.length === 0) return true;
  return wave.every(
    other => !node.isControlPlane && !other.isControlPlane && other.zone !== node.zone && other.pool !== node.pool,
  );
}
