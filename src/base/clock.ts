/** The time of what is watched: the real time, or that of a recording. */
export interface WatchClock {
  /** Unix seconds. */
  now(): number;
  /** Resolves after this many seconds of that time, or as soon as the signal aborts; never rejects. */
  sleep(seconds: number, signal: AbortSignal): Promise<void>;
}
