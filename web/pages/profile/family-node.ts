import { nodeAlong, type CallTree } from '../../call-tree/call-tree.ts';
import { parseFrame } from '../../text/stack-text.ts';

/** The node at the end of a family's example stack, as far as the tree has it; -1 if it has none of it. */
export function nodeOfExample(tree: CallTree, example: readonly string[]): number {
  const names = example.map(line => parseFrame(line).name).reverse();
  const node = nodeAlong(tree, names);
  return node > 0 ? node : -1;
}
