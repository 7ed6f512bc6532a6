/** Time as the watched world has it: ours, or that of a recording that is played faster. */
export interface WatchClock {
  /** Unix seconds. */
  now(): number;
  /** Seconds of the watched world; returns early when the signal says so. */
  sleep(seconds: number, signal: AbortSignal): Promise<void>;
}

/** Lets everything else that waits have its turn. */
export function breathe(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}
