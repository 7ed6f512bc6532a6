/** Ctrl-C, SIGTERM and SIGHUP as an AbortSignal, so that work ends cleanly; a second signal kills the process. */
export interface StopSignal {
  readonly signal: AbortSignal;
  /** Stops the work for another reason. */
  readonly stop: () => void;
  /** Restores the default: the next signal kills the process. */
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
