/** -dot: the call graph for Graphviz. */
import { basename } from '../../../base/go-path.ts';
import { abs64, truncateToInt64 } from '../../../base/int64.ts';
import { edgeValue, sortEdges, type GraphEdge, type GraphNode, sortTags, tagCum, tagFlat, type Tag } from '../graph.ts';
import { nameComponents, type NodeInfo } from '../node-table.ts';
import { trimmedGraph, MAX_TAGS } from '../trimmed-graph.ts';
import { percentage, label, scale } from '../measurement.ts';
import { formatValue, type ReportContext, graphOptions } from './report-context.ts';
import { reportLabels, selectOutputUnit } from './report-header.ts';
import { shortenFunctionName } from '../sample-index.ts';

// Go's math.Max and math.Min propagate NaN, as JavaScript's do.
const goMax = Math.max;

const goMin = Math.min;

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

function escapeForDot(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\l');
}

/** Colours by score: -1 green, 0 grey, 1 red; light for backgrounds. */
function dotColor(score: number, background: boolean): string {
  let saturation = background ? 0.1 : 1;
  const value = background ? 0.93 : 0.7;
  let bounded = goMax(-1, goMin(1, score));
  // Grey rather than yellow near zero.
  if (Math.abs(bounded) < 0.2) saturation *= Math.abs(bounded) / 0.2;
  // Moves away from grey, to use more of the range.
  if (bounded > 0) bounded = Math.pow(bounded, 0.3);
  if (bounded < 0) bounded = -Math.pow(-bounded, 0.3);
  const red = bounded < 0 ? value * (1 + saturation * bounded) : value;
  const green = bounded < 0 ? value : value * (1 - saturation * bounded);
  const blue = value * (1 - saturation);
  return `#${[red, green, blue].map(hexByte).join('')}`;
}

function hexByte(part: number): string {
  const byte = Number.isNaN(part) ? 0 : Math.trunc(part * 255) & 0xff;
  return byte.toString(16).padStart(2, '0');
}

/** The boxes attached to a node in a drawing: its heaviest labels, and numeric labels in a few ranges. */
function tagBoxes(node: GraphNode, id: number, value: Print): string[] {
  const out: string[] = [];
  // A leaf also shows what came from callees that were left out.
  const byFlat = node.out.size > 0;
  sortTags([...node.labelTags.values()], byFlat)
    .slice(0, MAX_TAGS)
    .forEach((tag, i) => {
      const weight = byFlat ? tagFlat(tag) : tagCum(tag);
      if (weight === 0n) return;
      out.push(...box(`N${id}`, `N${id}_${i}`, tag.name, value(weight), ''));
      const numeric = node.numericTags.get(tag.name);
      if (numeric !== undefined) out.push(...numericBoxes(numeric, byFlat, `N${id}_${i}`, value));
    });
  const numeric = node.numericTags.get('');
  if (numeric !== undefined) out.push(...numericBoxes(numeric, byFlat, `N${id}`, value));
  return out;
}

function box(source: string, id: string, name: string, weight: string, style: string): string[] {
  return [
    `${id} [label = "${name}" id="${id}" fontsize=8 shape=box3d tooltip="${weight}"]`,
    `${source} -> ${id} [label=" ${weight}" weight=100 tooltip="${weight}" labeltooltip="${weight}"${style}]`,
  ];
}

function numericBoxes(tags: ReadonlyMap<string, Tag>, byFlat: boolean, source: string, value: Print): string[] {
  return collapse([...tags.values()], byFlat).flatMap((tag, i) => {
    const plain = byFlat || tagFlat(tag) === tagCum(tag);
    const weight = plain ? tagFlat(tag) : tagCum(tag);
    if (weight === 0n) return [];
    return box(source, `N${source}_${i}`, tag.name, value(weight), plain ? '' : ' style="dotted"');
  });
}

/** At most MAX_TAGS tags: the heaviest, each merged with those nearest in size. */
function collapse(tags: readonly Tag[], byFlat: boolean): Tag[] {
  const sorted = sortTags(tags, byFlat);
  if (sorted.length <= MAX_TAGS) return sorted;
  const groups = sorted.slice(0, MAX_TAGS).map(tag => [tag]);
  for (const tag of sorted.slice(MAX_TAGS)) {
    let nearest = 0;
    groups.forEach((group, i) => {
      if (distance(tag, group[0]) < distance(tag, groups[nearest][0])) nearest = i;
    });
    groups[nearest].push(tag);
  }
  return sortTags(groups.map(groupTag), byFlat);
}

function distance(tag: Tag, other: Tag): number {
  return Math.abs(Number(tag.value) - scale(other.value, other.unit, tag.unit).value);
}

function groupTag(group: readonly Tag[]): Tag {
  let [smallest] = group;
  let [largest] = group;
  let flat = 0n;
  let flatDivisor = 0n;
  let cum = 0n;
  let cumDivisor = 0n;
  for (const tag of group) {
    if (truncateToInt64(scale(tag.value, tag.unit, smallest.unit).value) < smallest.value) smallest = tag;
    if (truncateToInt64(scale(tag.value, tag.unit, largest.unit).value) > largest.value) largest = tag;
    flat += tag.flat;
    flatDivisor += tag.flatDivisor;
    cum += tag.cum;
    cumDivisor += tag.cumDivisor;
  }
  // Not in the output unit: sizes are often much smaller than the values, and would show as 0..0.
  const low = label(smallest.value, smallest.unit);
  const name = group.length === 1 ? low : `${low}..${label(largest.value, largest.unit)}`;
  return {
    name,
    unit: '',
    value: 0n,
    flat: flatDivisor === 0n ? flat : flat / flatDivisor,
    flatDivisor: 0n,
    cum: cumDivisor === 0n ? cum : cum / cumDivisor,
    cumDivisor: 0n,
  };
}
