/** The time of what is watched: the real time, or that of a recording played faster. */
export interface WatchClock {
  /** Unix seconds. */
  now(): number;
  /** Sleeps for seconds of that time; returns early when the signal aborts. */
  sleep(seconds: number, signal: AbortSignal): Promise<void>;
}
