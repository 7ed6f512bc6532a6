/** Each step as an Event on its node and an annotation. Neither stops the work if it fails: the log has it. */
import type { StepOutcome } from '../../store/plan-log.ts';
import type { PlanStep } from '../plan/plan-step.ts';
import { type ActContext, STEP_VERBS } from './act-context.ts';
import { APPLY_CONTROLLER, RESTARTED_ANNOTATION, STEP_ANNOTATION } from '../../evidence/plan-marks.ts';

const MAX_NOTE_CHARS = 1000;
const EVENTS_NAMESPACE = 'default';

type Phase = 'Starting' | 'Succeeded' | 'Failed';

export async function markBegin(context: ActContext, step: PlanStep): Promise<void> {
  await sendEvent(context, step, 'Starting', step.sentence);
  await annotate(context, step, 'began');
}

export async function markEnd(
  context: ActContext,
  step: PlanStep,
  outcome: StepOutcome,
  detail: string,
): Promise<void> {
  await sendEvent(context, step, outcome === 'failed' ? 'Failed' : 'Succeeded', detail);
  await annotate(context, step, outcome);
}

async function sendEvent(context: ActContext, step: PlanStep, phase: Phase, detail: string): Promise<void> {
  if (step.node === null) return;
  const { plan, clock, holder } = context;
  const at = new Date(clock.now() * 1000).toISOString().replace('Z', '000Z');
  const uid = plan.waves.flatMap(({ nodes }) => nodes).find(({ node }) => node === step.node)?.uid;
  const sent = await context.actions.createEvent(EVENTS_NAMESPACE, {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { generateName: `${step.node.slice(0, 200)}.oakum-`, namespace: EVENTS_NAMESPACE },
    eventTime: at,
    reportingController: APPLY_CONTROLLER,
    reportingInstance: holder.slice(0, 128),
    action: STEP_VERBS[step.kind],
    reason: `${STEP_VERBS[step.kind]}${phase}`,
    regarding: { apiVersion: 'v1', kind: 'Node', name: step.node, ...(uid === undefined ? {} : { uid }) },
    note: `${plan.id}: ${detail}`.slice(0, MAX_NOTE_CHARS),
    type: phase === 'Failed' ? 'Warning' : 'Normal',
  });
  if (sent.kind !== 'done') context.say(`the Event about ${step.id} was not written: ${sent.message}`);
}

/** Only while the plan is announced on the node: after it nothing of ours is to stay but the time of the restart. */
async function annotate(context: ActContext, step: PlanStep, how: 'began' | StepOutcome): Promise<void> {
  const { kind, node } = step;
  if (node === null || kind === 'delete-node') return;
  const { plan, clock } = context;
  const at = new Date(clock.now() * 1000).toISOString();
  const isOver = kind === 'withdraw' || kind === 'verify';
  const annotations = { [STEP_ANNOTATION]: isOver ? null : `${kind} ${how} ${at} ${plan.id}` };
  const written = await context.actions.patchNode(node, { metadata: { annotations } });
  if (written.kind !== 'done') context.say(`the annotation about ${step.id} was not written: ${written.message}`);
}

/** Before the log says that it ended: other plans count on it, and a killed run must not leave it out. */
export async function markRestarted({ actions, clock, plan, say }: ActContext, node: string): Promise<void> {
  const at = new Date(clock.now() * 1000).toISOString();
  const annotations = { [RESTARTED_ANNOTATION]: `${at} ${plan.id}` };
  const written = await actions.patchNode(node, { metadata: { annotations } });
  if (written.kind !== 'done') say(`${node} could not be marked as restarted: ${written.message}`);
}
