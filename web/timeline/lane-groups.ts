/** Groups items on a lane that would overlap. */

export interface LaneGroup<T> {
  /** Pixels from the left end of the lane. */
  readonly x: number;
  readonly first: T;
  /** All items of the group, including the first. */
  readonly items: readonly T[];
}

/** In time order, without items outside of the range. */
export function groupOverlapping<T extends { readonly at: number }>(
  items: readonly T[],
  [from, to]: readonly [number, number],
  width: number,
  minDistance: number,
): LaneGroup<T>[] {
  const groups: { x: number; first: T; items: T[] }[] = [];
  for (const item of items.toSorted((a, b) => a.at - b.at)) {
    if (item.at < from || item.at > to) continue;
    const x = ((item.at - from) / (to - from)) * width;
    const last = groups.at(-1);
    if (last !== undefined && x - last.x < minDistance) last.items.push(item);
    else groups.push({ x, first: item, items: [item] });
  }
  return groups;
}
