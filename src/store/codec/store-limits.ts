import type { CaptureLimits } from './capture-retention.ts';
import { FIVE_MINUTES, type Level, RAW } from './chunk.ts';
import { FormatError } from '../../base/errors.ts';
import { optionalNumber, parseJson, recordOf } from '../../base/json.ts';

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

/**
 * PostgreSQL's text has no NUL, and no half of a pair of surrogates. Those that come from outside are replaced, the same
 * when text is written and when it is looked up.
 */
export function storable(text: string): string {
  return /[\0\p{Surrogate}]/u.test(text) ? text.replaceAll('\0', '\u2400').replace(/\p{Surrogate}/gu, '\ufffd') : text;
}

/** Compression for those who read and write these bytes: `node:zlib`, or something like it. */
export interface Zlib {
  deflateSync(bytes: Uint8Array, options?: { readonly level?: number }): Uint8Array;
  inflateSync(bytes: Uint8Array, options: { readonly maxOutputLength: number }): Uint8Array;
}

const MAX_INFLATED_BYTES = 256 * 1024 * 1024;

/** Its checksum detects damage. Throws a FormatError. */
export function inflate(zlib: Zlib, bytes: Uint8Array): Uint8Array {
  try {
    return zlib.inflateSync(bytes, { maxOutputLength: MAX_INFLATED_BYTES });
  } catch (error) {
    throw new FormatError('it cannot be inflated', { cause: error });
  }
}

/** Undefined, after calling `onDamage`, if it is damaged. */
export function ifWhole<T>(read: () => T, onDamage: () => void): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    onDamage();
    return undefined;
  }
}

/**
 * Whether the clock can be trusted to tell what is old. One wrong jump ahead would make all history a year old; so after
 * a jump, nothing is deleted for its age until the clock has run evenly for a day.
 *
 *     now      100   160   220   31_536_220   31_536_280 ...   31_622_620
 *     steady   yes   yes   yes   no           no               yes
 */
const BACK_SECONDS = 3_600;
const AHEAD_SECONDS = 86_400;
const PROBATION_SECONDS = 86_400;

export interface ClockState {
  /** The last time that it was read; undefined before the first. */
  readonly now: number | undefined;
  /** When it last jumped. */
  readonly jumpedAt: number | undefined;
}

export const NEW_CLOCK: ClockState = { now: undefined, jumpedAt: undefined };

export function parseClockState(text: string): ClockState {
  const { now, jumpedAt } = recordOf(parseJson(text));
  return { now: optionalNumber(now), jumpedAt: optionalNumber(jumpedAt) };
}

export function lookAtClock(state: ClockState, now: number): ClockState {
  const passed = state.now === undefined ? 0 : now - state.now;
  const jumped = passed < -BACK_SECONDS || passed > AHEAD_SECONDS;
  return { now, jumpedAt: jumped ? now : state.jumpedAt };
}

export function isSteady({ now, jumpedAt }: ClockState): boolean {
  return now !== undefined && (jumpedAt === undefined || now - jumpedAt >= PROBATION_SECONDS);
}
