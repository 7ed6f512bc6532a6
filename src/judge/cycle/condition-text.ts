import type { ConditionObservation } from '../../evidence/cycle/cycle.ts';

/** `Ready is False since 2026-11-15T07:12:25Z: KubeletNotReady, PLEG is not healthy`, as far as it says why. */
export function conditionText({ type, status, reason, message }: ConditionObservation, since = ''): string {
  const why = [reason, message.slice(0, 160)].filter(text => text !== '').join(', ');
  return `${type} is ${status}${since}${why === '' ? '' : `: ${why}`}`;
}
