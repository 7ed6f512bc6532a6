import { elementAt } from './errors.ts';

/** Starts work only while there is room for it, such as memory; the rest waits in order. */
export class BoundedWork {
  #free: number;
  readonly #room: number;
  readonly #waiting: { readonly size: number; readonly begin: () => void }[] = [];

  constructor(room: number) {
    this.#room = room;
    this.#free = room;
  }

  /** What is larger than all the room is done alone. */
  async do<T>(size: number, work: () => Promise<T>): Promise<T> {
    const taken = Math.min(size, this.#room);
    if (this.#waiting.length > 0 || taken > this.#free)
      await new Promise<void>(begin => this.#waiting.push({ size: taken, begin }));
    else this.#free -= taken;
    try {
      return await work();
    } finally {
      this.#free += taken;
      this.#next();
    }
  }

  #next(): void {
    for (let first = this.#waiting[0]; first !== undefined && first.size <= this.#free; first = this.#waiting[0]) {
      this.#waiting.shift();
      this.#free -= first.size;
      first.begin();
    }
  }
}

/**
 * Work on long lists that lets other work run in between. The result does not depend on the slices.
 *
 *     await eachInSlices(targets, 1000, target => count(target));
 *     const sorted = await sortedInSlices(rows, (a, b) => a.size - b.size);
 */
export async function eachInSlices<T>(
  items: readonly T[],
  sliceLength: number,
  take: (item: T, index: number) => void,
): Promise<void> {
  for (const [i, item] of items.entries()) {
    if (i > 0 && i % sliceLength === 0) await yieldToEventLoop();
    take(item, i);
  }
}

/** Items that are sorted or merged at once: about a millisecond. */
const SLICE = 2048;

/** As `toSorted`: equal items keep their order. */
export async function sortedInSlices<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
  sliceLength: number = SLICE,
): Promise<T[]> {
  let runs: T[][] = [];
  for (let from = 0; from < items.length; from += sliceLength) {
    if (from > 0) await yieldToEventLoop();
    runs.push(items.slice(from, from + sliceLength).sort(compare));
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let i = 0; i < runs.length; i += 2)
      merged.push(await merge(elementAt(runs, i), runs[i + 1] ?? [], compare, sliceLength));
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge<T>(a: T[], b: T[], compare: (a: T, b: T) => number, sliceLength: number): Promise<T[]> {
  const [lastOfA, firstOfB] = [a.at(-1), b[0]];
  if (lastOfA === undefined || firstOfB === undefined) return a.length === 0 ? b : a;
  // What was sorted before is mostly sorted still.
  if (compare(lastOfA, firstOfB) <= 0) return a.concat(b);
  const merged: T[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (merged.length % sliceLength === 0) await yieldToEventLoop();
    const [x, y] = [elementAt(a, i), elementAt(b, j)];
    if (compare(x, y) <= 0) {
      merged.push(x);
      i++;
    } else {
      merged.push(y);
      j++;
    }
  }
  return merged.concat(a.slice(i), b.slice(j));
}

/** Lets everything else that is waiting run first, so that long work does not block the event loop. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}
