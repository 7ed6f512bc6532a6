/**
 * Items by due time, in groups that share a number of places. A group that does not answer cannot keep the others
 * waiting:
 *
 *     100 places, 3 clusters     16 for each, which nobody else gets, and 52 for whoever is due first
 *     prod-eu hangs              it keeps its own 16; it gets more again once it answers
 *
 * A single group has all places.
 */
import { type Due, DueQueue } from './due-queue.ts';

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
