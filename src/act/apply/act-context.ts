/** What the steps of an apply share: the context, the lock, and requests that are written to the log. */
import type { Plan } from '../plan/plan.ts';
import type { StepKind, RequestCall } from '../plan/plan-step.ts';
import type { StopReason } from '../../store/plan-log.ts';
import type { WatchClock } from '../../base/clock.ts';
import type { CommandRunner } from '../ports.ts';
import type { TargetConnection, ClusterActions, Outcome, ActionRequest } from '../../live/ports.ts';
import { type Journal, formatClock } from './journal.ts';
import { type LeaseLock, takeLock } from './lease-lock.ts';
import { listOf, recordOf, type JsonRecord } from '../../base/json.ts';
import { formatAge } from '../../base/say.ts';

export interface ActPorts {
  readonly actions: ClusterActions;
  readonly clock: WatchClock;
  readonly commands: CommandRunner;
  /** To the kubelet's metrics. */
  readonly kubelet: (node: string) => Promise<TargetConnection>;
  /** A line for the terminal. */
  readonly say: (line: string) => void;
}

export interface ActContext extends ActPorts {
  readonly plan: Plan;
  readonly journal: Journal;
  /** Who applies it. */
  readonly actor: string;
  readonly holder: string;
  readonly hasEnded: (holder: string) => boolean;
  readonly signal: AbortSignal;
  /** Nodes that were begun within the budget of the hour, and are not restarted yet. */
  readonly begun: Set<string>;
  /** Set by the step that takes it. */
  lock: LeaseLock | undefined;
}

export type StepEnd =
  | { readonly kind: 'done'; readonly detail: string }
  | { readonly kind: 'stop'; readonly why: StopReason; readonly detail: string };

export function stop(why: StopReason, detail: string): StepEnd {
  return { kind: 'stop', why, detail };
}

/** What the API server's answer means for a step. */
export function stopFor(outcome: Exclude<Outcome<unknown>, { kind: 'done' }>, what: string): StepEnd {
  if (outcome.kind === 'lost') return stop('no-answer', `${what}: the API server does not answer: ${outcome.message}`);
  return stop(outcome.status === 403 ? 'forbidden' : 'failure', `${what}: ${outcome.message}`);
}

export const STEP_VERBS: Readonly<Record<StepKind, string>> = {
  lock: 'Lock',
  announce: 'Announce',
  cordon: 'Cordon',
  drain: 'Drain',
  restart: 'KubeletRestart',
  'wait-ready': 'WaitReady',
  'delete-node': 'DeleteNode',
  uncordon: 'Uncordon',
  withdraw: 'Withdraw',
  verify: 'Verify',
  unlock: 'Unlock',
};

const PAUSE_SECONDS = 2;

/** Takes the lock, and waits for that of an interrupted run of the same plan. */
export async function takeStepLock(context: ActContext, durationSeconds: number): Promise<StepEnd> {
  const { plan, actions, clock, holder, hasEnded, signal, say } = context;
  const until = clock.now() + 2 * durationSeconds;
  let hasSaid = false;
  for (;;) {
    const taken = await takeLock(actions, clock, {
      ...plan.policy.lock,
      durationSeconds,
      holder,
      hasEnded,
      signal,
      onWait: (other, seconds) =>
        say(`${other} has not renewed the lock; taking it if it stays so for ${formatAge(seconds)}`),
    });
    if (taken.kind === 'taken') {
      context.lock = taken.lock;
      taken.lock.keepRenewing();
      return { kind: 'done', detail: '' };
    }
    if (taken.kind === 'failed') return stopFor(taken.outcome, 'the lock cannot be taken');
    if (signal.aborted) return stop('interrupted', 'stopped');
    const isOfThisPlan = taken.holder.startsWith(`${plan.id}@`);
    if (!isOfThisPlan || clock.now() > until)
      return stop(
        'failure',
        `${taken.holder} holds the lock, until ${formatClock(taken.freeAtSeconds)} unless it is renewed; its run ends with oakum apply or oakum plan abort of ${taken.holder.replace(/@.*/, '')}`,
      );
    if (!hasSaid) say(`waiting for the lock of ${taken.holder}, an interrupted run of this plan`);
    hasSaid = true;
    await clock.sleep(PAUSE_SECONDS, signal);
    if (signal.aborted) return stop('interrupted', 'stopped');
  }
}

/** An API server that restarts is back by then; the lock is lost soon after. */
export const SILENT_SECONDS = 45;
const LOST_PAUSE_SECONDS = 3;

/** Asks again while nothing answers, for as long as an API server takes to restart. */
export async function rideOver<T>(
  { clock, signal, say }: Pick<ActContext, 'clock' | 'signal' | 'say'>,
  read: () => Promise<T>,
  isSilent: (read: T) => boolean,
): Promise<T> {
  const from = clock.now();
  for (let attempt = 1; ; attempt++) {
    const found = await read();
    if (!isSilent(found) || signal.aborted || clock.now() - from > SILENT_SECONDS) return found;
    if (attempt === 1) say(`the API server does not answer; asking again for up to ${formatAge(SILENT_SECONDS)}`);
    await clock.sleep(LOST_PAUSE_SECONDS, signal);
  }
}

/** Sends a request of a step and writes it to the log. */
export async function sendLogged(context: ActContext, step: string, request: ActionRequest): Promise<Outcome> {
  const outcome = await context.actions.request(request);
  if (request.method !== 'GET') await logRequest(context, step, request, outcome);
  return outcome;
}

async function logRequest(
  { journal }: ActContext,
  step: string,
  { method, path }: Pick<ActionRequest, 'method' | 'path'>,
  outcome: Outcome,
): Promise<void> {
  const [status, answer] =
    outcome.kind === 'done' ? [200, 'done'] : [outcome.kind === 'refused' ? outcome.status : null, outcome.message];
  await journal.write({ kind: 'request', step, method, path, status, answer });
}

/** A patch that may have arrived is repeated only if the world does not show it. */
export async function runRequest(context: ActContext, step: string, call: RequestCall): Promise<StepEnd> {
  const request: ActionRequest = {
    method: call.method,
    path: call.path,
    body: call.body ?? undefined,
    ...(call.contentType === null ? {} : { contentType: call.contentType }),
  };
  const from = context.clock.now();
  for (;;) {
    const outcome = await sendLogged(context, step, request);
    if (outcome.kind === 'done') return { kind: 'done', detail: '' };
    if (outcome.kind === 'lost' && context.clock.now() - from < SILENT_SECONDS && !context.signal.aborted) {
      await context.clock.sleep(LOST_PAUSE_SECONDS, context.signal);
      if ((await requestHolds(context, call)) === true)
        return { kind: 'done', detail: 'the answer was lost on the way' };
      continue;
    }
    if (call.method === 'DELETE' && outcome.kind === 'refused' && outcome.status === 404)
      return { kind: 'done', detail: 'it was gone already' };
    return stopFor(outcome, `${call.method} ${call.path}`);
  }
}

/** Whether the world is as the request would make it; undefined if that cannot be read. */
export async function requestHolds({ actions }: ActContext, call: RequestCall): Promise<boolean | undefined> {
  const found = await actions.request({ method: 'GET', path: call.path });
  if (found.kind === 'refused' && found.status === 404) return call.method === 'DELETE';
  if (found.kind !== 'done') return undefined;
  if (call.method === 'DELETE') {
    const wanted = recordOf(recordOf(call.body)['preconditions'])['uid'];
    return wanted !== undefined && recordOf(found.value['metadata'])['uid'] !== wanted;
  }
  return call.method === 'PATCH' && patchHolds(found.value, recordOf(call.body));
}

/** Whether a merge patch would change nothing. `resourceVersion` is a condition, not a change. */
function patchHolds(object: JsonRecord, patch: JsonRecord): boolean {
  return Object.entries(patch).every(([key, wanted]) => {
    if (key === 'resourceVersion' || key === 'uid') return true;
    const now = object[key];
    // The API server leaves `false` and empty values out.
    if (wanted === null || wanted === false) return now === undefined || now === null || now === false;
    if (Array.isArray(wanted)) return JSON.stringify(listOf(now)) === JSON.stringify(wanted);
    if (typeof wanted === 'object') return patchHolds(recordOf(now), recordOf(wanted));
    return now === wanted;
  });
}
