/**
 * The colour of a frame, as a number. A package has the same colour on every page, in every profile, forever.
 *
 *     0        the root and frames of labels
 *     1        no package: C functions, addresses
 *     2        Go's standard library and runtime, grey: not yours to fix
 *     3 ..     a hue that depends on the package's name
 */
import { isStd } from '../../src/profile/families/shared-packages.ts';
import { normaliseFrame, packageOf } from '../../src/profile/go-name/normalise.ts';
import { symbolOf } from '../text/short-names.ts';
import { changeOf, type CallTree } from '../call-tree/call-tree.ts';

const LABEL = 0;
const NO_PACKAGE = 1;
export const STANDARD_LIBRARY = 2;
export const FIRST_HUE = 3;
export const HUES = 24;

const colourByPackage = new Map<string, number>();

/** By frame. */
export function packageColours(tree: CallTree): Uint8Array {
  const { names, isLabel } = tree.frames;
  return Uint8Array.from(names, (name, frame) => (isLabel[frame] === 1 ? LABEL : packageColour(name)));
}

export function packageColour(name: string): number {
  const path = packageOf(normaliseFrame(symbolOf(name)));
  if (path === '') return NO_PACKAGE;
  let colour = colourByPackage.get(path);
  if (colour === undefined) {
    colour = isStd(path) ? STANDARD_LIBRARY : FIRST_HUE + (hash(path) % HUES);
    if (colourByPackage.size > 100_000) colourByPackage.clear();
    colourByPackage.set(path, colour);
  }
  return colour;
}

function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  return (h ^ (h >>> 15)) >>> 0;
}

/** How many shades there are for growth, and as many for shrinkage. */
export const CHANGE_STEPS = 8;

/**
 * By node, from -8 (the biggest change, shrinking) to 8 (growing); 0 means no change. A step stands for the same amount
 * everywhere in the tree, so unchanged frames stay grey next to changed ones.
 */
export function changeColours(tree: CallTree, biggest: number = biggestChange(tree)): Int8Array {
  return Int8Array.from({ length: tree.length }, (_, node) => changeStep(changeOf(tree, node), biggest));
}

/** The largest change of any node, in either direction. */
export function biggestChange(tree: CallTree): number {
  let biggest = 0;
  for (let node = 0; node < tree.length; node++) biggest = Math.max(biggest, Math.abs(changeOf(tree, node)));
  return biggest;
}

/** Every change is at least one step away from grey. */
export function changeStep(change: number, biggest: number): number {
  if (change === 0 || biggest === 0) return 0;
  // A square root: most changes are small compared with the biggest, and should still look different.
  const step = Math.max(1, Math.round(Math.sqrt(Math.abs(change) / biggest) * CHANGE_STEPS));
  return change > 0 ? step : -step;
}
