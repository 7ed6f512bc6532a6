/** Paints a flame graph. Frames are grouped by colour first, because changing the fill style costs more than filling. */
import { levelCount, nameOf, type CallTree } from './call-tree.ts';
import type { Palette } from './palette.ts';
import { fitSymbol } from '../widgets/short-names.ts';
import { type ViewWindow, visibleFrames } from './view-window.ts';

export const ROW_PIXELS = 18;

export interface Scene {
  readonly tree: CallTree;
  readonly palette: Palette;
  /** By node: its bucket in the palette. */
  readonly buckets: Uint8Array;
  readonly window: ViewWindow;
  /** Puts the root at the bottom. */
  readonly flipped: boolean;
  /** The first row to draw: 1 leaves out the root. */
  readonly firstDepth: 0 | 1;
  /** By frame: 1 if it matches the search; undefined without a search. */
  readonly matched: Uint8Array | undefined;
  /** A node; -1 for none. */
  readonly selected: number;
  readonly hovered: number;
  readonly hasFocus: boolean;
}

export interface Viewport {
  readonly width: number;
  readonly height: number;
  readonly scrollTop: number;
}

type Rows = Pick<Scene, 'tree' | 'flipped' | 'firstDepth'>;

export function contentHeight({ tree, firstDepth }: Pick<Rows, 'tree' | 'firstDepth'>): number {
  return (levelCount(tree) - firstDepth) * ROW_PIXELS;
}

/** Rows whose frames are narrower than this in total belong to a few deep stacks: the user can scroll to them. */
const MIN_ROW_WIDTH = 0.03;

/** How much of the graph to show at first. */
export function initialHeight({ tree, firstDepth }: Pick<Rows, 'tree' | 'firstDepth'>): number {
  const { levelStart, levelNodes, width } = tree;
  let depth = levelCount(tree) - 1;
  for (; depth > 0; depth--) {
    let sum = 0;
    for (let i = levelStart[depth]; i < levelStart[depth + 1]; i++) sum += width[levelNodes[i]];
    if (sum >= MIN_ROW_WIDTH) break;
  }
  return (Math.min(depth + 3, levelCount(tree)) - firstDepth) * ROW_PIXELS;
}

/** The top of a row, relative to the viewport. */
export function rowTop(scene: Rows, viewport: Viewport, depth: number): number {
  const height = Math.max(contentHeight(scene), viewport.height);
  const before = (depth - scene.firstDepth) * ROW_PIXELS;
  return (scene.flipped ? height - before - ROW_PIXELS : before) - viewport.scrollTop;
}

/** The row at a height of the viewport; the tree may not reach that far. */
export function depthAt(scene: Rows, viewport: Viewport, y: number): number {
  const height = Math.max(contentHeight(scene), viewport.height);
  const fromTop = y + viewport.scrollTop;
  return Math.floor((scene.flipped ? height - fromTop : fromTop) / ROW_PIXELS) + scene.firstDepth;
}

/** x, y and width of each block, one after the other. */
type Blocks = number[];

/** Enough for two characters and padding. */
const MIN_TEXT_PIXELS = 24;
const PADDING_PIXELS = 4;
const DIMMED = 0.3;

export function paint(context: CanvasRenderingContext2D, scene: Scene, viewport: Viewport): void {
  const { tree, palette, buckets, matched } = scene;
  const { width, height } = viewport;
  context.fillStyle = palette.ground;
  context.fillRect(0, 0, width, height);

  const bright: Blocks[] = palette.fills.map(() => []);
  const dim: Blocks[] = palette.fills.map(() => []);
  /** node, x, y, width */
  const texts: number[] = [];
  const [first, last] = visibleRows(scene, viewport);
  for (let depth = first; depth <= last; depth++) {
    const top = rowTop(scene, viewport, depth);
    visibleFrames(tree, scene.window, width, depth, (node, from, to) => {
      const left = Math.max(from, 0);
      const wide = Math.min(to, width) - left;
      const isDim = matched !== undefined && (node === 0 || matched[tree.frame[node]] === 0);
      // Wide frames leave a gap of one pixel to the next.
      (isDim ? dim : bright)[buckets[node]].push(left, top, wide > 3 ? wide - 1 : wide);
      if (wide >= MIN_TEXT_PIXELS) texts.push(node, left, top, wide);
    });
  }
  context.globalAlpha = DIMMED;
  fillBlocks(context, palette, dim);
  context.globalAlpha = 1;
  fillBlocks(context, palette, bright);
  paintTexts(context, scene, texts);
  paintOutlines(context, scene, viewport);
}

function visibleRows(scene: Scene, viewport: Viewport): readonly [first: number, last: number] {
  const a = depthAt(scene, viewport, 0);
  const b = depthAt(scene, viewport, viewport.height - 1);
  return [Math.max(scene.firstDepth, Math.min(a, b)), Math.min(levelCount(scene.tree) - 1, Math.max(a, b))];
}

function fillBlocks(context: CanvasRenderingContext2D, palette: Palette, byBucket: readonly Blocks[]): void {
  for (const [bucket, blocks] of byBucket.entries()) {
    if (blocks.length === 0) continue;
    context.fillStyle = palette.fills[bucket];
    for (let i = 0; i < blocks.length; i += 3) {
      context.fillRect(blocks[i], blocks[i + 1], blocks[i + 2], ROW_PIXELS - 1);
    }
  }
}

function paintTexts(context: CanvasRenderingContext2D, scene: Scene, texts: readonly number[]): void {
  const { tree, palette, buckets, matched } = scene;
  const perCharacter = context.measureText('0').width;
  context.textBaseline = 'middle';
  let ink = '';
  for (let i = 0; i < texts.length; i += 4) {
    const [node, left, top, wide] = [texts[i], texts[i + 1], texts[i + 2], texts[i + 3]];
    const text = fitSymbol(nameOf(tree, node), Math.floor((wide - 2 * PADDING_PIXELS) / perCharacter));
    if (text === '') continue;
    const isDim = matched !== undefined && (node === 0 || matched[tree.frame[node]] === 0);
    const wanted = isDim ? palette.ink : palette.inks[buckets[node]];
    if (wanted !== ink) context.fillStyle = ink = wanted;
    context.fillText(text, left + PADDING_PIXELS, top + ROW_PIXELS / 2);
  }
}

/** Outlines the selected and the hovered frame; underlines other frames of the selected function. */
function paintOutlines(context: CanvasRenderingContext2D, scene: Scene, viewport: Viewport): void {
  const { tree, palette, selected, hovered } = scene;
  const [first, last] = visibleRows(scene, viewport);
  if (selected > 0) {
    context.fillStyle = palette.focus;
    for (let depth = first; depth <= last; depth++) {
      const top = rowTop(scene, viewport, depth);
      visibleFrames(tree, scene.window, viewport.width, depth, (node, from, to, merged) => {
        if (merged || tree.frame[node] !== tree.frame[selected]) return;
        const left = Math.max(from, 0);
        context.fillRect(left, top + ROW_PIXELS - 3, Math.min(to, viewport.width) - left, 2);
      });
    }
  }
  if (hovered >= 0 && hovered !== selected) outline(context, scene, viewport, hovered, palette.line, 1);
  if (selected >= 0) outline(context, scene, viewport, selected, palette.focus, scene.hasFocus ? 2 : 1.5);
}

function outline(
  context: CanvasRenderingContext2D,
  scene: Scene,
  viewport: Viewport,
  node: number,
  style: string,
  thickness: number,
): void {
  const { tree, window } = scene;
  const scale = viewport.width / (window.right - window.left);
  const from = (tree.x[node] - window.left) * scale;
  const to = from + tree.width[node] * scale;
  if (to < 0 || from > viewport.width) return;
  const left = Math.max(from, 0);
  const inset = thickness / 2;
  // The outline of a very narrow frame must still be visible.
  const wide = Math.max(Math.min(to, viewport.width) - left, 5);
  context.strokeStyle = style;
  context.lineWidth = thickness;
  context.strokeRect(
    left + inset,
    rowTop(scene, viewport, tree.depth[node]) + inset,
    wide - thickness,
    ROW_PIXELS - 1 - thickness,
  );
}
