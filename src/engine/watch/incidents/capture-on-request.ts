/** A capture that a person or an alert asks for. */
import type { WatchedTarget } from '../state/watched-target.ts';
import type { WatchState } from '../state/watch-state.ts';
import { takeCapture } from './run-captures.ts';

const ASKED_COOLDOWN_SECONDS = 30;

export type CaptureReply = { readonly captureId: string } | { readonly refused: string };

export async function captureOnRequest(
  state: WatchState,
  target: WatchedTarget,
  reason: string,
): Promise<CaptureReply> {
  const refusal = refusalOf(state, target);
  if (refusal !== undefined) return { refused: refusal };
  state.budget.spend(state.ports.clock.now(), 'asked for');
  const capture = await takeCapture(state, target, { trigger: 'asked for', reason });
  if (capture !== undefined) return { captureId: capture.id };
  const { name } = target;
  return {
    refused: `nothing could be taken; the timeline of ${name} says why, and oakum doctor ${name} says what to do`,
  };
}

function refusalOf({ options, ports }: WatchState, target: WatchedTarget): string | undefined {
  if (!options.capturesAllowed) return 'captures are off; start oakum watch with --capture to allow them';
  if (target.connection === undefined) return `${target.name} has no profiles`;
  if (target.isCapturing) return `evidence of ${target.name} is being taken; wait until it is done`;
  const last = target.captures.at(-1);
  const wait = last === undefined ? 0 : last.at + ASKED_COOLDOWN_SECONDS - ports.clock.now();
  return wait > 0 ? `evidence of ${target.name} was taken just now; try again in ${Math.ceil(wait)} s` : undefined;
}
