/** Tags: how much of each node's value has which labels. Only drawings show them. */
import { compareText } from '../../base/text.ts';
import type { Profile } from '../profile.ts';
import { numericLabels, stringLabels } from './transform/sample-labels.ts';
import { scaledLabel } from './measurement.ts';
import { openTags, type GraphNode, type Tag } from './graph.ts';
import type { NodeTable } from './node-table.ts';
import { hasWeight, type Weights } from './tally.ts';

export interface TagOptions {
  readonly labelUnits: ReadonlyMap<string, string>;
  readonly outputUnit: string;
}

/** Adds one sample's weight, and its labels, to a node. */
export type TagAdder = (node: GraphNode, flat: boolean) => void;

/** What a sample adds to each node it passes: its string labels as one tag, its `bytes` label as numeric tags. */
export function tagAdder(profile: Profile, weights: Weights, sample: number, options: TagOptions): TagAdder {
  const weight = BigInt(weights.value[sample]);
  const divisor = weights.divisor === undefined ? 0n : BigInt(weights.divisor[sample]);
  const joined = joinLabels(profile, sample);
  const bytes = numericLabels(profile, sample).get('bytes')?.values ?? [];
  const unit = options.labelUnits.get('bytes') ?? '';
  const numeric = bytes.map(value => ({ value: BigInt(value), name: scaledLabel(value, unit, options.outputUnit) }));
  const add = (tag: Tag, flat: boolean): void => {
    if (flat) {
      tag.flat += weight;
      tag.flatDivisor += divisor;
    } else {
      tag.cum += weight;
      tag.cumDivisor += divisor;
    }
  };
  return (node, flat) => {
    openTags(node);
    if (joined !== '') add(tagOf(node.labelTags, joined, '', 0n), flat);
    let tags = node.numericTags.get(joined);
    if (tags === undefined) node.numericTags.set(joined, (tags = new Map()));
    for (const { value, name } of numeric) add(tagOf(tags, name, unit, value), flat);
  };
}

function tagOf(tags: Map<string, Tag>, name: string, unit: string, value: bigint): Tag {
  let tag = tags.get(name);
  if (tag === undefined) {
    tag = { name, unit, value, flat: 0n, flatDivisor: 0n, cum: 0n, cumDivisor: 0n };
    tags.set(name, tag);
  }
  return tag;
}

/** `key:value` lines, sorted, joined by a literal backslash-n, which Graphviz interprets. */
function joinLabels(profile: Profile, sample: number): string {
  const pairs: string[] = [];
  for (const [key, values] of stringLabels(profile, sample)) {
    // pprof's own mark on samples of the base profile is not shown.
    if (key !== 'pprof::base') for (const value of values) pairs.push(`${key}:${value}`);
  }
  return pairs.sort(compareText).join('\\n');
}

/** Adds tags to the participants of a graph, in the same way as flat and cum are counted. */
export function addTags(
  profile: Profile,
  nodes: NodeTable,
  weights: Weights,
  participants: ReadonlyMap<number, GraphNode>,
  options: TagOptions,
): void {
  const { stackStart, stackLocations, length } = profile.samples;
  const { locationStart, locationNodes } = nodes;
  for (let sample = 0; sample < length; sample++) {
    if (!hasWeight(weights, sample)) continue;
    const add = tagAdder(profile, weights, sample, options);
    const seen = new Set<number>();
    let leaf: GraphNode | undefined;
    for (let i = stackStart[sample + 1] - 1; i >= stackStart[sample]; i--) {
      const location = stackLocations[i];
      for (let k = locationStart[location + 1] - 1; k >= locationStart[location]; k--) {
        const index = locationNodes[k];
        leaf = participants.get(index);
        if (leaf === undefined || seen.has(index)) continue;
        seen.add(index);
        add(leaf, false);
      }
    }
    if (leaf !== undefined) add(leaf, true);
  }
}

/** Removes tags below a weight. */
export function trimTags(nodes: Iterable<GraphNode>, cutoff: bigint): void {
  const keep = (tags: Map<string, Tag>): Map<string, Tag> =>
    new Map([...tags].filter(([, tag]) => magnitude(tag.flat) >= cutoff || magnitude(tag.cum) >= cutoff));
  for (const node of nodes) {
    if (node.numericTags.size === 0) continue; // tags of any kind come with an entry here
    node.labelTags = keep(node.labelTags);
    for (const [labels, tags] of node.numericTags) node.numericTags.set(labels, keep(tags));
  }
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}
