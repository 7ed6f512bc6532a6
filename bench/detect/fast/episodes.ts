/** Counts how often something comes up; what was away for a short time only is the same. */
export class Episodes {
  /** When each came up. */
  readonly begins: number[] = [];
  #lastUp = -Infinity;
  readonly #sameWithin: number;

  constructor(sameWithin: number) {
    this.#sameWithin = sameWithin;
  }

  /** Says whether it is a new one. */
  note(at: number, up: boolean): boolean {
    if (!up) return false;
    const isNew = at - this.#lastUp > this.#sameWithin;
    this.#lastUp = at;
    if (isNew) this.begins.push(at);
    return isNew;
  }
}
