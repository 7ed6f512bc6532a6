/** The lines above a report: the kind of profile, active filters, and how much is shown. */
import { basename } from '../../../base/go-path.ts';
import { abs64, truncateToInt64 } from '../../../base/int64.ts';
import { byteLength, decodeText, encodeText } from '../../../base/text.ts';
import type { TrimmedGraph } from '../trimmed-graph.ts';
import { goClockText } from '../go-time.ts';
import { label, percentage, scale } from '../measurement.ts';
import { divided, formatValue, type ReportContext } from './report-context.ts';

export function profileLabels(context: ReportContext, outputUnit: string): string[] {
  const { profile, total } = context;
  const lines: string[] = [];
  const [main] = profile.mappings;
  if (main !== undefined && main.file !== '') lines.push(`File: ${basename(main.file)}`);
  if (main !== undefined && main.buildId !== '') lines.push(`Build ID: ${main.buildId}`);
  for (const comment of profile.comments) if (!comment.startsWith('#')) lines.push(comment);
  if (context.sampleType !== '') lines.push(`Type: ${context.sampleType}`);
  if (profile.docUrl !== '') lines.push(`Doc: ${profile.docUrl}`);
  if (profile.timeNanos !== 0n) lines.push(`Time: ${goClockText(profile.timeNanos)}`);
  if (profile.durationNanos !== 0n) {
    const nanos = scale(total, context.sampleUnit, 'nanoseconds');
    const share =
      nanos.unit === 'ns' && nanos.value !== 0
        ? `(${percentage(truncateToInt64(nanos.value), profile.durationNanos)})`
        : '';
    const duration = label(profile.durationNanos, 'nanoseconds');
    lines.push(`Duration: ${duration}, Total samples = ${formatValue(context, total, outputUnit)} ${share}`);
  }
  return lines;
}

/** Labels of a report made from a graph; `full` is for drawings. */
export function reportLabels(context: ReportContext, graph: TrimmedGraph, outputUnit: string, full = false): string[] {
  const { config, total } = context;
  const lines = full || !config.compact_labels ? profileLabels(context, outputUnit) : [];
  lines.push(...activeFilters(context));

  const value = (amount: bigint): string => formatValue(context, amount, outputUnit);
  let shown = 0n;
  for (const node of graph.nodes) shown += node.flatValue;
  shown = BigInt.asIntN(64, shown);
  lines.push(
    `Showing nodes accounting for ${value(shown)}, ${percentage(shown, total).trim()} of ${value(total)} total`,
  );
  if (total !== 0n) {
    const cutoff = (fraction: number): string => value(abs64(truncateToInt64(Number(total) * fraction)));
    const { droppedNodes, droppedEdges, nodes, originalCount } = graph;
    if (droppedNodes > 0) lines.push(dropped(droppedNodes, 'node', 'cum', cutoff(config.nodefraction)));
    if (full && droppedEdges > 0) lines.push(dropped(droppedEdges, 'edge', 'freq', cutoff(config.edgefraction)));
    if (nodes.length > 0 && nodes.length < originalCount) {
      lines.push(`Showing top ${nodes.length} nodes out of ${originalCount}`);
    }
  }
  if (full) lines.push('\nSee https://git.io/JfYMW for how to read the graph');
  return lines;
}

function dropped(count: number, what: string, by: string, cutoff: string): string {
  return `Dropped ${count} ${what}${count > 1 ? 's' : ''} (${by} <= ${cutoff})`;
}

const FILTERS = [
  'focus',
  'ignore',
  'hide',
  'show',
  'show_from',
  'tagfocus',
  'tagignore',
  'tagshow',
  'taghide',
] as const;

function activeFilters({ config }: ReportContext): string[] {
  const active = FILTERS.filter(name => config[name] !== '').map(name => `${name}=${config[name]}`);
  if (active.length === 0) return [];
  // Cut at 80 bytes, not characters, as pprof does.
  const short = (text: string): string => (byteLength(text) > 80 ? `${decodeText(encodeText(text), 0, 80)}…` : text);
  return ['Active filters:', ...active.map(text => `   ${short(text)}`)];
}

/** The unit a graph is printed in: fine enough for its smallest value, coarse enough for its total. */
export function selectOutputUnit(context: ReportContext, graph: TrimmedGraph): string {
  const { config, sampleUnit, report } = context;
  if (config.unit !== 'minimum' || graph.nodes.length === 0) return config.unit;
  let smallest = 0n;
  for (const node of graph.nodes) {
    const size = abs64(node.flatValue) || abs64(node.cumValue);
    if (size > 0n && (smallest === 0n || size < smallest)) smallest = size;
  }
  if (smallest === 0n) smallest = context.total;
  smallest = divided(context, smallest);
  const largest = divided(context, context.total);
  const autoUnit = (value: bigint): string => scale(value, sampleUnit, 'minimum').unit;
  let unit = autoUnit(smallest);
  const hundredfold = BigInt.asIntN(64, smallest * 100n);
  // callgrind holds integers only, so it keeps the finer unit.
  if (unit !== autoUnit(largest) && hundredfold < largest && report !== 'callgrind') unit = autoUnit(hundredfold);
  return unit === '' ? sampleUnit : unit;
}
