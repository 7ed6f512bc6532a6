import { nodeAlong, type CallTree } from '../../call-tree/call-tree.ts';
import { parseFrame } from '../../text/stack-text.ts';

/** The node at the end of a family's example stack; -1 if the tree lacks it. */
export function nodeOfExample(tree: CallTree, example: readonly string[]): number {
  const names = example.map(line => parseFrame(line).name).reverse();
  const node = nodeAlong(tree, names);
  return node > 0 ? node : -1;
}
