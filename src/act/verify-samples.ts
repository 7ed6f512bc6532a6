import type { VerifySample } from './verify/plan-verification.ts';

/** Scrapes of a plan's nodes, kept beside the plan so that verifying again knows what was seen before. */
export interface VerifySamples {
  /** In order of time. */
  read(): Promise<readonly VerifySample[]>;
  append(sample: VerifySample): Promise<void>;
}
