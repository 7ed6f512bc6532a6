/** Ctrl-C, SIGTERM and SIGHUP as an AbortSignal, so that what was begun ends in order; a second one ends at once. */
export interface StopSignal {
  readonly signal: AbortSignal;
  /** The same as Ctrl-C, where there is another reason to end. */
  readonly stop: () => void;
  /** Gives the signals back to the process. */
  readonly release: () => void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export function stopSignal(): StopSignal {
  const controller = new AbortController();
  const release = (): void => {
    for (const name of SIGNALS) process.off(name, stop);
  };
  function stop(): void {
    release();
    controller.abort();
  }
  for (const name of SIGNALS) process.on(name, stop);
  return { signal: controller.signal, stop, release };
}
