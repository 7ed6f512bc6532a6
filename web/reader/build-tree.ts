/** What the page draws of one profile, or of two: samples chosen, stacks grown into one tree. */
import type { Profile } from '../../src/model/profile.ts';
import { expandLocations, frameName } from '../../src/formats/folded/stacks.ts';
import type { CompileRegexp } from '../../src/pprof/units/regexp.ts';
import type { FlameTree } from '../call-tree/call-tree.ts';
import { layOut, type WidthOf } from '../call-tree/lay-out.ts';
import { TreeDraft, type Moment } from '../call-tree/tree-builder.ts';
import { FrameTable } from '../call-tree/frame-table.ts';
import { byKey, hasLabels, labelOf, type LabelPair } from './sample-labels.ts';

export interface ViewChoice {
  /** By name, since two profiles may have them in another order. */
  readonly sampleType: string;
  /** A Go regexp: only stacks with a function that matches; '' for all. */
  readonly only: string;
  readonly labels: readonly LabelPair[];
  /** Label keys whose values stand above the root, outermost first. */
  readonly roots: readonly string[];
  readonly widthOf: WidthOf;
}

/** `before` is undefined unless two are compared. */
export function buildTree(
  after: Profile,
  before: Profile | undefined,
  choice: ViewChoice,
  compile: CompileRegexp,
): FlameTree {
  const table = new FrameTable();
  const draft = new TreeDraft();
  addProfile(draft, table, after, 'after', choice, compile);
  if (before !== undefined) addProfile(draft, table, before, 'before', choice, compile);
  return layOut(draft, { frames: table.finish(), hasBefore: before !== undefined, widthOf: choice.widthOf });
}

function addProfile(
  draft: TreeDraft,
  table: FrameTable,
  profile: Profile,
  moment: Moment,
  choice: ViewChoice,
  compile: CompileRegexp,
): void {
  const { samples, functions, strings } = profile;
  const column = profile.sampleTypes.findIndex(({ type }) => type === choice.sampleType);
  if (column < 0) return;
  const { start, frames } = expandLocations(profile, (fn, location) =>
    table.intern(frameName(profile, fn, location), fn < 0 ? '' : strings[functions.filename[fn]]),
  );
  const isWanted = choice.only === '' ? undefined : matchingFrames(table, choice.only, compile);
  const wanted = byKey(choice.labels);
  for (let sample = 0; sample < samples.length; sample++) {
    const value = Number(samples.values[column][sample]);
    if (value === 0 || !hasLabels(profile, sample, wanted)) continue;
    if (isWanted !== undefined && !hasFrame(profile, sample, start, frames, isWanted)) continue;
    let node = 0;
    for (const key of choice.roots) {
      node = draft.child(node, table.internLabel(`${key}=${labelOf(profile, sample, key) ?? '(none)'}`));
    }
    for (let i = samples.stackStart[sample + 1] - 1; i >= samples.stackStart[sample]; i--) {
      const location = samples.stackLocations[i];
      for (let k = start[location]; k < start[location + 1]; k++) node = draft.child(node, frames[k]);
    }
    draft.add(node, value, moment);
  }
}

/** By frame, 1 where its name matches. */
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
