/**
 * The steps of one node, in order.
 *
 *     restart            announce  restart  wait-ready  withdraw  verify
 *     restart --drain    announce  cordon  drain  restart  wait-ready  uncordon  withdraw  verify
 *     cordon             announce  cordon  withdraw
 *     drain              announce  cordon  drain  withdraw
 *     replace            announce  cordon  drain  delete-node
 */
import { CORDONED_ANNOTATION, PLAN_ANNOTATION, STEP_ANNOTATION } from '../../evidence/plan-marks.ts';
import type { DrainChoice, NodeIntent, PlanIntent, RestartVia } from './plan.ts';
import type { JsonValue, PlanPrecondition, PlanStep, RequestCall, StepCall, StepKind } from './plan-step.ts';
import { fillTemplate, printedCommands, restartTemplate, unitOf, deleteNodeCall } from './distribution.ts';
import { restartPodCall } from './restart-pod.ts';
import { directRight, rightsOfCall, rightsOfPrecondition, withoutRepeats } from './rights.ts';

/** What decides the steps of a node, and nothing else does. */
interface StepFacts {
  readonly intent: PlanIntent;
  readonly node: NodeIntent;
  /** Of `--command`, by whoever acts; null for the default of the distribution. */
  readonly template: string | null;
}

/** How kubelets are restarted, as options say it. */
export interface RestartChoice {
  readonly via: RestartVia;
  /** Of `--command`; null for the default of the distribution. */
  readonly template: string | null;
  /** Of `--image`; null for one that the node has. */
  readonly image: string | null;
  readonly namespace: string;
}

export function nodeSteps(intent: PlanIntent, node: NodeIntent, template: string | null): PlanStep[] {
  const steps = stepsFor({ intent, node, template });
  return intent.isDirect ? steps.map(step => ({ ...step, rights: step.rights.map(directRight) })) : steps;
}

function stepsFor(facts: StepFacts): PlanStep[] {
  const { action, drain } = facts.intent;
  if (action === 'cordon') return [announce(facts), cordon(facts), withdraw(facts)];
  const emptying = drain === null ? [] : [cordon(facts), drainStep(facts, drain)];
  if (action === 'drain') return [announce(facts), ...emptying, withdraw(facts)];
  if (action === 'replace') return [announce(facts), ...emptying, ...deleteNode(facts)];
  return [
    announce(facts),
    ...emptying,
    restart(facts),
    waitReady(facts),
    ...(drain === null ? [] : [uncordon(facts)]),
    withdraw(facts),
    verify(facts),
  ];
}

type StepParts = Partial<Pick<PlanStep, 'preconditions' | 'isFinal' | 'undo' | 'timeoutSeconds'>>;

export function planStep(
  kind: StepKind,
  node: string | null,
  sentence: string,
  call: StepCall,
  { preconditions = [], isFinal = false, undo = null, timeoutSeconds = 60 }: StepParts = {},
): PlanStep {
  return {
    id: `${node ?? 'plan'}/${kind}`,
    kind,
    node,
    sentence,
    call,
    rights: withoutRepeats([
      ...rightsOfCall(call),
      ...(undo === null ? [] : rightsOfCall(undo.call)),
      ...preconditions.flatMap(rightsOfPrecondition),
    ]),
    preconditions,
    isFinal,
    undo,
    timeoutSeconds,
  };
}

/** What every step that touches a node relies on. */
function still({ intent: { action, policy }, node }: StepFacts): PlanPrecondition[] {
  const { node: name, uid, bootId, kubeletVersion, zone, isZoneBusy } = node;
  return [
    { kind: 'lock-held' },
    { kind: 'node-uid', node: name, uid },
    ...(bootId === '' ? [] : [{ kind: 'boot-id' as const, node: name, bootId }]),
    { kind: 'kubelet-version', node: name, version: kubeletVersion },
    { kind: 'no-foreign-work', node: name },
    { kind: 'not-ready-below', percent: policy.maxNotReadyPercent },
    ...(zone === null || isZoneBusy ? [] : [{ kind: 'zone-quiet' as const, zone, node: name }]),
    ...(action === 'restart'
      ? []
      : [{ kind: 'cordoned-below' as const, node: name, percent: policy.maxNotReadyPercent }]),
  ];
}

function readiness({ node }: StepFacts): PlanPrecondition[] {
  return node.isReady ? [{ kind: 'node-ready', node: node.node }] : [];
}

function patchNode(name: string, body: JsonValue): RequestCall {
  return {
    kind: 'request',
    method: 'PATCH',
    path: `/api/v1/nodes/${name}`,
    contentType: 'application/merge-patch+json',
    body,
  };
}

function annotated(name: string, annotations: Readonly<Record<string, string | null>>): RequestCall {
  return patchNode(name, { metadata: { annotations } });
}

/** With what apply writes about its steps. */
function withdrawal(node: string): RequestCall {
  return annotated(node, { [PLAN_ANNOTATION]: null, [STEP_ANNOTATION]: null });
}

function announce(facts: StepFacts): PlanStep {
  const {
    node,
    intent: { id },
  } = facts;
  const off = withdrawal(node.node);
  return planStep(
    'announce',
    node.node,
    `writes the annotation ${PLAN_ANNOTATION} on ${node.node}, so that others see who is at work`,
    annotated(node.node, { [PLAN_ANNOTATION]: id }),
    {
      preconditions: [
        { kind: 'cluster-allows' },
        ...still(facts),
        ...readiness(facts),
        { kind: 'not-cordoned', node: node.node },
      ],
      undo: { sentence: 'removes the annotation', call: off },
    },
  );
}

function cordon(facts: StepFacts): PlanStep {
  const {
    node,
    intent: { id },
  } = facts;
  const body = { spec: { unschedulable: true }, metadata: { annotations: { [CORDONED_ANNOTATION]: id } } };
  return planStep('cordon', node.node, `cordons ${node.node}: no new pods`, patchNode(node.node, body), {
    preconditions: [...still(facts), { kind: 'not-cordoned', node: node.node }],
    undo: { sentence: `uncordons ${node.node}, if this plan cordoned it`, call: uncordonCall(node.node) },
  });
}

function uncordonCall(name: string): RequestCall {
  return patchNode(name, {
    spec: { unschedulable: null },
    metadata: { annotations: { [CORDONED_ANNOTATION]: null } },
  });
}

function uncordon({ node }: StepFacts): PlanStep {
  return planStep('uncordon', node.node, `uncordons ${node.node}`, uncordonCall(node.node), {
    preconditions: [
      { kind: 'node-uid', node: node.node, uid: node.uid },
      { kind: 'cordoned-by-us', node: node.node },
    ],
  });
}

function drainStep(facts: StepFacts, drain: DrainChoice): PlanStep {
  const { node, pods } = facts.node;
  const evicted = pods.filter(({ act }) => act === 'evict').length;
  const { timeoutSeconds, ...choice } = drain;
  return planStep(
    'drain',
    node,
    `evicts ${evicted} ${evicted === 1 ? 'pod' : 'pods'} from ${node}, each by its UID, and waits until they are gone`,
    { kind: 'drain', node, ...choice, pods },
    {
      preconditions: [...still(facts), { kind: 'cordoned-by-us', node }],
      isFinal: true,
      timeoutSeconds,
    },
  );
}

const RESTART_SECONDS = 180;
/** Somebody else has to read it and do it. */
const PRINTED_SECONDS = 3600;

function restart(facts: StepFacts): PlanStep {
  const { node, intent } = facts;
  const { via, drain, policy } = intent;
  const { address, providerId } = node;
  const startSeconds = node.verification.before.processStartSeconds;
  return planStep('restart', node.node, restartSentence(facts), restartCall(facts), {
    preconditions: [
      ...still(facts),
      ...readiness(facts),
      ...(startSeconds === null ? [] : [{ kind: 'process-start' as const, node: node.node, startSeconds }]),
      { kind: drain === null ? 'not-cordoned' : 'cordoned-by-us', node: node.node },
      { kind: 'no-device-pods', node: node.node },
      ...(via === 'command' ? [{ kind: 'own-address' as const, node: node.node, address, providerId }] : []),
      ...(via === 'pod' ? [{ kind: 'privileged-namespace' as const, namespace: policy.lock.namespace }] : []),
    ],
    isFinal: true,
    timeoutSeconds: via === 'print' ? PRINTED_SECONDS : RESTART_SECONDS,
  });
}

function restartSentence({ node, intent: { via } }: StepFacts): string {
  const what = `restarts the kubelet of ${node.node}`;
  if (via === 'print') return `waits until someone ${what} with one of these commands`;
  return via === 'pod' ? `${what} with a privileged pod, which is removed afterwards` : what;
}

function restartCall({ node, intent: { id, via, policy }, template }: StepFacts): StepCall {
  const { distribution } = node;
  const named = { ...node, name: node.node };
  if (via === 'print') return { kind: 'print', commands: printedCommands(named, distribution) };
  if (via === 'command') {
    const used = template ?? restartTemplate(distribution, node.isControlPlane);
    return { kind: 'command', argv: fillTemplate(used, named) };
  }
  const { name: image, isOnNode } = node.image ?? { name: '', isOnNode: true };
  const unit = unitOf(distribution, node.isControlPlane) ?? 'kubelet';
  return restartPodCall(node.node, { namespace: policy.lock.namespace, image, isOnNode, unit, planId: id });
}

function waitReady({ node }: StepFacts): PlanStep {
  return planStep(
    'wait-ready',
    node.node,
    `waits until ${node.node} is Ready and stays so for 20 s`,
    { kind: 'wait-ready', path: `/api/v1/nodes/${node.node}`, stableSeconds: 20 },
    { timeoutSeconds: 300 },
  );
}

function withdraw({ node }: StepFacts): PlanStep {
  const call = withdrawal(node.node);
  return planStep('withdraw', node.node, `removes the annotation ${PLAN_ANNOTATION} from ${node.node}`, call);
}

function verify({ node }: StepFacts): PlanStep {
  return planStep(
    'verify',
    node.node,
    `reads the metrics of ${node.node}: a new process, memory and goroutines as after a start`,
    { kind: 'verify', path: `/api/v1/nodes/${node.node}/proxy/metrics` },
    { timeoutSeconds: 300 },
  );
}

function deleteNode(facts: StepFacts): PlanStep[] {
  const { node, uid, replacer } = facts.node;
  if (replacer === null) return [withdraw(facts)];
  const { sentence, call, preconditions } = deleteNodeCall(replacer, { name: node, uid });
  return [
    planStep('delete-node', node, sentence, call, {
      preconditions: [...still(facts), { kind: 'cordoned-by-us', node }, ...preconditions],
      isFinal: true,
    }),
  ];
}
