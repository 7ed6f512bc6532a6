/**
 * What others see of an apply: an annotation on the node that says which step it is at and who is behind it, and an Event
 * for each step that matters. Neither stops the work if it fails: the log has it.
 */
import { APPLY_CONTROLLER, RESTARTED_ANNOTATION, STEP_ANNOTATION } from '../../evidence/plan-marks.ts';
import type { StepOutcome } from '../../store/plan-log.ts';
import type { PlanStep, StepKind } from '../plan/plan-step.ts';
import { type ActContext, rideOver, STEP_VERBS } from './act-context.ts';

const MAX_NOTE_CHARS = 1000;
const EVENTS_NAMESPACE = 'default';

/** What people look for later. The rest is told if it fails. */
const TOLD: ReadonlySet<StepKind> = new Set(['cordon', 'drain', 'restart', 'delete-node', 'uncordon']);

/** With these the annotation ends, or the node. */
const UNMARKED: ReadonlySet<StepKind> = new Set(['withdraw', 'verify', 'delete-node']);

export async function markBegin(context: ActContext, step: PlanStep): Promise<void> {
  await annotate(context, step, 'began');
}

export async function markEnd(
  context: ActContext,
  step: PlanStep,
  outcome: StepOutcome,
  detail: string,
): Promise<void> {
  if (TOLD.has(step.kind) || outcome === 'failed') await sendEvent(context, step, outcome === 'failed', detail);
  await annotate(context, step, outcome);
}

async function sendEvent(context: ActContext, step: PlanStep, isFailed: boolean, detail: string): Promise<void> {
  if (step.node === null) return;
  const { plan, clock, holder, actor } = context;
  const at = new Date(clock.now() * 1000).toISOString().replace('Z', '000Z');
  const uid = plan.waves.flatMap(({ nodes }) => nodes).find(({ node }) => node === step.node)?.uid;
  const said = detail === '' ? step.sentence : detail;
  const sent = await context.actions.createEvent(EVENTS_NAMESPACE, {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { generateName: `${step.node.slice(0, 200)}.oakum-`, namespace: EVENTS_NAMESPACE },
    eventTime: at,
    reportingController: APPLY_CONTROLLER,
    reportingInstance: holder.slice(0, 128),
    action: STEP_VERBS[step.kind],
    reason: `${STEP_VERBS[step.kind]}${isFailed ? 'Failed' : 'Succeeded'}`,
    regarding: { apiVersion: 'v1', kind: 'Node', name: step.node, ...(uid === undefined ? {} : { uid }) },
    note: `${plan.id}: ${said} (applied by ${actor}, planned by ${plan.author})`.slice(0, MAX_NOTE_CHARS),
    type: isFailed ? 'Warning' : 'Normal',
  });
  if (sent.kind !== 'done') context.say(`the Event about ${step.id} was not written: ${sent.message}`);
}

/** Only while the plan is announced on the node: after it nothing of ours is to stay but the time of the restart. */
async function annotate(context: ActContext, step: PlanStep, how: 'began' | StepOutcome): Promise<void> {
  const { kind, node } = step;
  if (node === null || UNMARKED.has(kind)) return;
  const { plan, clock, actor } = context;
  const at = new Date(clock.now() * 1000).toISOString();
  const text = `${kind} ${how} ${at}, applied by ${actor}, planned by ${plan.author}`;
  const written = await context.actions.patchNode(node, {
    metadata: { annotations: { [STEP_ANNOTATION]: text } },
  });
  if (written.kind !== 'done') context.say(`the annotation about ${step.id} was not written: ${written.message}`);
}

/** Before the log says that it ended: other plans count on it, and a killed run must not leave it out. */
export async function markRestarted(context: ActContext, node: string): Promise<void> {
  const { actions, clock, plan, say } = context;
  const at = new Date(clock.now() * 1000).toISOString();
  const annotations = { [RESTARTED_ANNOTATION]: `${at} ${plan.id}` };
  const written = await rideOver(
    context,
    () => actions.patchNode(node, { metadata: { annotations } }),
    ({ kind }) => kind === 'lost',
  );
  if (written.kind !== 'done') say(`${node} could not be marked as restarted: ${written.message}`);
}
