/** Where things with a moment stand on a lane; what would overlap is gathered at one place. */

export interface Placed<T> {
  /** Pixels from the lane's left end. */
  readonly x: number;
  readonly items: readonly T[];
}

/** In time order; outside of the range nothing is placed. */
export function gathered<T extends { readonly at: number }>(
  items: readonly T[],
  [from, to]: readonly [number, number],
  width: number,
  leastDistance: number,
): Placed<T>[] {
  const places: { x: number; items: T[] }[] = [];
  for (const item of items.toSorted((a, b) => a.at - b.at)) {
    if (item.at < from || item.at > to) continue;
    const x = ((item.at - from) / (to - from)) * width;
    const last = places.at(-1);
    if (last !== undefined && x - last.x < leastDistance) last.items.push(item);
    else places.push({ x, items: [item] });
  }
  return places;
}
