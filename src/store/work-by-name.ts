/** Work on one name is done in turn; work on different names goes on at the same time. */
export class WorkByName {
  readonly #last = new Map<string, Promise<unknown>>();

  async do<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const done = before.then(work);
    const settled = done.catch(() => {});
    this.#last.set(name, settled);
    try {
      return await done;
    } finally {
      if (this.#last.get(name) === settled) this.#last.delete(name);
    }
  }
}
