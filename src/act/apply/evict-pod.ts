/** Evicts one pod: the pod with this UID and no other, however often its name is used again. */
import { formatAge } from '../../base/quantities.ts';
import type { StopReason } from '../../store/plan-log.ts';
import type { WatchClock } from '../../base/clock.ts';
import type { ClusterActions, Outcome, PodIdentity, Refused } from '../../live/cluster-actions.ts';

export interface EvictOptions {
  readonly gracePeriodSeconds: number | null;
  /** How long a refusal by a budget is tried again. */
  readonly retrySeconds: number;
  readonly signal: AbortSignal;
  /** It left the node meanwhile. */
  readonly isGone: () => boolean;
  /** A budget refuses it, for now. */
  readonly onRefused: (budget: string, message: string) => void;
}

export type Evicted =
  | { readonly kind: 'evicted' | 'gone' | 'replaced' | 'stopped' }
  /** Another deletes it: its namespace ends. */
  | { readonly kind: 'ends-anyway' }
  | { readonly kind: 'refused'; readonly detail: string; readonly why: WhyNotDrained };

/** As in the log. */
export type WhyNotDrained = Extract<StopReason, 'failure' | 'forbidden' | 'no-answer'>;

const PAUSE_SECONDS = 5;
const MAX_PAUSE_SECONDS = 20;
const MAX_LOST = 5;

export async function evictPod(
  actions: ClusterActions,
  clock: WatchClock,
  pod: PodIdentity,
  { gracePeriodSeconds, retrySeconds, signal, isGone, onRefused }: EvictOptions,
): Promise<Evicted> {
  const until = clock.now() + retrySeconds;
  let pause = PAUSE_SECONDS;
  let lost = 0;
  for (;;) {
    if (signal.aborted) return { kind: 'stopped' };
    if (isGone()) return { kind: 'gone' };
    const answer = await actions.evict(pod, gracePeriodSeconds === null ? {} : { gracePeriodSeconds });
    if (answer.kind === 'done') return { kind: 'evicted' };
    if (answer.kind === 'lost') {
      // The UID makes it safe to ask again, whether or not the first request arrived.
      if (++lost > MAX_LOST)
        return { kind: 'refused', why: 'no-answer', detail: `the API server does not answer: ${answer.message}` };
      await clock.sleep(pause, signal);
      continue;
    }
    const settled = settledBy(answer);
    if (settled !== undefined) return settled;
    const budget = budgetNamed(answer);
    onRefused(budget, detailOf(answer));
    const wait =
      answer.retryAfterSeconds !== undefined && answer.retryAfterSeconds > 0 ? answer.retryAfterSeconds : pause;
    if (clock.now() + wait > until)
      return {
        kind: 'refused',
        why: 'failure',
        detail: `${budget === '' ? 'a PodDisruptionBudget' : `the PodDisruptionBudget ${budget}`} refused it for ${formatAge(retrySeconds)}: ${detailOf(answer)}`,
      };
    await clock.sleep(wait, signal);
    pause = Math.min(MAX_PAUSE_SECONDS, pause * 1.5);
  }
}

/** Undefined if it is worth another try. */
function settledBy(answer: Refused): Evicted | undefined {
  switch (answer.status) {
    case 404:
      return { kind: 'gone' };
    // The UID does not match: another pod has the name now, maybe on another node.
    case 409:
      return { kind: 'replaced' };
    case 429:
      return undefined;
    case 403:
      if (answer.causes.some(({ reason }) => reason === 'NamespaceTerminating')) return { kind: 'ends-anyway' };
      return { kind: 'refused', why: 'forbidden', detail: answer.message };
    default:
      // With two budgets for one pod the server says 500, and always will.
      return { kind: 'refused', why: 'failure', detail: answer.message };
  }
}

function detailOf({ causes, message }: Refused): string {
  return causes.find(({ reason }) => reason === 'DisruptionBudget')?.message ?? message;
}

/** "The disruption budget web needs 2 healthy pods and has 2 currently": '' if no budget is named. */
export function budgetNamed(answer: Refused): string {
  return /disruption budget (\S+) /i.exec(detailOf(answer))?.[1] ?? '';
}

export function whyNotDrained(outcome: Exclude<Outcome, { kind: 'done' }>): WhyNotDrained {
  if (outcome.kind === 'lost') return 'no-answer';
  return outcome.status === 403 ? 'forbidden' : 'failure';
}

export function lostOrRefused(outcome: Exclude<Outcome, { kind: 'done' }>): string {
  return outcome.kind === 'lost' ? `the API server does not answer: ${outcome.message}` : outcome.message;
}
