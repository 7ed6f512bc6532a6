import { DEFAULT_LIMITS, type StoreLimits } from '../../codec/store-limits.ts';

export interface SqliteLimits extends StoreLimits {
  /** The size of the database without freed pages. */
  readonly maxDatabaseBytes: number;
}

export const SQLITE_LIMITS: SqliteLimits = { ...DEFAULT_LIMITS, maxDatabaseBytes: 8192 * 1024 * 1024 };
