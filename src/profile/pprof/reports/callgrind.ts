/** -callgrind: the call graph in Valgrind's format, for KCachegrind. */
import { truncateToInt64 } from '../../../base/int64.ts';
import { sortEdges, type GraphNode } from '../graph.ts';
import type { NodeInfo } from '../node-table.ts';
import { trimmedGraph } from '../trimmed-graph.ts';
import { scale } from '../measurement.ts';
import { type ReportContext, graphOptions } from './report-context.ts';
import { selectOutputUnit } from './report-header.ts';

export function callgrindReport(context: ReportContext): string {
  const graph = trimmedGraph(graphOptions(context));
  const unit = selectOutputUnit(context, graph);
  const nameOf = disambiguate(graph.nodes);
  const cost = (value: bigint): bigint => truncateToInt64(scale(value, context.sampleUnit, unit).value);
  const objects = new NameTable();
  const files = new NameTable();
  const names = new NameTable();

  const out = ['positions: instr line', `events: ${context.sampleType}(${unit})`];
  let previous: NodeInfo | undefined;
  for (const node of graph.nodes) {
    const { info } = node;
    if (info.objectFile !== previous?.objectFile || info.file !== previous.file || info.name !== previous.name) {
      out.push('', `ob=${objects.refer(info.objectFile)}`, `fl=${files.refer(info.file)}`);
      out.push(`fn=${names.refer(info.name)}`);
    }
    out.push(`${position(previous, info.address)} ${info.line} ${cost(node.flatValue)}`);
    for (const edge of sortEdges(node.out.values())) {
      const callee = edge.target;
      out.push(
        `cfl=${files.refer(callee.info.file)}`,
        `cfn=${names.refer(nameOf(callee))}`,
        // The number of calls is not known.
        `calls=0 ${position(previous, callee.info.address)} ${callee.info.line}`,
        `* * ${cost(edge.weight)}`,
      );
    }
    previous = info;
  }
  return out.join('\n') + '\n';
}

/** Name compression: `(1) name` the first time, `(1)` after that. */
class NameTable {
  private readonly ids = new Map<string, number>();

  refer(name: string): string {
    if (name === '') return '';
    const known = this.ids.get(name);
    if (known !== undefined) return `(${known})`;
    this.ids.set(name, this.ids.size + 1);
    return `(${this.ids.size}) ${name}`;
  }
}

/** Callgrind merges functions with the same file and name; a suffix keeps different contexts apart. */
function disambiguate(nodes: readonly GraphNode[]): (node: GraphNode) => string {
  const contexts = new Map<string, Map<string, number>>();
  const keyOf = ({ info }: GraphNode): string => `${info.file}\0${info.name}`;
  // Outside a call tree the context is the function itself, with its object file and start line.
  const contextOf = (node: GraphNode): string => node.functionKey || `${node.info.startLine}\0${node.info.objectFile}`;
  for (const node of nodes) {
    let found = contexts.get(keyOf(node));
    if (found === undefined) contexts.set(keyOf(node), (found = new Map()));
    if (!found.has(contextOf(node))) found.set(contextOf(node), found.size);
  }
  const shown = new Set(nodes);
  return node => {
    if (!shown.has(node)) return ''; // not part of the graph: pprof prints no name either
    const found = contexts.get(keyOf(node))!;
    return found.size > 1 ? `${node.info.name} [${found.get(contextOf(node))! + 1}/${found.size}]` : node.info.name;
  };
}

/** Position compression: relative to the previous one if that is shorter. */
function position(previous: NodeInfo | undefined, address: bigint): string {
  const absolute = `0x${address.toString(16)}`;
  if (previous === undefined) return absolute;
  if (previous.address === address) return '*';
  const difference = BigInt.asIntN(64, address - previous.address);
  const relative = difference > 0n ? `+${difference}` : String(difference);
  return relative.length < absolute.length ? relative : absolute;
}
