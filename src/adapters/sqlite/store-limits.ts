import type { CaptureLimits } from '../../formats/watch-store/capture-retention.ts';
import type { RetentionLimits } from './sample-retention.ts';

export interface StoreLimits extends RetentionLimits, CaptureLimits {
  /** Memory for samples and records that wait while the disk refuses. */
  readonly maxWaitingBytes: number;
}

const MIB = 1024 * 1024;

export const DEFAULT_LIMITS: StoreLimits = {
  rawDays: 2,
  // As far as detectors look back, plus a day.
  fiveMinuteDays: 15,
  hourDays: 400,
  recordDays: 400,
  maxDatabaseBytes: 8192 * MIB,
  maxBytesPerTarget: 256 * MIB,
  maxBytes: 8192 * MIB,
  maxWaitingBytes: 64 * MIB,
};
