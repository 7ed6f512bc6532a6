/** What is true of a node, as far as scoring needs it; a simulated kubelet has it, and a carrier with an injected leak. */
import type { Leak } from '../simulate/plan.ts';

export interface Truth {
  readonly seed: number;
  readonly target: string;
  readonly scenario: string;
  readonly hours: number;
  readonly leak: Leak | undefined;
  /** The level the leak comes on top of. */
  readonly level: number;
  readonly notes: Readonly<Record<string, string | number>>;
}

/** What is true at one time. */
export interface TruthNow {
  /** As the metric that was judged shows it. */
  leakPerHour(metric: string): number;
  readonly hoursToLimit: number | undefined;
}

/** An alarm that comes up this long after a leak has ended still tells of it. */
const NEW_ALARM_GRACE_HOURS = 72;
/** One that was up may stay this long. */
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
