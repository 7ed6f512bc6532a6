/**
 * Work that several callers wait for is done once. It ends early when the last of them has given up:
 *
 *     caller A  |-----x            gives up at its deadline; the work goes on for B
 *     caller B     |--------x      gives up too: the work's own signal aborts
 */
export type Work<T> = (signal: AbortSignal) => Promise<T>;

/** `gaveUp` is what a caller is told that gives up before the others. */
export function sharedWork<T>(start: Work<T>, gaveUp: () => Error): Work<T> {
  let running: Run<T> | undefined;
  return callers => {
    if (running === undefined) {
      const stop = new AbortController();
      const run: Run<T> = { result: start(stop.signal), stop, waiting: 0 };
      running = run;
      const done = (): void => {
        if (running === run) running = undefined;
      };
      run.result.then(done, done);
    }
    const run = running;
    run.waiting++;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        run.waiting--;
        if (run.waiting > 0) {
          reject(gaveUp());
          return;
        }
        run.stop.abort();
        // Whoever comes now starts anew.
        if (running === run) running = undefined;
      };
      if (callers.aborted) leave();
      else callers.addEventListener('abort', leave, { once: true });
      run.result.then(resolve, reject).finally(() => callers.removeEventListener('abort', leave));
    });
  };
}

interface Run<T> {
  readonly result: Promise<T>;
  readonly stop: AbortController;
  waiting: number;
}
