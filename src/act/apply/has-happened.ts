/**
 * Whether a step that began in an earlier run happened before that run was killed. The world decides, not the log.
 *
 *     request   the object is as the request makes it
 *     restart   the start time of the process moved; if not, what is left of the command is ended first
 *     others    are safe to do again: the lock, a drain (evictions carry UIDs), waiting
 */
import type { PlanStep } from '../plan/plan-step.ts';
import { type ActContext, type StepEnd, stop } from './act-context.ts';
import { hasMoved, readProcessStart, waitForRestart } from './process-start.ts';
import { removeLeftPod } from './restart-step.ts';
import { requestHolds } from './send-request.ts';

/** Undefined: it did not, and is to be done now. */
export async function hasHappened(
  context: ActContext,
  step: PlanStep,
  begunAt: number,
  startBefore: number | undefined,
): Promise<StepEnd | undefined> {
  if (step.kind === 'restart') return restartHappened(context, step, begunAt, startBefore);
  if (step.call.kind !== 'request') return undefined;
  const holds = await requestHolds(context, step.call);
  if (holds === undefined)
    return stop('no-answer', `${step.call.path} cannot be read: it is not known whether ${step.id} was done`);
  return holds ? { kind: 'done', detail: 'it was done before the interruption' } : undefined;
}

async function restartHappened(
  context: ActContext,
  step: PlanStep,
  begunAt: number,
  startBefore: number | undefined,
): Promise<StepEnd | undefined> {
  const { clock, journal, commands, signal, say } = context;
  if (startBefore === undefined)
    return stop('precondition', `the plan does not say when the kubelet of ${step.node} was started`);
  const connection = await context.kubelet(step.node ?? '');
  const read = (): Promise<number | string> => readProcessStart(connection);
  const done = (): StepEnd => ({
    kind: 'done',
    detail: `the kubelet of ${step.node} was restarted before the interruption`,
  });
  const start = await read();
  if (typeof start === 'number' && hasMoved(startBefore, start)) {
    await removeLeftPod(context, step);
    return done();
  }
  const began = journal.lastOf(step.id, 'command-began');
  const ended = journal.lastOf(step.id, 'command');
  // The command went to its end: the restart is on its way, or failed.
  const mayStillCome = step.call.kind !== 'command' || ended !== undefined || began === undefined;
  if (began !== undefined && ended === undefined && (await commands.endOrphan(began)))
    say(`ended the command of the interrupted run (pid ${began.pid})`);
  // A pod of ours goes on without us, and so does a command whose pid was not written any more.
  const until = mayStillCome ? begunAt + step.timeoutSeconds : clock.now() + SETTLE_SECONDS;
  if (await isCertainlyNotBegun(context, step)) return undefined;
  if (until > clock.now()) say(`waiting: ${step.id} may have begun before the interruption`);
  const seen = await waitForRestart({ clock, read, startBefore, untilSeconds: until, signal });
  if (seen.kind === 'stopped') return stop('interrupted', `stopped while waiting for ${step.node}`);
  await removeLeftPod(context, step);
  return seen.kind === 'restarted' ? done() : undefined;
}

/** The command may have reached the node just before it was ended. */
const SETTLE_SECONDS = 20;

/** A pod that was never created restarts nothing. */
async function isCertainlyNotBegun(context: ActContext, { id, call }: PlanStep): Promise<boolean> {
  if (call.kind !== 'pod') return false;
  const found = await context.actions.request({ method: 'GET', path: `${call.path}/${podName(call.manifest)}` });
  const wasSent = context.journal.lastOf(id, 'request') !== undefined;
  return found.kind === 'refused' && found.status === 404 && !wasSent;
}

function podName(manifest: unknown): string {
  const { metadata } = manifest as { readonly metadata?: { readonly name?: string } };
  return metadata?.name ?? '';
}
