/** Builds the call tree of one profile, or of two, from the samples that the user selects. */
import type { Profile } from '../../src/model/profile.ts';
import { expandLocations, frameName } from '../../src/formats/folded/stacks.ts';
import type { CompileRegexp } from '../../src/pprof/units/regexp.ts';
import type { CallTree } from '../call-tree/call-tree.ts';
import { layOut, type WidthOf } from '../call-tree/lay-out.ts';
import { TreeBuilder, type Side } from '../call-tree/tree-builder.ts';
import { FrameTable } from '../call-tree/frame-table.ts';
import { byKey, hasLabels, labelOf, type LabelPair } from './sample-labels.ts';

export interface TreeOptions {
  /** By name: two profiles may list their sample types in different orders. */
  readonly sampleType: string;
  /** A Go regular expression: only stacks with a matching function; '' for all. */
  readonly only: string;
  readonly labels: readonly LabelPair[];
  /** Label keys whose values become the root frames, outermost first. */
  readonly roots: readonly string[];
  readonly widthOf: WidthOf;
}

/** `before` is undefined unless two profiles are compared. */
export function buildTree(
  after: Profile,
  before: Profile | undefined,
  options: TreeOptions,
  compile: CompileRegexp,
): CallTree {
  const table = new FrameTable();
  const builder = new TreeBuilder();
  addProfile(builder, table, after, 'after', options, compile);
  if (before !== undefined) addProfile(builder, table, before, 'before', options, compile);
  return layOut(builder, { frames: table.finish(), hasBefore: before !== undefined, widthOf: options.widthOf });
}

function addProfile(
  builder: TreeBuilder,
  table: FrameTable,
  profile: Profile,
  side: Side,
  options: TreeOptions,
  compile: CompileRegexp,
): void {
  const { samples, functions, strings } = profile;
  const column = profile.sampleTypes.findIndex(({ type }) => type === options.sampleType);
  if (column < 0) return;
  const { start, frames } = expandLocations(profile, (fn, location) =>
    table.intern(frameName(profile, fn, location), fn < 0 ? '' : strings[functions.filename[fn]]),
  );
  const isWanted = options.only === '' ? undefined : matchingFrames(table, options.only, compile);
  const wanted = byKey(options.labels);
  for (let sample = 0; sample < samples.length; sample++) {
    const value = Number(samples.values[column][sample]);
    if (value === 0 || !hasLabels(profile, sample, wanted)) continue;
    if (isWanted !== undefined && !hasFrame(profile, sample, start, frames, isWanted)) continue;
    let node = 0;
    for (const key of options.roots) {
      node = builder.child(node, table.internLabel(`${key}=${labelOf(profile, sample, key) ?? '(none)'}`));
    }
    for (let i = samples.stackStart[sample + 1] - 1; i >= samples.stackStart[sample]; i--) {
      const location = samples.stackLocations[i];
      for (let k = start[location]; k < start[location + 1]; k++) node = builder.child(node, frames[k]);
    }
    builder.add(node, value, side);
  }
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

function hasFrame(
  { samples }: Profile,
  sample: number,
  start: Uint32Array,
  frames: Uint32Array,
  isWanted: Uint8Array,
): boolean {
  for (let i = samples.stackStart[sample]; i < samples.stackStart[sample + 1]; i++) {
    const location = samples.stackLocations[i];
    for (let k = start[location]; k < start[location + 1]; k++) if (isWanted[frames[k]] === 1) return true;
  }
  return false;
}
