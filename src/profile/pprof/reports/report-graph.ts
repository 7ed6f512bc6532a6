/** The graph of a report, as its name and pprof's flags require. */
import type { GraphOptions } from '../graph-options.ts';
import type { ReportContext } from './report-context.ts';
import { pathTrimmer } from '../sample-index.ts';

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
