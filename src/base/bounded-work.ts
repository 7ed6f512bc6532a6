/** Work that takes room, such as memory: no more at once than there is room for; the rest waits in its order. */
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
