/** What is due next, as a binary heap. */
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
      const parent = (i - 1) >> 1;
      if (heap[parent].at <= due.at) break;
      heap[i] = heap[parent];
      i = parent;
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
      let child = 2 * i + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && heap[child + 1].at < heap[child].at) child++;
      if (heap[child].at >= last.at) break;
      heap[i] = heap[child];
      i = child;
    }
    heap[i] = last;
    return first;
  }
}
