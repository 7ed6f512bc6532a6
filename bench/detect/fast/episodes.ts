/** Counts episodes; one that was gone only for a short time is the same. */
export class Episodes {
  /** When each began. */
  readonly begins: number[] = [];
  #lastUp = -Infinity;
  readonly #sameWithin: number;

  constructor(sameWithin: number) {
    this.#sameWithin = sameWithin;
  }

  /** Returns whether it is a new one. */
  note(at: number, up: boolean): boolean {
    if (!up) return false;
    const isNew = at - this.#lastUp > this.#sameWithin;
    this.#lastUp = at;
    if (isNew) this.begins.push(at);
    return isNew;
  }
}
