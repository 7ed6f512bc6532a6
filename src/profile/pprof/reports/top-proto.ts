/** -topproto: the nodes of -top as a profile of their own, with cum and flat values. */
import { truncateToInt64 } from '../../../base/int64.ts';
import { ProfileBuilder } from '../../profile-builder.ts';
import type { Profile } from '../../profile.ts';
import { trimmedGraph } from '../graph/trimmed-graph.ts';
import { scale } from '../measurement.ts';
import type { ReportContext } from './report-context.ts';
import { graphOptions } from './report-graph.ts';
import { selectOutputUnit } from './report-header.ts';

export function topProfile(context: ReportContext): Profile {
  const { profile, sampleUnit } = context;
  const graph = trimmedGraph(graphOptions(context));
  const unit = selectOutputUnit(context, graph);
  const builder = new ProfileBuilder([
    { type: 'cum', unit },
    { type: 'flat', unit },
  ]);
  const scaled = (value: bigint): bigint => truncateToInt64(scale(value, sampleUnit, unit).value);
  for (const node of graph.nodes) {
    const { name, file, startLine, line, column, address } = node.info;
    const fn = builder.internFunction(name, file, '', startLine);
    const location = builder.addLocation({ address, lines: [{ fn, line, column }] });
    builder.addSample([location], [scaled(node.cumValue), scaled(node.flatValue)]);
  }
  const { timeNanos, durationNanos, periodType, period } = profile;
  return builder.finish({ timeNanos, durationNanos, periodType, period });
}
