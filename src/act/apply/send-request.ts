/** Sends a request of a step and writes it to the log. */
import type { RequestCall } from '../plan/plan-step.ts';
import { listOf, recordOf, type JsonRecord } from '../../base/json.ts';
import { type ActContext, type StepEnd, stopFor } from './act-context.ts';
import type { ActionRequest, Outcome } from '../../live/ports.ts';

const LOST_TRIES = 4;
const LOST_PAUSE_SECONDS = 3;

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
  for (let attempt = 1; ; attempt++) {
    const outcome = await sendLogged(context, step, request);
    if (outcome.kind === 'done') return { kind: 'done', detail: '' };
    if (outcome.kind === 'lost' && attempt < LOST_TRIES && !context.signal.aborted) {
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
