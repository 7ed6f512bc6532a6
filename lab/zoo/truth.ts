/** NAME.truth.json beside each recording. */
import type { Truth } from './members.ts';

export interface TruthFile {
  readonly truth: Truth;
  readonly kind: string;
  readonly what: string | null;
  /** When its first set was taken; recordings of others have no age. */
  readonly ageMinutes?: number;
  readonly residentBytes?: number;
  /** What the program counted itself: `leaked` must not be 0 for a leak, and 0 for what is healthy. */
  readonly counted?: unknown;
}
