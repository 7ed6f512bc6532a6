/**
 * Which frames of a row show in a part of the tree, and where a pixel leads. A row costs as many steps as it has
 * pixels, however many frames it has: frames narrower than a pixel are drawn as one, and the search jumps over them.
 */
import type { FlameTree } from '../call-tree/call-tree.ts';
import type { ViewWindow } from './view-window.ts';

/** Called with pixels; `merged` when the block stands for several frames, of which `node` is the first. */
export type EmitFrame = (node: number, left: number, right: number, merged: boolean) => void;

export function visibleFrames(
  tree: FlameTree,
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
    // What is gone is in the tree without a width; it has no place of its own to be drawn in.
    if (end > left) emit(node, left, Math.max(left + 1, end), next - at > 1);
    at = next;
  }
}

/** The frame under a pixel, of those of a row; -1 beside all of them. Narrow frames are given a pixel to be hit by. */
export function frameAt(
  tree: FlameTree,
  window: ViewWindow,
  widthPixels: number,
  depth: number,
  pixel: number,
): number {
  if (depth < 0 || depth >= tree.levelStart.length - 1) return -1;
  const perPixel = (window.right - window.left) / widthPixels;
  const place = window.left + pixel * perPixel;
  const at = firstEndingAfter(tree, tree.levelStart[depth], tree.levelStart[depth + 1], place - perPixel / 2);
  if (at === tree.levelStart[depth + 1]) return -1;
  const node = tree.levelNodes[at];
  return tree.x[node] <= place + perPixel / 2 ? node : -1;
}

/** Index in `levelNodes` of the first frame of a row that reaches beyond `place`. */
function firstEndingAfter(tree: FlameTree, from: number, to: number, place: number): number {
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
