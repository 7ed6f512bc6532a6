/** The labels that are chosen as filters or roots. */
import type { LabelPair } from '../reader/sample-labels.ts';

export function samePair(a: LabelPair, b: LabelPair): boolean {
  return a.key === b.key && a.value === b.value;
}

/** Without the item if the list has it, otherwise with it at the end. */
export function toggled<Item>(
  list: readonly Item[],
  item: Item,
  isSame: (a: Item, b: Item) => boolean = (a, b) => a === b,
): readonly Item[] {
  const others = list.filter(other => !isSame(other, item));
  return others.length < list.length ? others : [...list, item];
}
