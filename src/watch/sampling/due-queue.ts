/** Items by due time, in a binary heap. */
export interface Due<T> {
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
