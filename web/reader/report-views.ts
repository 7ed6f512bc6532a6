/**
 * Peek, call graph and source lines, from the nodes and edges of pprof's own reports: `-peek`, `-dot`, `-list`.
 *
 * Two profiles are compared as by -diff_base: values are changes, shares refer to the base.
 */
import type { Profile } from '../../src/profile/profile.ts';
import { prepareReport } from '../../src/profile/pprof/prepare.ts';
import { edgeValue, sortEdges, type GraphEdge, type GraphNode } from '../../src/profile/pprof/graph.ts';
import { trimmedGraph } from '../../src/profile/pprof/trimmed-graph.ts';
import { DEFAULT_CONFIG, type ReportName } from '../../src/profile/pprof/reports/config.ts';
import { listedFunctions } from '../../src/profile/pprof/reports/list.ts';
import { type ReportContext, graphOptions } from '../../src/profile/pprof/reports/report-context.ts';
import { combine } from '../../src/profile/pprof/transform/merge.ts';
import { negate } from '../../src/profile/pprof/transform/scale-values.ts';
import { setLabel } from '../../src/profile/pprof/transform/sample-labels.ts';
import { selectSamples } from '../../src/profile/pprof/transform/stacks.ts';
import { type TreeOptions, FILTER_WORDS, NO_FILTERS } from './filters.ts';
import { asFetched } from './filter-profile.ts';
import { byKey, hasLabels } from './sample-labels.ts';
import type { CompileRegexp } from '../../src/profile/pprof/go-regexp.ts';

export interface PeekEdge {
  readonly name: string;
  readonly value: number;
  readonly isInline: boolean;
}

export interface PeekNode {
  readonly name: string;
  readonly flat: number;
  readonly cum: number;
  /** The heaviest first. */
  readonly callers: readonly PeekEdge[];
  readonly callees: readonly PeekEdge[];
}

export interface PeekView {
  /** What shares refer to. */
  readonly total: number;
  readonly nodes: readonly PeekNode[];
  /** How many more functions match. */
  readonly more: number;
}

export interface GraphView {
  readonly total: number;
  readonly nodes: readonly { readonly name: string; readonly flat: number; readonly cum: number }[];
  /** `from` and `to` are indexes of nodes. */
  readonly edges: readonly GraphViewEdge[];
  /** Nodes too light to be drawn. */
  readonly droppedNodes: number;
}

export interface GraphViewEdge {
  readonly from: number;
  readonly to: number;
  readonly value: number;
  /** Skips nodes that are not drawn. */
  readonly isResidual: boolean;
}

export interface SourceView {
  readonly total: number;
  readonly functions: readonly SourceFunction[];
  readonly more: number;
}

export interface SourceFunction {
  readonly name: string;
  readonly file: string;
  readonly flat: number;
  readonly cum: number;
  /** The lines to show around those with values. */
  readonly firstLine: number;
  readonly lastLine: number;
  readonly lines: readonly { readonly line: number; readonly flat: number; readonly cum: number }[];
}

/** A page is for reading: an expression that matches more is too wide. */
const MAX_FUNCTIONS = 40;

export interface ReportInput {
  readonly after: Profile;
  readonly before: Profile | undefined;
  readonly options: TreeOptions;
  /** A Go regular expression. */
  readonly symbol: string;
  /** At most this many nodes of a graph. */
  readonly nodeCount?: number;
}

export function peekView(input: ReportInput, compile: CompileRegexp): PeekView {
  const context = contextOf('peek', input, compile);
  const edge = (of: GraphEdge, node: GraphNode): PeekEdge => ({
    name: node.name,
    value: Number(edgeValue(of)),
    isInline: of.inline,
  });
  const matching = trimmedGraph(graphOptions(context)).nodes.filter(({ name }) => context.symbol!.matches(name));
  return {
    total: Number(context.total),
    nodes: matching.slice(0, MAX_FUNCTIONS).map(node => ({
      name: node.name,
      flat: Number(node.flatValue),
      cum: Number(node.cumValue),
      callers: sortEdges(node.in.values()).map(of => edge(of, of.source)),
      callees: sortEdges(node.out.values()).map(of => edge(of, of.target)),
    })),
    more: Math.max(0, matching.length - MAX_FUNCTIONS),
  };
}

export function graphView(input: ReportInput, compile: CompileRegexp): GraphView {
  const context = contextOf('dot', input, compile);
  const { nodes, droppedNodes } = trimmedGraph(graphOptions(context));
  const indexOf = new Map(nodes.map((node, i) => [node, i]));
  const edges = nodes.flatMap((node, from) =>
    sortEdges(node.out.values()).map(edge => ({
      from,
      to: indexOf.get(edge.target) ?? -1,
      value: Number(edgeValue(edge)),
      isResidual: edge.residual,
    })),
  );
  return {
    total: Number(context.total),
    nodes: nodes.map(node => ({ name: node.name, flat: Number(node.flatValue), cum: Number(node.cumValue) })),
    edges: edges.filter(({ to }) => to >= 0),
    droppedNodes,
  };
}

export function sourceView(input: ReportInput, compile: CompileRegexp): SourceView {
  const context = contextOf('list', input, compile);
  const all = listedFunctions(context).flatMap(({ name, files }) =>
    files.map(({ file, nodes, flat, cum, range }): SourceFunction => {
      const lines = new Map<number, { flat: number; cum: number }>();
      for (const { info, flat: ownFlat, cum: ownCum } of nodes) {
        const known = lines.get(info.line) ?? { flat: 0, cum: 0 };
        lines.set(info.line, { flat: known.flat + Number(ownFlat), cum: known.cum + Number(ownCum) });
      }
      return {
        name,
        file,
        flat: Number(flat),
        cum: Number(cum),
        firstLine: range.first,
        lastLine: range.last,
        lines: [...lines].sort(([a], [b]) => a - b).map(([line, values]) => ({ line, ...values })),
      };
    }),
  );
  const byWeight = all.sort((a, b) => Math.abs(b.cum) - Math.abs(a.cum));
  return {
    total: Number(context.total),
    functions: byWeight.slice(0, MAX_FUNCTIONS),
    more: Math.max(0, all.length - MAX_FUNCTIONS),
  };
}

function contextOf(report: ReportName, input: ReportInput, compile: CompileRegexp): ReportContext {
  const { options, symbol } = input;
  const filters = options.filters ?? NO_FILTERS;
  const config = {
    ...DEFAULT_CONFIG,
    ...Object.fromEntries(FILTER_WORDS.map(word => [word, filters[word]])),
    granularity: filters.granularity,
    relative_percentages: filters.relative,
    sample_index: options.sampleType,
    tagroot: options.roots.join(','),
    ...(input.nodeCount === undefined ? {} : { nodecount: input.nodeCount }),
  };
  const profile = withLabels(difference(input, compile), options);
  return prepareReport(
    profile,
    { report, config, ...(symbol === '' ? {} : { parameter: symbol }) },
    {
      compile,
      warn: () => undefined,
    },
  );
}

function withLabels(profile: Profile, { labels }: TreeOptions): Profile {
  const wanted = byKey(labels);
  return labels.length === 0 ? profile : selectSamples(profile, sample => hasLabels(profile, sample, wanted));
}

const differences = new WeakMap<Profile, { readonly before: Profile; readonly merged: Profile }>();

/** As -diff_base does it: the base is labelled, so that its stacks never cancel and the total is its own. */
function difference({ after, before }: ReportInput, compile: CompileRegexp): Profile {
  const later = asFetched(after, compile);
  if (before === undefined) return later;
  const known = differences.get(after);
  if (known?.before === before) return known.merged;
  const merged = combine([later, negate(setLabel(asFetched(before, compile), 'pprof::base', 'true'))]);
  differences.set(after, { before, merged });
  return merged;
}
