/** A capture that a person or an alert asks for. */
import { clusterOf } from '../../evidence/target.ts';
import type { WatchedTarget } from '../state/watched-target.ts';
import type { WatchState } from '../state/watch-state.ts';
import { refusalOf, takeCapture } from './run-captures.ts';

export type CaptureReply = { readonly captureId: string } | { readonly refused: string };

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
