/** -top and -text: a line per node. */
import type { GraphNode } from '../graph/graph.ts';
import { trimmedGraph } from '../graph/trimmed-graph.ts';
import { percentage } from '../measurement.ts';
import { formatValue, type ReportContext } from './report-context.ts';
import { graphOptions } from './report-graph.ts';
import { reportLabels, selectOutputUnit } from './report-header.ts';

export function textReport(context: ReportContext): string {
  const graph = trimmedGraph(graphOptions(context));
  const unit = selectOutputUnit(context, graph);
  const lines = [...reportLabels(context, graph, unit), '      flat  flat%   sum%        cum   cum%'];
  const { total } = context;
  let sum = 0n;
  for (const node of graph.nodes) {
    const { flatValue: flat, cumValue: cum } = node;
    sum = BigInt.asIntN(64, sum + flat);
    lines.push(
      `${formatValue(context, flat, unit).padStart(10)} ${percentage(flat, total)} ${percentage(sum, total)} ` +
        `${formatValue(context, cum, unit).padStart(10)} ${percentage(cum, total)}  ${node.name}${inlineMark(node)}`,
    );
  }
  return lines.join('\n') + '\n';
}

function inlineMark(node: GraphNode): string {
  let inline = false;
  let plain = false;
  for (const edge of node.in.values()) {
    if (edge.inline) inline = true;
    else plain = true;
  }
  if (!inline) return '';
  return plain ? ' (partial-inline)' : ' (inline)';
}
