/**
 * The steps of one node, in order.
 *
 *     restart            announce  restart  wait-ready  withdraw  verify
 *     restart --drain    announce  cordon  drain  restart  wait-ready  uncordon  withdraw  verify
 *     cordon             announce  cordon  withdraw
 *     drain              announce  cordon  drain  withdraw
 *     replace            announce  cordon  drain  delete-node
 */
import { CORDONED_ANNOTATION, PLAN_ANNOTATION } from '../../evidence/plan-marks.ts';
import type { NodeFacts, PodFacts, EvictionAnswer } from './cluster-facts.ts';
import type { PlanAction, PlanPolicy, RestartVia } from './plan.ts';
import type { JsonValue, PlanPrecondition, PlanStep, RequestCall, StepCall, StepKind } from './plan-step.ts';
import {
  distributionOf,
  fillTemplate,
  printedCommands,
  restartTemplate,
  unitOf,
  deleteNodeCall,
} from './distribution.ts';
import { imageOn, restartPodCall } from './restart-pod.ts';
import { rightsOfCall, rightsOfPrecondition, withoutRepeats } from './rights.ts';

export interface NodeStepFacts {
  readonly action: PlanAction;
  readonly planId: string;
  readonly node: NodeFacts;
  readonly pods: readonly PodFacts[];
  readonly evictions: ReadonlyMap<string, EvictionAnswer>;
  readonly processStartSeconds: number | null;
  readonly policy: PlanPolicy;
  readonly restart: RestartChoice;
  readonly drain: DrainChoice;
  /** Nodes of the zone besides this one that are cordoned or not Ready already: then the zone is not asked about. */
  readonly isZoneBusy: boolean;
}

export interface RestartChoice {
  readonly via: RestartVia;
  /** Of `--command`; null for the default of the distribution. */
  readonly template: string | null;
  /** Of `--image`; null for one that the node has. */
  readonly image: string | null;
  readonly namespace: string;
}

export interface DrainChoice {
  readonly before: boolean;
  readonly maxConcurrent: number;
  readonly retrySeconds: number;
  readonly timeoutSeconds: number;
  readonly gracePeriodSeconds: number | null;
  readonly deleteEmptyDirData: boolean;
  readonly force: boolean;
}

export function nodeSteps(facts: NodeStepFacts): PlanStep[] {
  const { action, drain } = facts;
  if (action === 'cordon') return [announce(facts), cordon(facts), withdraw(facts)];
  const emptying = [cordon(facts), drainStep(facts)];
  if (action === 'drain') return [announce(facts), ...emptying, withdraw(facts)];
  if (action === 'replace') return [announce(facts), ...emptying, ...deleteNode(facts)];
  return [
    announce(facts),
    ...(drain.before ? emptying : []),
    restart(facts),
    waitReady(facts),
    ...(drain.before ? [uncordon(facts)] : []),
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
function still({ action, node, policy, isZoneBusy }: NodeStepFacts): PlanPrecondition[] {
  const { name, uid, bootId, kubeletVersion, zone } = node;
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

function readiness({ node }: NodeStepFacts): PlanPrecondition[] {
  return node.isReady ? [{ kind: 'node-ready', node: node.name }] : [];
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

function announce(facts: NodeStepFacts): PlanStep {
  const { node, planId } = facts;
  const off = annotated(node.name, { [PLAN_ANNOTATION]: null });
  return planStep(
    'announce',
    node.name,
    `writes the annotation ${PLAN_ANNOTATION} on ${node.name}, so that others see who is at work`,
    annotated(node.name, { [PLAN_ANNOTATION]: planId }),
    {
      preconditions: [...still(facts), ...readiness(facts), { kind: 'not-cordoned', node: node.name }],
      undo: { sentence: 'removes the annotation', call: off },
    },
  );
}

function cordon(facts: NodeStepFacts): PlanStep {
  const { node, planId } = facts;
  const body = { spec: { unschedulable: true }, metadata: { annotations: { [CORDONED_ANNOTATION]: planId } } };
  return planStep('cordon', node.name, `cordons ${node.name}: no new pods`, patchNode(node.name, body), {
    preconditions: [...still(facts), { kind: 'not-cordoned', node: node.name }],
    undo: { sentence: `uncordons ${node.name}, if this plan cordoned it`, call: uncordonCall(node.name) },
  });
}

function uncordonCall(name: string): RequestCall {
  return patchNode(name, {
    spec: { unschedulable: null },
    metadata: { annotations: { [CORDONED_ANNOTATION]: null } },
  });
}

function uncordon({ node }: NodeStepFacts): PlanStep {
  return planStep('uncordon', node.name, `uncordons ${node.name}`, uncordonCall(node.name), {
    preconditions: [
      { kind: 'node-uid', node: node.name, uid: node.uid },
      { kind: 'cordoned-by-us', node: node.name },
    ],
  });
}

function drainStep(facts: NodeStepFacts): PlanStep {
  const { node, pods, evictions, drain } = facts;
  const planned = pods.map(({ namespace, name, uid, drain: ruling }) => ({
    namespace,
    name,
    uid,
    act: ruling.act === 'evict' ? ('evict' as const) : ('leave' as const),
    note: ruling.note,
    dryRun: evictions.get(`${namespace}/${name}`)?.outcome ?? ('not-asked' as const),
  }));
  const evicted = planned.filter(({ act }) => act === 'evict').length;
  const { maxConcurrent, retrySeconds, gracePeriodSeconds, deleteEmptyDirData, force } = drain;
  return planStep(
    'drain',
    node.name,
    `evicts ${evicted} ${evicted === 1 ? 'pod' : 'pods'} from ${node.name}, each by its UID, and waits until they are gone`,
    {
      kind: 'drain',
      node: node.name,
      maxConcurrent,
      retrySeconds,
      gracePeriodSeconds,
      deleteEmptyDirData,
      force,
      pods: planned,
    },
    {
      preconditions: [...still(facts), { kind: 'cordoned-by-us', node: node.name }],
      isFinal: true,
      timeoutSeconds: drain.timeoutSeconds,
    },
  );
}

const RESTART_SECONDS = 180;
/** Somebody else has to read it and do it. */
const PRINTED_SECONDS = 3600;

function restart(facts: NodeStepFacts): PlanStep {
  const { node, processStartSeconds, drain, restart: choice } = facts;
  const same: PlanPrecondition[] =
    processStartSeconds === null ? [] : [{ kind: 'process-start', node: node.name, startSeconds: processStartSeconds }];
  return planStep('restart', node.name, restartSentence(facts), restartCall(facts), {
    preconditions: [
      ...still(facts),
      ...readiness(facts),
      ...same,
      { kind: drain.before ? 'cordoned-by-us' : 'not-cordoned', node: node.name },
      { kind: 'no-device-pods', node: node.name },
      ...(choice.via === 'pod' ? [{ kind: 'privileged-namespace' as const, namespace: choice.namespace }] : []),
    ],
    isFinal: true,
    timeoutSeconds: choice.via === 'print' ? PRINTED_SECONDS : RESTART_SECONDS,
  });
}

function restartSentence({ node, restart: { via } }: NodeStepFacts): string {
  const what = `restarts the kubelet of ${node.name}`;
  if (via === 'print') return `waits until someone ${what} with one of these commands`;
  return via === 'pod' ? `${what} with a privileged pod, which is removed afterwards` : what;
}

function restartCall({ node, planId, restart: { via, template, image, namespace } }: NodeStepFacts): StepCall {
  const distribution = distributionOf(node);
  if (via === 'print') return { kind: 'print', commands: printedCommands(node) };
  if (via === 'command') {
    const used = template ?? restartTemplate(distribution, node.isControlPlane);
    return { kind: 'command', argv: fillTemplate(used, node) };
  }
  const found = image ?? imageOn(node) ?? '';
  const isOnNode = node.images.includes(found);
  const unit = unitOf(distribution, node.isControlPlane) ?? 'kubelet';
  return restartPodCall(node.name, { namespace, image: found, isOnNode, unit, planId });
}

function waitReady({ node }: NodeStepFacts): PlanStep {
  return planStep(
    'wait-ready',
    node.name,
    `waits until ${node.name} is Ready and stays so for 20 s`,
    { kind: 'wait-ready', path: `/api/v1/nodes/${node.name}`, stableSeconds: 20 },
    { timeoutSeconds: 300 },
  );
}

function withdraw({ node }: NodeStepFacts): PlanStep {
  const call = annotated(node.name, { [PLAN_ANNOTATION]: null });
  return planStep('withdraw', node.name, `removes the annotation ${PLAN_ANNOTATION} from ${node.name}`, call);
}

function verify({ node }: NodeStepFacts): PlanStep {
  return planStep(
    'verify',
    node.name,
    `reads the metrics of ${node.name}: a new process, memory and goroutines as after a start`,
    { kind: 'verify', path: `/api/v1/nodes/${node.name}/proxy/metrics` },
    { timeoutSeconds: 300 },
  );
}

function deleteNode(facts: NodeStepFacts): PlanStep[] {
  const { node } = facts;
  const found = deleteNodeCall(node);
  if (found === undefined) return [withdraw(facts)];
  return [
    planStep('delete-node', node.name, found.sentence, found.call, {
      preconditions: [...still(facts), { kind: 'cordoned-by-us', node: node.name }, ...found.preconditions],
      isFinal: true,
    }),
  ];
}
