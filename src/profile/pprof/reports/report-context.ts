/** What every report needs: the profile as filtered and aggregated, its total, and how to print a value. */
import { truncateToInt64 } from '../../../base/int64.ts';
import type { Profile } from '../../profile.ts';
import type { Weights } from '../tally.ts';
import { scaledLabel } from '../measurement.ts';
import type { PprofConfig, ReportName } from './config.ts';
import type { GoRegexp } from '../go-regexp.ts';

export interface ReportContext {
  readonly report: ReportName;
  readonly profile: Profile;
  readonly config: PprofConfig;
  readonly weights: Weights;
  /** The total for percentages. */
  readonly total: bigint;
  readonly sampleType: string;
  readonly sampleUnit: string;
  readonly labelUnits: ReadonlyMap<string, string>;
  /** The expression of -list and -peek. */
  readonly symbol: GoRegexp | undefined;
}

export function ratioOf(context: ReportContext): number {
  return 1 / context.config.divide_by;
}

/** Prints a sample value in `outputUnit`, after -divide_by. */
export function formatValue(context: ReportContext, value: bigint, outputUnit: string): string {
  return scaledLabel(divided(context, value), context.sampleUnit, outputUnit);
}

export function divided(context: ReportContext, value: bigint): bigint {
  const ratio = ratioOf(context);
  return ratio > 0 && ratio !== 1 ? truncateToInt64(Number(value) * ratio) : value;
}
