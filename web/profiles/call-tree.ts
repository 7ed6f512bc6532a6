/**
 * A call tree with a layout: nodes in preorder, in columns.
 *
 *     0 root ── 1 main ── 2 serve        depth   0 1 2 2
 *                      └─ 3 poll         end     4 4 3 4       the subtree of i is i .. end[i]
 *                                        parent -1 0 1 1
 *
 *     |root                  |           x, width       from 0 to 1; siblings side by side, the widest first
 *     |main             |                               the rest of a parent, at its right, is its self value
 *     |serve     |poll|
 *
 *     levelNodes[levelStart[d] .. levelStart[d + 1]]     the nodes at depth d, from left to right
 *
 * A tree of two profiles has `before` too; `self` and `total` then belong to the later profile.
 */
/** What shares refer to: the totals of everything, even if the tree shows only a part of it. */
export interface WholeTotals {
  readonly after: number;
  readonly before: number;
}

export interface FrameList {
  /** The function as the profile names it, or `key=value` of a label. */
  readonly names: readonly string[];
  /** Source file; '' when unknown. */
  readonly files: readonly string[];
  /** 1 for a frame that represents a label. */
  readonly isLabel: Uint8Array;
}

export interface TreeValues {
  readonly self: Float64Array;
  readonly total: Float64Array;
}

export interface CallTree extends TreeValues {
  readonly length: number;
  readonly frames: FrameList;
  /** Index into `frames`; -1 for the root. */
  readonly frame: Int32Array;
  readonly parent: Int32Array;
  readonly depth: Int32Array;
  readonly end: Int32Array;
  readonly before: TreeValues | undefined;
  readonly whole: WholeTotals;
  /** The first and the last line of a node's calls in the file of its frame; 0 when unknown. */
  readonly firstLine: Int32Array;
  readonly lastLine: Int32Array;
  readonly x: Float64Array;
  readonly width: Float64Array;
  readonly levelStart: Int32Array;
  readonly levelNodes: Int32Array;
  /** How many nodes were left out of a very large tree: its narrowest. */
  readonly droppedNodes: number;
}

/** How many rows the drawing has, including the root's. */
export function levelCount(tree: CallTree): number {
  return tree.levelStart.length - 1;
}

/** The name of a frame; '' for a frame that the tree does not have. */
export function frameName(tree: CallTree, frame: number): string {
  return tree.frames.names[frame] ?? '';
}

export function nameOf(tree: CallTree, node: number): string {
  return tree.frame[node] < 0 ? 'all' : frameName(tree, tree.frame[node]);
}

/** The nodes on the way from the root to `node`, without the root. */
export function pathTo(tree: CallTree, node: number): number[] {
  const path: number[] = [];
  for (let at = node; at > 0; at = tree.parent[at]) path.push(at);
  return path.reverse();
}

/** The change of a node's total; the total itself when nothing is compared. */
export function changeOf(tree: CallTree, node: number): number {
  return tree.total[node] - (tree.before?.total[node] ?? 0);
}

/** The change of everything; 0 when nothing is compared. */
export function wholeChange({ whole, before }: CallTree): number {
  return before === undefined ? 0 : whole.after - whole.before;
}

/** `file.go:88`, `file.go:80-95`, `file.go`, or '' when unknown. */
export function placeOf(tree: CallTree, node: number): string {
  const file = tree.frames.files[tree.frame[node]] ?? '';
  const [first, last] = [tree.firstLine[node], tree.lastLine[node]];
  if (file === '' || first === 0) return file;
  return `${file}:${first === last ? first : `${first}-${last}`}`;
}

/** The child of `node` for `frame`; -1 when there is none. */
export function childWith(tree: CallTree, node: number, frame: number): number {
  for (let child = node + 1; child < tree.end[node]; child = tree.end[child]) {
    if (tree.frame[child] === frame) return child;
  }
  return -1;
}

/** The node at the end of a path of names, as far as the tree has it; 0 when it lacks the first. */
export function nodeAlong(tree: CallTree, names: readonly string[]): number {
  let node = 0;
  for (const name of names) {
    const next = childWith(tree, node, tree.frames.names.indexOf(name));
    if (next < 0) break;
    node = next;
  }
  return node;
}

/** The end of the widest path below a node. */
export function heaviestLeaf(tree: CallTree, node: number): number {
  let at = node;
  while (tree.end[at] > at + 1) at++;
  return at;
}

/** The nodes of a call tree before it has a layout, in columns. Node 0 is the root; a parent comes before its children. */
export interface TreeNodes {
  readonly length: number;
  readonly parents: Uint32Array;
  /** Index into the frame list; 0 for the root, too. */
  readonly frames: Uint32Array;
  /** Self values; `before` is all zero unless two profiles are compared. */
  readonly after: Float64Array;
  readonly before: Float64Array;
  /** The range of a node's lines; 0 when unknown. */
  readonly firstLines: Uint32Array;
  readonly lastLines: Uint32Array;
}

/** Numbers functions by name, so that two profiles share the frames of one tree. */
export class FrameTable {
  private readonly names: string[] = [];
  private readonly files: string[] = [];
  private readonly labels: number[] = [];
  private readonly byName = new Map<string, number>();
  private readonly byLabel = new Map<string, number>();

  get length(): number {
    return this.names.length;
  }

  intern(name: string, file: string): number {
    return this.find(this.byName, name, file, 0);
  }

  /** A frame for a label; never the same as a function of that name. */
  internLabel(text: string): number {
    return this.find(this.byLabel, text, '', 1);
  }

  name(frame: number): string {
    return this.names[frame];
  }

  finish(): FrameList {
    return { names: this.names, files: this.files, isLabel: Uint8Array.from(this.labels) };
  }

  private find(index: Map<string, number>, name: string, file: string, isLabel: number): number {
    let frame = index.get(name);
    if (frame === undefined) {
      frame = this.names.push(name) - 1;
      index.set(name, frame);
      this.files.push(file);
      this.labels.push(isLabel);
    }
    return frame;
  }
}
