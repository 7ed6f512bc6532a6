/**
 * When a node has the condition `KubeletLeaking`.
 *
 *     leak proved      -> True, after a restart only when it is known that it came back
 *     restarted since  -> False, reason Restarted    at once: who acts on the condition must not act twice
 *     healthy          -> False, reason NotLeaking
 *     otherwise        -> stays as it is: a suspicion or a silent target proves nothing
 */
import type { NodeStanding } from '../fleet/node-standing.ts';

export interface CurrentCondition {
  readonly status: string;
  /** Unix seconds; NaN if it has none. */
  readonly sinceSeconds: number;
  readonly heartbeatSeconds: number;
  readonly reason: string;
  readonly message: string;
}

export interface WantedCondition {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** A clock of a node may differ from that of the API server by so much. */
const CLOCK_SECONDS = 2;
const MAX_MESSAGE = 500;

/** Undefined: nothing is to change. */
export function decideCondition(
  { verdict, sentence, leakRef, incidentId, startSeconds, isOfThisLife }: NodeStanding,
  current: CurrentCondition | undefined,
  idOfLeak: (ref: string) => string | undefined,
): WantedCondition | undefined {
  const isSet = current?.status === 'True';
  const about = incidentId === null ? '' : ` (incident ${incidentId})`;
  if (verdict === 'leak' && isOfThisLife) {
    const reason = (leakRef === null ? undefined : idOfLeak(leakRef)) ?? 'LeakProved';
    const known = leakRef === null ? '' : `${leakRef}: `;
    return { status: 'True', reason, message: `${known}${sentence}${about}`.slice(0, MAX_MESSAGE) };
  }
  if (!isSet) return undefined;
  if (startSeconds !== null && startSeconds > current.sinceSeconds + CLOCK_SECONDS) {
    const at = new Date(startSeconds * 1000).toISOString();
    const message = `the kubelet was restarted at ${at}; whether the leak came back is not known yet${about}`;
    return { status: 'False', reason: 'Restarted', message };
  }
  return verdict === 'healthy'
    ? { status: 'False', reason: 'NotLeaking', message: sentence.slice(0, MAX_MESSAGE) }
    : undefined;
}
