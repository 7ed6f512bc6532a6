/** Builds the call tree of one profile, or of two, from the samples that the user selects. */
import type { Profile } from '../../src/profile/profile.ts';
import type { CompileRegexp } from '../../src/profile/pprof/regexp.ts';
import type { CallTree } from '../call-tree/call-tree.ts';
import { FrameTable } from '../call-tree/frame-table.ts';
import { layOut } from '../call-tree/lay-out.ts';
import { groupStacks } from '../call-tree/group-stacks.ts';
import { filterProfile } from './filter-profile.ts';
import { NO_FILTERS } from './filters.ts';
import { stackList } from './stack-list.ts';
import type { TreeOptions } from './tree-options.ts';

/** `before` is undefined unless two profiles are compared. */
export function buildTree(
  after: Profile,
  before: Profile | undefined,
  options: TreeOptions,
  compile: CompileRegexp,
): CallTree {
  const filters = options.filters ?? NO_FILTERS;
  const table = new FrameTable();
  const sides = [after, ...(before === undefined ? [] : [before])].map(
    side => filterProfile(side, filters, compile).profile,
  );
  const nodes = groupStacks(stackList(sides, table, options));
  const whole = { after: totalOf(after, options), before: before === undefined ? 0 : totalOf(before, options) };
  return layOut(nodes, {
    frames: table.finish(),
    hasBefore: before !== undefined,
    widthOf: options.widthOf,
    whole: filters.relative ? undefined : whole,
  });
}

function columnOf({ sampleTypes }: Profile, { sampleType }: TreeOptions): number {
  return sampleTypes.findIndex(({ type }) => type === sampleType);
}

function totalOf(profile: Profile, options: TreeOptions): number {
  const values = profile.samples.values[columnOf(profile, options)];
  let total = 0;
  for (let sample = 0; values !== undefined && sample < profile.samples.length; sample++) {
    total += Number(values[sample]);
  }
  return total;
}

/** By frame: 1 if its name matches. */
export function matchingFrames(
  names: { readonly length: number; name(frame: number): string },
  source: string,
  compile: CompileRegexp,
): Uint8Array {
  const expression = compile(source);
  return Uint8Array.from({ length: names.length }, (_, frame) => (expression.matches(names.name(frame)) ? 1 : 0));
}
