import type { CaptureLimits } from './capture-retention.ts';
import { FIVE_MINUTES, type Level, RAW } from './rollup.ts';

export interface RetentionLimits {
  readonly rawDays: number;
  readonly fiveMinuteDays: number;
  readonly hourDays: number;
  /** Events, verdict changes, and incidents that are closed. */
  readonly recordDays: number;
}

/** How much a store keeps, and for how long. */
export interface StoreLimits extends RetentionLimits, CaptureLimits {
  /** Memory for samples and records that wait while the disk or the database refuses. */
  readonly maxWaitingBytes: number;
}

const MIB = 1024 * 1024;

export const DEFAULT_LIMITS: StoreLimits = {
  rawDays: 2,
  // As far as detectors look back, plus a day.
  fiveMinuteDays: 15,
  hourDays: 400,
  recordDays: 400,
  maxBytesPerTarget: 256 * MIB,
  maxBytes: 8192 * MIB,
  maxWaitingBytes: 64 * MIB,
};

export function keptSeconds({ rawDays, fiveMinuteDays, hourDays }: RetentionLimits, level: Level): number {
  return 86_400 * (level === RAW ? rawDays : level === FIVE_MINUTES ? fiveMinuteDays : hourDays);
}
