/** The boxes attached to a node in a drawing: its heaviest labels, and numeric labels in a few ranges. */
import { truncateToInt64 } from '../../../base/int64.ts';
import { sortTags, tagCum, tagFlat, type GraphNode, type Tag } from '../graph/graph.ts';
import { MAX_TAGS } from '../graph/trimmed-graph.ts';
import { label, scale } from '../measurement.ts';

type Print = (value: bigint) => string;

export function tagBoxes(node: GraphNode, id: number, value: Print): string[] {
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
