/** What a right click on a frame offers. */
import { frameName, pathTo, placeOf, type CallTree } from './call-tree.ts';
import { functionTotals } from './function-totals.ts';
import { stackFolded, stackText, type StackFrame, symbolOf } from '../widgets/short-names.ts';
import { copyText } from '../widgets/copy-text.ts';
import type { MenuEntry } from '../widgets/context-menu.tsx';
import { eitherOf, exactly, type FilterWord } from '../reader/filters.ts';
import { type ChangeAddress, NEW_TREE, type GraphTab, type ViewAddress } from './view-address.ts';

export interface FrameMenuOptions {
  readonly tree: CallTree;
  readonly address: ViewAddress;
  readonly change: ChangeAddress;
  /** The tree of the page, if `tree` is half of a sandwich. */
  readonly whole?: CallTree;
  /** The halves of a sandwich: their stacks do not begin at the root. */
  readonly isPartial?: boolean;
}

const FILTERS: readonly (readonly [word: FilterWord, name: string])[] = [
  ['focus', 'Focus: only stacks with it'],
  ['ignore', 'Ignore stacks with it'],
  ['hide', 'Hide its frames'],
  ['show', 'Show only its frames'],
  ['show_from', 'Show from it, without its callers'],
];

export function frameMenu(options: FrameMenuOptions, node: number): MenuEntry[] {
  const { tree, address, change, isPartial } = options;
  const show = (tab: GraphTab) => (): void => {
    const totals = functionTotals(options.whole ?? tree);
    change({ tab, search: '', node: totals.find(total => total.frame === tree.frame[node])?.node ?? -1 });
  };
  const frame = tree.frame[node];
  if (frame < 0) return [];
  const name = frameName(tree, frame);
  const copy = (text: string) => (): void => void copyText(text);
  const entries: MenuEntry[] = [];
  if (tree.frames.isLabel[frame] === 0) {
    const { filters } = address;
    const symbol = exactly(symbolOf(name));
    entries.push(
      ...FILTERS.map(([word, text], i) => ({
        name: text,
        // A second function to ignore or hide is ignored as well; a second focus replaces the first.
        run: () =>
          change({
            filters: {
              ...filters,
              [word]:
                word === 'ignore' || word === 'hide' || word === 'show' ? eitherOf(filters[word], symbol) : symbol,
            },
            ...NEW_TREE,
          }),
        startsGroup: i === 0,
      })),
      { name: 'Show its callers and callees', run: show('sandwich'), startsGroup: true },
      { name: 'Peek at its calls', run: show('peek') },
      { name: 'Show its source lines', run: show('source') },
      { name: 'Highlight it everywhere', run: () => change({ search: exactly(name) }) },
    );
  }
  entries.push({ name: 'Copy name', run: copy(name), startsGroup: true });
  if (isPartial !== true) {
    const frames = framesTo(tree, node);
    entries.push(
      { name: 'Copy stack', run: copy(stackText(frames)) },
      { name: 'Copy stack, folded', run: copy(stackFolded(frames, tree.total[node] ?? 0)) },
    );
  }
  return entries;
}

/** The stack down to a node, innermost call first, without labels. */
export function framesTo(tree: CallTree, node: number): StackFrame[] {
  return pathTo(tree, node)
    .filter(at => tree.frames.isLabel[tree.frame[at] ?? -1] === 0)
    .map(at => ({ name: frameName(tree, tree.frame[at] ?? -1), place: placeOf(tree, at) }))
    .reverse();
}
