/** -tree and -peek: each node between its callers and its callees. */
import { Failure } from '../../../base/failure.ts';
import { sortEdges, type GraphEdge } from '../graph/graph.ts';
import { trimmedGraph } from '../graph/trimmed-graph.ts';
import { percentage } from '../measurement.ts';
import { formatValue, type ReportContext } from './report-context.ts';
import { graphOptions } from './report-graph.ts';
import { reportLabels, selectOutputUnit } from './report-header.ts';

const SEPARATOR = '----------------------------------------------------------+-------------';
const LEGEND = '      flat  flat%   sum%        cum   cum%   calls calls% + context \t \t ';

export function treeReport(context: ReportContext): string {
  const { total, symbol } = context;
  const graph = trimmedGraph(graphOptions(context));
  const unit = selectOutputUnit(context, graph);
  const lines = [...reportLabels(context, graph, unit), SEPARATOR, LEGEND];
  const value = (amount: bigint): string => formatValue(context, amount, unit);
  const edgeLine = (edge: GraphEdge, cum: bigint, name: string): string =>
    `${value(edge.weight).padStart(50)} ${percentage(edge.weight, cum)} |   ${name}${edge.inline ? ' (inline)' : ''}`;

  let sum = 0n;
  let matched = 0;
  for (const node of graph.nodes) {
    if (symbol !== undefined && !symbol.matches(node.name)) continue;
    matched++;
    const { flatValue: flat, cumValue: cum } = node;
    sum = BigInt.asIntN(64, sum + flat);
    lines.push(SEPARATOR);
    for (const edge of sortEdges(node.in.values())) lines.push(edgeLine(edge, cum, edge.source.name));
    lines.push(
      `${value(flat).padStart(10)} ${percentage(flat, total)} ${percentage(sum, total)} ` +
        `${value(cum).padStart(10)} ${percentage(cum, total)}                | ${node.name}`,
    );
    for (const edge of sortEdges(node.out.values())) lines.push(edgeLine(edge, cum, edge.target.name));
  }
  if (graph.nodes.length > 0) lines.push(SEPARATOR);
  if (symbol !== undefined && matched === 0)
    throw new Failure('no-evidence', `no matches found for regexp: ${symbol.source}`);
  return lines.join('\n') + '\n';
}
