/** -list: source lines annotated with values. */
import { compareText } from '../../../base/text.ts';
import { compareAsStructs, type GraphNode } from '../graph.ts';
import { flatNodes } from '../trimmed-graph.ts';
import { percentage } from '../measurement.ts';
import { formatValue, type ReportContext, graphOptions } from './report-context.ts';
import { Failure } from '../../../base/errors.ts';

/** Where source text comes from: the lines of a file, or why it cannot be read. */
export type SourceReader = (path: string) => { readonly lines: readonly string[] } | { readonly error: string };

/** Lines shown around the ones with samples. */
const MARGIN = 5;

/** A function in one file, with a node for each of its lines. */
export interface ListedFile {
  readonly file: string;
  readonly nodes: readonly GraphNode[];
  readonly flat: bigint;
  readonly cum: bigint;
  /** The lines to show. */
  readonly range: LineRange;
}

export interface ListedFunction {
  readonly name: string;
  /** Empty if the profile does not say. */
  readonly files: readonly ListedFile[];
}

/** The functions that match, by name. */
export function listedFunctions(context: ReportContext): ListedFunction[] {
  const symbol = context.symbol!;
  const byFunction = new Map<string, GraphNode[]>();
  for (const node of flatNodes(graphOptions(context))) {
    if (symbol.matches(node.info.name)) push(byFunction, node.info.name, node);
  }
  if (byFunction.size === 0) throw new Failure('no-evidence', `no matches found for regexp: ${symbol.source}`);
  return [...byFunction]
    .sort(([a], [b]) => compareText(a, b))
    .map(([name, nodes]) => {
      const byFile = new Map<string, GraphNode[]>();
      for (const node of nodes) if (node.info.file !== '') push(byFile, node.info.file, node);
      const files = [...byFile]
        .sort(([a, [x]], [b, [y]]) => compareText(a, b) || compareAsStructs(x, y))
        .map(([file, fileNodes]) => ({ file, nodes: fileNodes, ...sumOf(fileNodes), range: lineRange(fileNodes) }));
      return { name, files };
    });
}

export function listReport(context: ReportContext, readSource: SourceReader): string {
  const { total, config } = context;
  const functions = listedFunctions(context);
  const value = (amount: bigint): string => formatValue(context, amount, config.unit);
  const out = [`Total: ${value(total)}`];
  const sources = new Map<string, ReturnType<SourceReader>>();
  for (const { name, files } of functions) {
    if (files.length === 0) out.push(`No source information for ${name}`);
    for (const { file, nodes, flat, cum, range } of files) {
      // Like pprof, open a file only when one of its lines is shown, so that other missing files go unnoticed.
      if (range.first <= range.last && !sources.has(file)) sources.set(file, readSource(file));
      out.push(
        `ROUTINE ======================== ${name} in ${file}`,
        `${value(flat).padStart(10)} ${value(cum).padStart(10)} (flat, cum) ${percentage(cum, total)} of Total`,
        ...sourceLines(nodes, sources.get(file) ?? { lines: [] }, range, value),
      );
    }
  }
  return out.join('\n') + '\n';
}

function push(groups: Map<string, GraphNode[]>, key: string, node: GraphNode): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [node]);
  else group.push(node);
}

function sumOf(nodes: readonly GraphNode[]): { flat: bigint; cum: bigint } {
  let flat = 0n;
  let cum = 0n;
  for (const node of nodes) {
    flat += node.flat;
    cum += node.cum;
  }
  return { flat, cum };
}

function sourceLines(
  nodes: readonly GraphNode[],
  source: ReturnType<SourceReader>,
  { first, last }: LineRange,
  value: (amount: bigint) => string,
): string[] {
  if ('error' in source) return [` Error: ${source.error}`];
  const byLine = new Map<number, GraphNode[]>();
  for (const node of nodes) {
    const group = byLine.get(node.info.line);
    if (group === undefined) byLine.set(node.info.line, [node]);
    else group.push(node);
  }
  const out: string[] = [];
  const orDot = (amount: bigint): string => (amount === 0n ? '.' : value(amount)).padStart(10);
  for (let line = first; line <= last && line <= source.lines.length; line++) {
    const sum = sumOf(byLine.get(line) ?? []);
    out.push(`${orDot(sum.flat)} ${orDot(sum.cum)} ${String(line).padStart(6)}:${source.lines[line - 1]}`);
  }
  return out;
}

export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** Grows from the first node's line, like pprof: a node below `first` does not extend `last`. */
function lineRange(nodes: readonly GraphNode[]): LineRange {
  const from = ({ info: { line, startLine } }: GraphNode): number => (startLine === 0 ? line - MARGIN : startLine);
  let first = from(nodes[0]);
  let last = nodes[0].info.line + MARGIN;
  for (const node of nodes) {
    if (from(node) < first) first = from(node);
    else if (node.info.line + MARGIN > last) last = node.info.line + MARGIN;
  }
  return { first: Math.max(first, 1), last };
}
