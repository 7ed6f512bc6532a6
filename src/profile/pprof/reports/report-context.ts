/** What every report needs: the profile as filtered and aggregated, its total, and how to print a value. */
import { truncateToInt64 } from '../../../base/int64.ts';
import type { Profile } from '../../profile.ts';
import type { Weights } from '../tally.ts';
import { scaledLabel } from '../measurement.ts';
import type { PprofConfig, ReportName } from './config.ts';
import type { GoRegexp } from '../go-regexp.ts';
import type { GraphOptions } from '../trimmed-graph.ts';
import { pathTrimmer } from '../sample-index.ts';

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

/** The graph of a report, as its name and pprof's flags require. */
export function graphOptions({ report, profile, config, weights, labelUnits }: ReportContext): GraphOptions {
  const drawing = report === 'dot';
  const flat = report === 'text' || report === 'top' || report === 'topproto' || report === 'list';
  return {
    profile,
    weights,
    drawing,
    callTree: config.call_tree && (drawing || report === 'callgrind'),
    edges: flat ? 'inlined' : 'all',
    objectNames: report === 'list' || report === 'callgrind',
    trimPath: pathTrimmer(config.trim_path, config.source_path),
    sort: config.sort,
    nodeCount: config.nodecount,
    nodeFraction: config.nodefraction,
    edgeFraction: config.edgefraction,
    dropNegative: config.drop_negative,
    labelUnits,
    outputUnit: config.unit,
  };
}
