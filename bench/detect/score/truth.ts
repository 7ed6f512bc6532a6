/** The truth about a node, as far as scoring needs it; for a simulated kubelet or a carrier with an injected leak. */
import type { Leak } from '../simulate/plan.ts';

export interface Truth {
  readonly seed: number;
  readonly target: string;
  readonly scenario: string;
  readonly hours: number;
  readonly leak: Leak | undefined;
  /** The level below the leak. */
  readonly level: number;
  readonly notes: Readonly<Record<string, string | number>>;
}

/** The truth at one time. */
export interface TruthNow {
  /** In terms of the metric that was judged. */
  leakPerHour(metric: string): number;
  readonly hoursToLimit: number | undefined;
}

/** An alarm that begins this long after a leak has ended still counts for it. */
const NEW_ALARM_GRACE_HOURS = 72;
/** One that was on may stay on this long. */
const OLD_ALARM_GRACE_HOURS = 168;

export function alarmIsTrue({ leak }: Truth, atHours: number, since: number): boolean {
  if (leak === undefined || atHours < leak.onsetHours) return false;
  const wasUp = since < leak.stopHours + NEW_ALARM_GRACE_HOURS;
  return atHours < leak.stopHours + (wasUp ? OLD_ALARM_GRACE_HOURS : NEW_ALARM_GRACE_HOURS);
}

/** Hours of the record in which an alarm would be false. */
export function healthyHours({ leak, hours }: Truth): number {
  if (leak === undefined) return hours;
  const leaking = Math.min(hours, leak.stopHours + NEW_ALARM_GRACE_HOURS) - Math.max(0, leak.onsetHours);
  return hours - Math.max(0, leaking);
}
