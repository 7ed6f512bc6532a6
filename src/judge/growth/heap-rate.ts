/**
 * Rates of heap families with their sampling error, made sharper by what is known exactly.
 *
 *     profiles    family +11.8 MiB of +11.9 MiB in 20 s     sampled: off by a fifth with 24 samples
 *     MemStats    live heap +12.5 MiB                       counted
 *     rate        11.8 / 11.9 x 12.5 MiB in 20 s            off by what the rest of the heap may hide
 */
import type { Growth } from './growth.ts';

/** What a process's heap gained between the first profile and the last, sampled and counted. */
export interface HeapGain {
  readonly hours: number;
  readonly sampledBytes: number;
  /** What two collections left alive, counted; undefined where nothing tells. */
  readonly countedBytes: number | undefined;
}

/** 95 %. */
const Z = 1.96;
/** What a process allocates between a collection and the reading of MemStats. */
const COUNTING_ERROR_BYTES = 256 * 1024;
/** Counted and sampled that differ by more standard errors than this are not of the same heap. */
const MAX_DEVIATION = 4;
/** A family must be this share of the gain before the total's count tells about it. */
const MIN_SHARE = 0.5;

/** Growths of one process, with rates and their intervals. */
export function withHeapRates(growths: readonly Growth[], gain: HeapGain): Growth[] {
  const variance = growths.reduce((sum, { deltaError }) => sum + deltaError ** 2, 0);
  const factor = factorOf(gain, Math.sqrt(variance));
  return growths.map(growth => {
    const { perHour, delta, deltaError } = growth;
    if (perHour === undefined || gain.hours <= 0) return growth;
    const share = delta / gain.sampledBytes;
    if (factor === undefined || share < MIN_SHARE) return withRange(growth, perHour, deltaError / gain.hours);
    const part = Math.min(share, 1);
    const rest = Math.sqrt(Math.max(0, variance - deltaError ** 2));
    const error = Math.hypot((1 - part) * deltaError * factor, part * rest * factor, COUNTING_ERROR_BYTES);
    return withRange(growth, perHour * factor, error / gain.hours);
  });
}

function withRange(growth: Growth, perHour: number, errorPerHour: number): Growth {
  return { ...growth, perHour, perHourRange: [perHour - Z * errorPerHour, perHour + Z * errorPerHour] };
}

function factorOf({ sampledBytes, countedBytes }: HeapGain, sampledError: number): number | undefined {
  if (countedBytes === undefined || countedBytes <= 0 || sampledBytes <= 0) return undefined;
  const allowed = MAX_DEVIATION * Math.hypot(sampledError, COUNTING_ERROR_BYTES);
  return Math.abs(countedBytes - sampledBytes) <= allowed ? countedBytes / sampledBytes : undefined;
}
