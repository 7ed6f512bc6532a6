/**
 * Items by due time, in groups that share a number of places. A group that does not answer cannot keep the others
 * waiting:
 *
 *     100 places, 3 clusters     16 for each, which no other gets, and 52 for those due first
 *     prod-eu hangs              it keeps its own 16; it gets more again once it answers
 *
 * A single group has all places.
 */

interface Group<T> {
  readonly queue: DueQueue<T>;
  /** Items that were taken and have not ended. */
  taken: number;
  /** Whether the last one that ended was answered. */
  answers: boolean;
}

export class FairQueue<T> {
  readonly #groups = new Map<string, Group<T>>();
  readonly #places: number;

  constructor(places: number) {
    this.#places = places;
  }

  push(group: string, due: Due<T>): void {
    let found = this.#groups.get(group);
    if (found === undefined) this.#groups.set(group, (found = { queue: new DueQueue(), taken: 0, answers: true }));
    found.queue.push(due);
  }

  /** The item that is due first among the groups that have a place. It holds the place until `ended`. */
  take(now: number): T | undefined {
    const found = this.#first();
    if (found === undefined || found.due.at > now) return undefined;
    found.group.queue.pop();
    found.group.taken++;
    return found.due.item;
  }

  ended(group: string, answered: boolean): void {
    const found = this.#groups.get(group);
    if (found === undefined) return;
    found.taken--;
    found.answers = answered;
  }

  /** When an item of a group that has a place is due; Infinity if there is none. */
  nextAt(): number {
    return this.#first()?.due.at ?? Infinity;
  }

  /** Whether an item is due that has no place. */
  hasWaiting(now: number): boolean {
    for (const { queue } of this.#groups.values()) if ((queue.peek()?.at ?? Infinity) <= now) return true;
    return false;
  }

  #first(): { readonly group: Group<T>; readonly due: Due<T> } | undefined {
    for (const [name, { queue, taken }] of this.#groups) if (queue.size === 0 && taken === 0) this.#groups.delete(name);
    const own = this.#ownPlaces();
    let borrowed = 0;
    for (const { taken } of this.#groups.values()) borrowed += Math.max(0, taken - own);
    const canBorrow = borrowed < this.#sharedPlaces(own);
    let first: { readonly group: Group<T>; readonly due: Due<T> } | undefined;
    for (const group of this.#groups.values()) {
      const due = group.queue.peek();
      if (due === undefined || (first !== undefined && first.due.at <= due.at)) continue;
      if (group.taken < own || (canBorrow && group.answers)) first = { group, due };
    }
    return first;
  }

  #ownPlaces(): number {
    const { size } = this.#groups;
    return size <= 1 ? this.#places : Math.max(1, Math.floor(this.#places / 2 / size));
  }

  /** With very many groups, one place for each is more than half of all. */
  #sharedPlaces(own: number): number {
    const { size } = this.#groups;
    return size <= 1 ? 0 : Math.max(Math.floor(this.#places / 2), this.#places - own * size);
  }
}

/** Items by due time, in a binary heap. */
interface Due<T> {
  readonly at: number;
  readonly item: T;
}

export class DueQueue<T> {
  readonly #heap: Due<T>[] = [];

  get size(): number {
    return this.#heap.length;
  }

  peek(): Due<T> | undefined {
    return this.#heap[0];
  }

  push(due: Due<T>): void {
    const heap = this.#heap;
    let i = heap.push(due) - 1;
    while (i > 0) {
      const parentAt = (i - 1) >> 1;
      const parent = heap[parentAt];
      if (parent === undefined || parent.at <= due.at) break;
      heap[i] = parent;
      i = parentAt;
    }
    heap[i] = due;
  }

  pop(): Due<T> | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let i = 0;
    for (;;) {
      const [left, right] = [heap[2 * i + 1], heap[2 * i + 2]];
      const isRight = left !== undefined && right !== undefined && right.at < left.at;
      const child = isRight ? right : left;
      if (child === undefined || child.at >= last.at) break;
      heap[i] = child;
      i = 2 * i + (isRight ? 2 : 1);
    }
    heap[i] = last;
    return first;
  }
}
