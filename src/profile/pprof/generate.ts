/** From a profile and options to a report. */
import type { Profile } from '../profile.ts';
import type { PprofCommand } from './flags.ts';
import { callgrindReport } from './reports/callgrind.ts';
import { dotReport } from './reports/dot.ts';
import { listReport, type SourceReader } from './reports/list.ts';
import { rawReportChunks } from './reports/raw.ts';
import { formatValue, ratioOf, type ReportContext, graphOptions } from './reports/report-context.ts';
import { tagsReport } from './reports/tags.ts';
import { tracesReport } from './reports/traces.ts';
import { divideValues } from './transform/scale-values.ts';
import { type PreparePorts, prepareReport, type ReportRequest } from './prepare.ts';
import { truncateToInt64 } from '../../base/int64.ts';
import { ProfileBuilder } from '../profile-builder.ts';
import { trimmedGraph } from './trimmed-graph.ts';
import { percentage, scale } from './measurement.ts';
import { reportLabels, selectOutputUnit } from './reports/report-header.ts';
import { type GraphEdge, type GraphNode, sortEdges } from './graph.ts';
import { Failure } from '../../base/errors.ts';

/** -tree and -peek: each node between its callers and its callees. */
const SEPARATOR = '----------------------------------------------------------+-------------';

const LEGEND = '      flat  flat%   sum%        cum   cum%   calls calls% + context \t \t ';

/** What a report needs from its caller. */
export interface ReportPorts extends PreparePorts {
  readonly readSource: SourceReader;
}

/** Text in one or more pieces, or a profile to be encoded. */
export type Report =
  | { readonly kind: 'text'; readonly chunks: Iterable<string> }
  | { readonly kind: 'profile'; readonly profile: Profile };

export function generateReport(source: Profile, request: ReportRequest, ports: ReportPorts): Report {
  return print(prepareReport(source, request, ports), ports);
}

function print(context: ReportContext, ports: ReportPorts): Report {
  const text = (content: string): Report => ({ kind: 'text', chunks: [content] });
  switch (context.report) {
    case 'top':
    case 'text':
      return text(textReport(context));
    case 'tree':
    case 'peek':
      return text(treeReport(context));
    case 'traces':
      return { kind: 'text', chunks: tracesReport(context) };
    case 'tags':
      return text(tagsReport(context));
    case 'comments':
      return text(context.profile.comments.map(comment => `${comment}\n`).join(''));
    case 'raw':
      return { kind: 'text', chunks: rawReportChunks(context.profile) };
    case 'dot':
      return text(dotReport(context));
    case 'callgrind':
      return text(callgrindReport(context));
    case 'list':
      return text(listReport(context, ports.readSource));
    case 'topproto':
      return { kind: 'profile', profile: topProfile(context) };
    case 'proto': {
      const ratio = ratioOf(context);
      const { profile } = context;
      return { kind: 'profile', profile: ratio > 0 && ratio !== 1 ? divideValues(profile, ratio) : profile };
    }
  }
}

/** -topproto: the nodes of -top as a profile of their own, with cum and flat values. */
function topProfile(context: ReportContext): Profile {
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

/** -top and -text: a line per node. */
function textReport(context: ReportContext): string {
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

function treeReport(context: ReportContext): string {
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

const EXPRESSIONS = [
  ...(['focus', 'ignore', 'hide', 'show', 'show_from', 'prune_from'] as const),
  ...(['tagfocus', 'tagignore', 'tagshow', 'taghide'] as const),
];

/**
 *  What a command needs besides stacks and values. Regular expressions are loaded, and labels read, only if needed.
 */
export function usesRegexp({ config, parameter }: PprofCommand): boolean {
  return parameter !== undefined || EXPRESSIONS.some(name => config[name] !== '');
}

const LABEL_OPTIONS = ['tagfocus', 'tagignore', 'tagshow', 'taghide', 'tagroot', 'tagleaf'] as const;
const LABEL_REPORTS: ReadonlySet<string | undefined> = new Set(['dot', 'tags', 'traces', 'raw', 'proto']);

/** Merging keeps samples with different labels apart, so only a report on a single source can do without them. */
export function usesLabels({ config, report, sources, base }: PprofCommand): boolean {
  return (
    sources.length > 1 ||
    base.length > 0 ||
    LABEL_REPORTS.has(report) ||
    LABEL_OPTIONS.some(name => config[name] !== '')
  );
}
