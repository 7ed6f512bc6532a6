/** The visible part of the tree, from 0 to 1 of its width: zooming, panning, and where the arrow keys lead. */
import { type CallTree, heaviestLeaf } from './call-tree.ts';

export interface ViewWindow {
  readonly left: number;
  readonly right: number;
}

export const WHOLE: ViewWindow = { left: 0, right: 1 };

/** Below this, doubles cannot distinguish neighbouring pixels. */
const MIN_SPAN = 1e-10;

export function spanOf(window: ViewWindow): number {
  return window.right - window.left;
}

/** Moves a window into 0 to 1 and limits its span; keeps the span where possible. */
export function clampWindow({ left, right }: ViewWindow): ViewWindow {
  const span = Math.min(Math.max(right - left, MIN_SPAN), 1);
  const from = Math.min(Math.max(left, 0), 1 - span);
  return { left: from, right: from + span };
}

/** A `factor` below 1 zooms in. The point `at` (0 to 1 of the window) stays in place: it is under the pointer. */
export function zoomAround(window: ViewWindow, factor: number, at: number): ViewWindow {
  const fixed = window.left + at * spanOf(window);
  const span = Math.min(Math.max(spanOf(window) * factor, MIN_SPAN), 1);
  return clampWindow({ left: fixed - at * span, right: fixed - at * span + span });
}

/** Moves by a share of the window; positive moves right. */
export function panBy(window: ViewWindow, share: number): ViewWindow {
  const shift = share * spanOf(window);
  return clampWindow({ left: window.left + shift, right: window.right + shift });
}

export function windowOf(tree: CallTree, node: number): ViewWindow {
  return clampWindow({ left: tree.x[node], right: tree.x[node] + tree.width[node] });
}

/** The smallest move that makes the node visible. */
export function reveal(tree: CallTree, node: number, window: ViewWindow): ViewWindow {
  const [left, right] = [tree.x[node], tree.x[node] + tree.width[node]];
  if (right > window.left && left < window.right) return window;
  const span = Math.max(spanOf(window), right - left);
  const middle = (left + right) / 2;
  return clampWindow({ left: middle - span / 2, right: middle + span / 2 });
}

/** A window between two others. Spans change by ratio, so that zooming looks even. */
export function interpolate(from: ViewWindow, to: ViewWindow, share: number): ViewWindow {
  const ratio = spanOf(to) / spanOf(from);
  const span = spanOf(from) * ratio ** share;
  const travelled = Math.abs(ratio - 1) < 1e-6 ? share : (ratio ** share - 1) / (ratio - 1);
  const left = from.left + (to.left - from.left) * travelled;
  return { left, right: left + span };
}

/** As written in the address: `0.25~0.5`. */
export function windowText({ left, right }: ViewWindow): string {
  const short = (value: number): string => String(Number(value.toPrecision(9)));
  return `${short(left)}~${short(right)}`;
}

/** Undefined if `text` is not a window. */
export function parseWindow(text: string): ViewWindow | undefined {
  const [left = NaN, right = NaN, ...rest] = text.split('~').map(Number);
  if (rest.length > 0 || !(left >= 0) || !(right <= 1) || !(left < right)) return undefined;
  return clampWindow({ left, right });
}

/** An arrow key: to the caller, to the widest callee, or along the row. */
export type Step = 'caller' | 'callee' | 'left' | 'right' | 'first' | 'last';

/** The node itself when there is none in that direction. */
export function stepFrom(tree: CallTree, node: number, step: Step): number {
  switch (step) {
    case 'caller':
      return Math.max(tree.parent[node], 0);
    case 'callee':
      return tree.end[node] > node + 1 ? node + 1 : node;
    case 'left':
    case 'right':
      return neighbour(tree, node, step === 'left' ? -1 : 1);
    case 'first':
      return 0;
    case 'last':
      return heaviestLeaf(tree, node);
  }
}

/** Binary search: the nodes of a row are sorted. */
function neighbour(tree: CallTree, node: number, by: -1 | 1): number {
  const { levelStart, levelNodes, depth } = tree;
  const [from, to] = [levelStart[depth[node]], levelStart[depth[node] + 1]];
  let low = from;
  let high = to - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (levelNodes[middle] < node) low = middle + 1;
    else high = middle;
  }
  const next = low + by;
  return next < from || next >= to ? node : levelNodes[next];
}

/** Gets pixels. `merged` means that the block represents several frames; `node` is the first of them. */
type EmitFrame = (node: number, left: number, right: number, merged: boolean) => void;

/**
 * Which frames of a row are visible. The cost of a row depends on its pixels, not on its frames: frames narrower than a
 * pixel are drawn as one block, and a binary search skips them.
 */
export function visibleFrames(
  tree: CallTree,
  window: ViewWindow,
  widthPixels: number,
  depth: number,
  emit: EmitFrame,
): void {
  const { levelStart, levelNodes, x, width } = tree;
  const scale = widthPixels / (window.right - window.left);
  const to = levelStart[depth + 1];
  let at = firstEndingAfter(tree, levelStart[depth], to, window.left);
  while (at < to) {
    const node = levelNodes[at];
    const left = (x[node] - window.left) * scale;
    if (left >= widthPixels) return;
    const right = (x[node] + width[node] - window.left) * scale;
    if (right - left >= 1) {
      emit(node, left, right, false);
      at++;
      continue;
    }
    const next = firstEndingAfter(tree, at + 1, to, window.left + (left + 1) / scale);
    const last = levelNodes[next - 1];
    const end = (x[last] + width[last] - window.left) * scale;
    // Removed frames are in the tree with width 0 and have nowhere to be drawn.
    if (end > left) emit(node, left, Math.max(left + 1, end), next - at > 1);
    at = next;
  }
}

/** The frame of a row under a pixel; -1 if there is none. Narrow frames can be hit within a pixel. */
export function frameAt(tree: CallTree, window: ViewWindow, widthPixels: number, depth: number, pixel: number): number {
  if (depth < 0 || depth >= tree.levelStart.length - 1) return -1;
  const perPixel = (window.right - window.left) / widthPixels;
  const place = window.left + pixel * perPixel;
  const at = firstEndingAfter(tree, tree.levelStart[depth], tree.levelStart[depth + 1], place - perPixel / 2);
  if (at === tree.levelStart[depth + 1]) return -1;
  const node = tree.levelNodes[at];
  return tree.x[node] <= place + perPixel / 2 ? node : -1;
}

/** Index in `levelNodes` of the first frame of a row that ends after `place`. */
function firstEndingAfter(tree: CallTree, from: number, to: number, place: number): number {
  const { levelNodes, x, width } = tree;
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const node = levelNodes[middle];
    if (x[node] + width[node] > place) high = middle;
    else low = middle + 1;
  }
  return low;
}
