/**
 * Which frames of a row are visible in a window, and which frame is under a pixel. The cost of a row depends on its
 * pixels, not on its frames: frames narrower than a pixel are drawn as one block, and a binary search skips them.
 */
import type { CallTree } from './call-tree.ts';
import type { ViewWindow } from './view-window.ts';

/** Gets pixels. `merged` means that the block represents several frames; `node` is the first of them. */
export type EmitFrame = (node: number, left: number, right: number, merged: boolean) => void;

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
