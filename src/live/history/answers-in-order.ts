/** Does a few things at a time, and gives the results in order. */
export async function* answersInOrder<T>(tasks: Iterable<() => Promise<T>>, atOnce: number): AsyncGenerator<T> {
  const running: Promise<T>[] = [];
  const next = tasks[Symbol.iterator]();
  const start = (): void => {
    const { done, value } = next.next();
    if (done === true) return;
    const one = value();
    // Whoever takes the result hears of a failure; one that nobody takes any more is none.
    one.catch(() => undefined);
    running.push(one);
  };
  for (let i = 0; i < atOnce; i++) start();
  for (let first = running.shift(); first !== undefined; first = running.shift()) {
    const result = await first;
    start();
    yield result;
  }
}
