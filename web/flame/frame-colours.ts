/**
 * The colour of a frame, as a number: the same package has the same on every page, in every profile, for ever.
 *
 *     0        the root and frames that stand for labels
 *     1        no package: C, addresses
 *     2        Go's standard library and runtime, grey: what is not yours to mend
 *     3 ..     a hue by the package's name
 */
import { isStd } from '../../src/analysis/families/plumbing.ts';
import { normaliseFrame, packageOf } from '../../src/model/go-name/normalise.ts';
import { changeOf, type FlameTree } from '../call-tree/call-tree.ts';

export const HUES = 24;
export const FIRST_HUE = 3;

const known = new Map<string, number>();

/** By frame. */
export function packageColours(tree: FlameTree): Uint8Array {
  const { names, isLabel } = tree.frames;
  return Uint8Array.from(names, (name, frame) => (isLabel[frame] === 1 ? 0 : packageColour(name)));
}

export function packageColour(name: string): number {
  const path = packageOf(normaliseFrame(name));
  if (path === '') return 1;
  let colour = known.get(path);
  if (colour === undefined) {
    colour = isStd(path) ? 2 : FIRST_HUE + (hash(path) % HUES);
    if (known.size > 100_000) known.clear();
    known.set(path, colour);
  }
  return colour;
}

function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  return (h ^ (h >>> 15)) >>> 0;
}

/** Steps of intensity to each side of no change. */
export const CHANGE_STEPS = 8;

/**
 * By node, from -8 (the biggest change, shrinking) over 0 (none) to 8 (growing). Absolute: a step is an amount, the
 * same wherever in the tree, so that what did not change stays grey beside what did.
 */
export function changeColours(tree: FlameTree): Int8Array {
  const biggest = biggestChange(tree);
  return Int8Array.from({ length: tree.length }, (_, node) => changeStep(changeOf(tree, node), biggest));
}

/** Growing or shrinking, of any node. */
export function biggestChange(tree: FlameTree): number {
  let biggest = 0;
  for (let node = 0; node < tree.length; node++) biggest = Math.max(biggest, Math.abs(changeOf(tree, node)));
  return biggest;
}

/** Any change at all is at least one step from grey. */
export function changeStep(change: number, biggest: number): number {
  if (change === 0 || biggest === 0) return 0;
  // The root of the share: most changes are small beside the biggest, and shall still be told apart.
  const step = Math.max(1, Math.round(Math.sqrt(Math.abs(change) / biggest) * CHANGE_STEPS));
  return change > 0 ? step : -step;
}
