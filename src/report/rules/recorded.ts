/** Names of recorded series, level:metric:operation: `oakum:goroutines:floor1h`. */
import type { Scope } from './scope.ts';

export function recorded({ level }: Scope, key: string, operation: string): string {
  return `${level}:${key}:${operation}`;
}

/** Seconds since the process started. */
export function ageOf({ level }: Scope): string {
  return `${level}:process_age_seconds`;
}

/** The value of a recorded series `days` ago, even if Prometheus was down for an hour then. */
export function daysAgo(name: string, days: number): string {
  return `last_over_time(${name}[2h] offset ${days}d)`;
}

/** Prometheus looks back five minutes for a sample: a series recorded less often would have gaps. */
export const RECORDING_INTERVAL = '3m';
