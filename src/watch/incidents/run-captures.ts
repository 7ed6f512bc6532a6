/** Takes captures when a trigger fires, stores them and analyses them. */
import { formatSeconds } from '../../base/say.ts';
import { oneLine } from '../../base/text-layout.ts';
import { clusterOf } from '../../evidence/target.ts';
import type { Explanation } from '../../live/doctor/explanation.ts';
import { reasonNotToCollect } from '../../live/capture/capture-steps.ts';
import { type CaptureWish, captureWish, isRoutineDue, type LastCapture } from '../state/capture-policy.ts';
import { addToIncident, newCaptureId } from './add-captures.ts';
import { takeEvidence } from './take-capture.ts';
import type { WatchedTarget } from '../state/watched-target.ts';
import type { WatchState } from '../state/watch-state.ts';
import type { StoredCapture } from '../../store/records.ts';
import { logEvent } from '../state/story.ts';

/** After each sample, and when something is suspected. */
export function considerCapture(state: WatchState, target: WatchedTarget): void {
  const { ports, budget } = state;
  if (
    !isCaptureAllowed(state, target) ||
    target.connection === undefined ||
    target.captures.isBeingTaken ||
    // What was captured before is not known yet.
    target.phase.isUnread ||
    state.stopping.aborted
  )
    return;
  const now = ports.clock.now();
  const wish = wishOf(target, now, state) ?? routineWish(target, now, state);
  if (wish === undefined) return;
  if (wish.trigger !== 'routine' && !budget.spend(now, wish.trigger, clusterOf(target.name)))
    return void state.counters.putOffCaptures++;
  const work = takeCapture(state, target, wish).then(() => void state.working.delete(work));
  state.working.add(work);
}

function wishOf(target: WatchedTarget, now: number, { options }: WatchState): CaptureWish | undefined {
  const { samples, worst } = target;
  const { startSeconds } = samples;
  return captureWish(
    {
      now,
      lifeSeconds: startSeconds === undefined ? undefined : now - startSeconds,
      goroutines: samples.goroutines,
      liveHeapBytes: samples.liveHeapBytes,
      memoryBytes: samples.memoryBytes,
      memoryLimitBytes: target.memoryLimitBytes,
      cpuCores: samples.cpuCores,
      verdict: target.verdict?.verdict ?? 'unknown',
      hoursToLimit: worst?.timeToLimitHours?.[0],
      captures: target.captures.taken,
    },
    options.policy,
  );
}

function routineWish(target: WatchedTarget, now: number, state: WatchState): CaptureWish | undefined {
  const { startSeconds, cpuCores } = target.samples;
  const { lastHeapAt } = target.captures;
  const lifeSeconds = startSeconds === undefined ? undefined : now - startSeconds;
  const { options, targets, routineBudget } = state;
  if (!isRoutineDue({ now, lifeSeconds, cpuCores, lastHeapAt }, options.policy)) return undefined;
  if (!routineBudget.spend(now, targets.size)) return undefined;
  return { trigger: 'routine', reason: 'to know what it keeps' };
}

function isCaptureAllowed({ options }: WatchState, { name }: WatchedTarget): boolean {
  return options.capturesAllowed && options.clustersWithoutCapture?.has(clusterOf(name) ?? '') !== true;
}

const ASKED_COOLDOWN_SECONDS = 30;

/** Why a person cannot have a capture now, with the next step. */
function refusalOf(state: WatchState, target: WatchedTarget): string | undefined {
  const { name } = target;
  if (!state.options.capturesAllowed) return 'captures are off; start oakum watch with --capture to allow them';
  if (!isCaptureAllowed(state, target))
    return `captures are off for the cluster ${clusterOf(name)}, by the file of --config`;
  if (target.connection === undefined) return `${name} has no profiles`;
  if (target.captures.isBeingTaken) return `evidence of ${name} is being taken; wait until it is done`;
  const last = target.captures.taken.at(-1);
  const wait = last === undefined ? 0 : last.at + ASKED_COOLDOWN_SECONDS - state.ports.clock.now();
  return wait > 0
    ? `evidence of ${name} was taken just now; try again in ${formatSeconds(Math.ceil(wait))}`
    : undefined;
}

export type CaptureReply = { readonly captureId: string } | { readonly refused: string };

/** A capture that a person or an alert asks for. */
export async function captureOnRequest(
  state: WatchState,
  target: WatchedTarget,
  reason: string,
): Promise<CaptureReply> {
  const refusal = refusalOf(state, target);
  if (refusal !== undefined) return { refused: refusal };
  state.budget.spend(state.ports.clock.now(), 'asked for', clusterOf(target.name));
  const capture = await takeCapture(state, target, { trigger: 'asked for', reason });
  if (capture !== undefined) return { captureId: capture.id };
  const { name } = target;
  return {
    refused: `nothing could be taken; the timeline of ${name} says why, and oakum doctor ${name} says what to do`,
  };
}

/** Undefined when it failed; the timeline says why. */
async function takeCapture(
  state: WatchState,
  target: WatchedTarget,
  { trigger, reason }: CaptureWish,
): Promise<StoredCapture | undefined> {
  const { ports, counters, options } = state;
  const { samples } = target;
  if (target.connection === undefined) return undefined;
  target.captures.isBeingTaken = true;
  const at = ports.clock.now();
  // Later triggers are measured from this attempt even if it fails, so that a target that refuses is left alone.
  const seen: LastCapture = {
    at,
    trigger,
    goroutines: samples.goroutines,
    liveHeapBytes: samples.liveHeapBytes,
    memoryBytes: samples.memoryBytes,
  };
  const { startSeconds } = samples;
  let isClaimed = false;
  try {
    isClaimed = (await ports.exchange?.claimCapture(target.name, CLAIM_SECONDS)) ?? false;
    if (ports.exchange !== undefined && !isClaimed) throw new Error('another replica takes evidence of it right now');
    const taken = await takeEvidence(target.connection, {
      ...ports,
      oakumVersion: options.oakumVersion,
      gc: options.gc && reasonNotToCollect(samples.liveHeapBytes) === undefined,
      only: trigger === 'routine' ? ['heap'] : undefined,
      signal: state.stopping,
    });
    if (taken.kind === 'nothing') {
      noteMissingRight(state, target, taken.failure);
      throw new Error(taken.why);
    }
    state.missingRights.clear(CAPTURES, clusterOf(target.name));
    const id = newCaptureId(state, at);
    const capture = await ports.store
      .addCapture({
        id,
        target: target.name,
        at,
        trigger,
        reason,
        processStartSeconds: taken.processStartSeconds ?? startSeconds,
        files: taken.files,
      })
      .finally(() => void state.newCaptureIds.delete(id));
    counters.captures++;
    state.captures.set(capture.id, capture);
    if (trigger === 'routine') for (const old of target.captures.addRoutine(capture.id)) state.captures.delete(old);
    else {
      ports.store.put({
        kind: 'event',
        record: { target: target.name, at, kind: 'capture', text: `${trigger}: ${reason}` },
      });
      logEvent(state, at, target.name, `evidence taken (${trigger}: ${reason})`);
    }
    await addToIncident(state, target, [capture], { at, text: `${trigger}: ${reason}` });
    return capture;
  } catch (error) {
    if (state.stopping.aborted) return undefined;
    counters.failedCaptures++;
    // Not logged: another routine profile follows, and the cause may affect every target.
    if (trigger === 'routine') return undefined;
    const text = `no evidence could be taken (${trigger}): ${oneLine((error as Error).message)}`;
    ports.store.put({ kind: 'event', record: { target: target.name, at, kind: 'note', text } });
    logEvent(state, at, target.name, text);
    return undefined;
  } finally {
    if (isClaimed) await ports.exchange?.releaseCapture(target.name).catch(() => {});
    target.captures.add(seen);
    target.captures.isBeingTaken = false;
    state.emit({ kind: 'target', target: target.name, at: ports.clock.now() });
  }
}

/** Longer than any capture takes; it is released before, unless the process dies. */
const CLAIM_SECONDS = 300;
/** The key among the missing rights. */
const CAPTURES = 'captures';

function noteMissingRight(
  { missingRights, ports }: WatchState,
  { name }: WatchedTarget,
  failure: Explanation | undefined,
): void {
  if (failure === undefined || (failure.kind !== 'forbidden' && failure.kind !== 'unauthorized')) return;
  const { sentence, nextStep } = failure;
  const what = `no evidence can be taken: ${sentence}`;
  const right = { why: 'forbidden', what, command: nextStep } as const;
  missingRights.note(CAPTURES, right, ports.clock.now(), clusterOf(name));
}
