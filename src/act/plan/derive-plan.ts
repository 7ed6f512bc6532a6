/**
 * Everything that follows from the intent of a plan: calls, rights, preconditions, the lock and the order. Pure: `plan`
 * derives it for the reader, `apply` and `watch` derive it again, and a file that says anything else is refused.
 */
import { fillProblem, restartTemplate } from './distribution.ts';
import { nodeSteps, planStep } from './node-steps.ts';
import type { NeededRight, NodeIntent, Plan, PlanIntent, PlanWave } from './plan.ts';
import type { PlanStep } from './plan-step.ts';
import { rightKey } from './rights.ts';
import { Failure } from '../../base/errors.ts';

export type DerivedPlan = Omit<Plan, 'hash' | 'callsHash'>;

/** `template` is that of whoever acts; null for the default of each distribution. */
export function derivePlan({ nodes, ...intent }: PlanIntent, template: string | null): DerivedPlan {
  const whole = { ...intent, nodes };
  for (const node of nodes) checkFill(whole, node, template);
  const hours = new Map(intent.why.map(({ node, timeToLimitHours }) => [node, timeToLimitHours?.[0] ?? null]));
  const groups = wavesOf(
    nodes.map(one => ({ ...one, hoursToLimit: hours.get(one.node) ?? null })),
    intent.policy.maxConcurrent,
  );
  const waves = groups.map((group, index): PlanWave => {
    const isCanary = index === 0 && groups.length > 1;
    return {
      number: index + 1,
      isCanary,
      thenWaitSeconds: isCanary ? intent.policy.canaryWaitSeconds : 0,
      nodes: group.map(({ hoursToLimit: _, ...node }) => ({
        ...node,
        steps: nodeSteps(whole, node, template),
      })),
    };
  });
  const { namespace, name, durationSeconds } = intent.policy.lock;
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
  const derived = { ...intent, sentence: sentenceOf(whole), before, waves, after };
  return { ...derived, rights: rightsOf(stepsOf(derived)) };
}

/** All steps in the order of the work; the nodes of a wave go on side by side. */
export function stepsOf({ before, waves, after }: Pick<Plan, 'before' | 'waves' | 'after'>): PlanStep[] {
  return [...before, ...waves.flatMap(({ nodes }) => nodes.flatMap(({ steps }) => steps)), ...after];
}

/** The intent of a plan, as its file has it. */
export function intentOf(plan: Plan): PlanIntent {
  const { hash: _1, callsHash: _2, sentence: _3, before: _4, waves, after: _5, rights: _6, ...intent } = plan;
  const nodes = waves.flatMap(wave => wave.nodes.map(({ steps: _7, ...node }): NodeIntent => node));
  return { ...intent, nodes };
}

/** A node writes its own address and provider id. */
function checkFill({ action, via }: PlanIntent, node: NodeIntent, template: string | null): void {
  if (action !== 'restart' || via === 'pod') return;
  const used = (via === 'command' ? template : null) ?? restartTemplate(node.distribution, node.isControlPlane);
  const problem = fillProblem(used, { ...node, name: node.node });
  if (problem !== undefined) throw new Failure('plan-refused', `${node.node}: ${problem}`);
}

function sentenceOf({ action, via, nodes: all }: PlanIntent): string {
  const nodes = all.length === 1 ? `node ${all[0]?.node}` : `${all.length} nodes, one after another`;
  switch (action) {
    case 'restart':
      return via === 'print'
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

function rightsOf(steps: readonly PlanStep[]): NeededRight[] {
  const found = new Map<string, NeededRight & { readonly steps: string[] }>();
  for (const { id, rights } of steps) {
    for (const right of rights) {
      const key = rightKey(right);
      const known = found.get(key) ?? { ...right, steps: [] };
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
  readonly node: string;
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
      (a.node < b.node ? -1 : a.node > b.node ? 1 : 0),
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
