/** -dot: the call graph for Graphviz. */
import { basename } from '../../../base/go-path.ts';
import { abs64 } from '../../../base/int64.ts';
import { edgeValue, sortEdges, type GraphEdge, type GraphNode } from '../graph/graph.ts';
import { nameComponents, type NodeInfo } from '../graph/node-table.ts';
import { trimmedGraph } from '../graph/trimmed-graph.ts';
import { percentage } from '../measurement.ts';
import { shortenFunctionName } from '../short-function-name.ts';
import { dotColor } from './dot-color.ts';
import { tagBoxes } from './dot-tags.ts';
import { formatValue, type ReportContext } from './report-context.ts';
import { graphOptions } from './report-graph.ts';
import { reportLabels, selectOutputUnit } from './report-header.ts';

export function dotReport(context: ReportContext): string {
  const graph = trimmedGraph(graphOptions(context));
  const unit = selectOutputUnit(context, graph);
  const value = (amount: bigint): string => formatValue(context, amount, unit);
  const { total } = context;
  const [main] = context.profile.mappings;
  const title = main === undefined || main.file === '' ? '' : basename(main.file);
  const out = [`digraph "${title || 'unnamed'}" {`, 'node [style=filled fillcolor="#f8f8f8"]'];
  out.push(legend(reportLabels(context, graph, unit, true), title));

  const numberOf = new Map(graph.nodes.map((node, i) => [node, i + 1]));
  const maxFlat = graph.nodes.reduce((max, node) => Math.max(max, Number(abs64(node.flatValue))), 0);
  const tagged = new Set<GraphNode>();
  const edges: GraphEdge[] = [];
  for (const node of graph.nodes) {
    const id = numberOf.get(node)!;
    out.push(`N${id} [${nodeAttributes(node, id, maxFlat, total, value)}]`);
    const boxes = tagBoxes(node, id, value);
    if (boxes.length > 0) tagged.add(node);
    out.push(...boxes);
    for (const edge of node.out.values()) edges.push(edge);
  }
  for (const edge of sortEdges(edges)) {
    const from = numberOf.get(edge.source) ?? 0;
    const to = numberOf.get(edge.target) ?? 0;
    out.push(`N${from} -> N${to} [${edgeAttributes(edge, total, value, tagged.has(edge.source))}]`);
  }
  out.push('}');
  return out.join('\n') + '\n';
}

function legend(labels: readonly string[], title: string): string {
  const text = labels.map(escapeForDot);
  const tooltip = title === '' ? '' : ` tooltip="${title}"`;
  return `subgraph cluster_L { "${text[0]}" [shape=box fontsize=16 label="${text.join('\\l')}\\l"${tooltip}] }`;
}

type Print = (value: bigint) => string;

function nodeAttributes(node: GraphNode, id: number, maxFlat: number, total: bigint, value: Print): string {
  const { flatValue: flat, cumValue: cum } = node;
  let label = multilineName(node.info);
  label += flat === 0n ? '0' : `${value(flat)} (${percentage(flat, total).trim()})`;
  let cumText = value(flat);
  if (cum !== flat) {
    cumText = value(cum);
    label += `${flat === 0n ? ' ' : '\\n'}of ${cumText} (${percentage(cum, total).trim()})`;
  }
  // From 8 to 24 points; the square root makes small nodes readable.
  const share = maxFlat === 0 ? 0 : Number(abs64(flat)) / maxFlat;
  const fontSize = 8 + (flat !== 0n && share <= 1 ? Math.ceil(16 * Math.sqrt(share)) : 0);
  const score = Number(cum) / Number(abs64(total));
  return (
    `label="${label}" id="node${id}" fontsize=${fontSize} shape=box tooltip="${escapeForDot(node.name)} (${cumText})" ` +
    `color="${dotColor(score, false)}" fillcolor="${dotColor(score, true)}"`
  );
}

function edgeAttributes(edge: GraphEdge, total: bigint, value: Print, fromTagged: boolean): string {
  const weight = edgeValue(edge);
  const text = value(weight);
  let attributes = `label=" ${text}${edge.inline ? '\\n (inline)' : ''}"`;
  if (total !== 0n) {
    const scaled = (by: bigint): bigint => {
      const part = abs64(BigInt.asIntN(64, weight * by) / total);
      return 1n + (part < by ? part : by);
    };
    if (scaled(100n) > 1n) attributes += ` weight=${scaled(100n)}`;
    if (scaled(5n) > 1n) attributes += ` penwidth=${scaled(5n)}`;
    attributes += ` color="${dotColor(Number(weight) / Number(abs64(total)), false)}"`;
  }
  const arrow = edge.residual ? '...' : '->';
  const tooltip = `"${escapeForDot(edge.source.name)} ${arrow} ${escapeForDot(edge.target.name)} (${text})"`;
  attributes += ` tooltip=${tooltip} labeltooltip=${tooltip}`;
  if (edge.residual) attributes += ' style="dotted"';
  if (fromTagged) attributes += ' minlen=2';
  return attributes;
}

/** A short name on several lines; Go's type parameters `[...]` are not broken up. */
function multilineName(info: NodeInfo): string {
  const name = escapeForDot(shortenFunctionName(info.name))
    .replaceAll('::', '\\n')
    .replaceAll('[...]', '[…]')
    .replaceAll('.', '\\n');
  const file = info.file === '' ? '' : basename(info.file);
  return nameComponents({ ...info, name, file }).join('\\n') + '\\n';
}

export function escapeForDot(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\l');
}
