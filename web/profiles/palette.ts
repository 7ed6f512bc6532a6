/** The colours of a flame graph in the current theme. */
import { isStd } from '../../src/profile/families/shared-packages.ts';
import { normaliseFrame, packageOf } from '../../src/profile/families/normalise.ts';
import { colour, theme } from '../state/theme.ts';
import { type CallTree, changeOf } from './call-tree.ts';
import { symbolOf } from '../widgets/short-names.ts';

export type Colouring = 'package' | 'change';

export interface Palette {
  /** By bucket: the fill, and a readable text colour for it. */
  readonly fills: readonly string[];
  readonly inks: readonly string[];
  readonly ground: string;
  readonly ink: string;
  readonly line: string;
  readonly focus: string;
}

/** By node: its bucket, an index into the palette's fills. `biggest` is the change that has the strongest colour. */
export function bucketsOf(tree: CallTree, colouring: Colouring, biggest: number | undefined): Uint8Array {
  if (colouring === 'change') return Uint8Array.from(changeColours(tree, biggest), step => step + CHANGE_STEPS);
  const byFrame = packageColours(tree);
  return Uint8Array.from(tree.frame, frame => (frame < 0 ? 0 : byFrame[frame]));
}

/** Follows the theme when called in a render or an effect. */
export function paletteOf(colouring: Colouring): Palette {
  const isDark = theme.value === 'dark';
  const fills = colouring === 'package' ? packageFills(isDark) : changeFills(isDark);
  const ink = colour('--fg');
  return {
    fills,
    inks: fills.map(fill => (colouring === 'package' ? ink : readableOn(fill))),
    ground: colour('--bg'),
    ink,
    line: colour('--line-strong'),
    focus: colour('--focus'),
  };
}

/** Muted hues: strong colours are reserved for verdicts. */
function packageFills(isDark: boolean): string[] {
  const of = (lightness: number, chroma: number, hue: number): string => `oklch(${lightness} ${chroma} ${hue})`;
  const fills = isDark
    ? [of(0.31, 0.012, 250), of(0.36, 0.008, 250), of(0.39, 0.01, 250)]
    : [of(0.95, 0.004, 250), of(0.9, 0.006, 250), of(0.88, 0.008, 250)];
  for (let hue = 0; hue < HUES; hue++) {
    // Neighbouring hues also differ in lightness.
    const shift = (hue % 3) * 0.025;
    const degrees = (hue * 360) / HUES;
    fills[FIRST_HUE + hue] = isDark ? of(0.43 + shift, 0.065, degrees) : of(0.84 + shift, 0.07, degrees);
  }
  return fills;
}

function changeFills(isDark: boolean): string[] {
  const grey: Rgb = isDark ? [46, 52, 58] : [228, 231, 234];
  const shrink = parseRgb(colour('--shrink'));
  const grow = parseRgb(colour('--grow'));
  return Array.from({ length: 2 * CHANGE_STEPS + 1 }, (_, bucket) => {
    const step = bucket - CHANGE_STEPS;
    return rgbText(mix(grey, step < 0 ? shrink : grow, Math.abs(step) / CHANGE_STEPS));
  });
}

type Rgb = readonly [red: number, green: number, blue: number];

function parseRgb(text: string): Rgb {
  const [red = 0, green = 0, blue = 0] = (text.match(/[\d.]+/g) ?? []).map(Number);
  return [red, green, blue];
}

function rgbText(rgb: Rgb): string {
  return `rgb(${rgb.map(Math.round).join(', ')})`;
}

function mix(from: Rgb, to: Rgb, share: number): Rgb {
  const part = (i: 0 | 1 | 2): number => from[i] + (to[i] - from[i]) * share;
  return [part(0), part(1), part(2)];
}

/** Black or white, whichever has more contrast. */
function readableOn(fill: string): string {
  const linear = (value: number): number => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  const [red, green, blue] = parseRgb(fill);
  const luminance = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  // At 0.179 the contrast with black, (l + 0.05) / 0.05, equals the contrast with white, 1.05 / (l + 0.05).
  return luminance > 0.179 ? '#000000' : '#ffffff';
}

/**
 * The colour of a frame, as a number. A package has the same colour on every page, in every profile, forever.
 *
 *     0        the root and frames of labels
 *     1        no package: C functions, addresses
 *     2        Go's standard library and runtime, grey: not yours to fix
 *     3 ..     a hue that depends on the package's name
 */
const LABEL = 0;
const NO_PACKAGE = 1;
export const STANDARD_LIBRARY = 2;
const FIRST_HUE = 3;
const HUES = 24;

const colourByPackage = new Map<string, number>();

/** By frame. */
function packageColours(tree: CallTree): Uint8Array {
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
