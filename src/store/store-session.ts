import type { CommitResult, StoreStatus } from './store-status.ts';

/** A store from when it is opened until it is closed. */
export interface StoreSession {
  /**
   * Makes everything that waits durable, or nothing of it. Does not throw if the disk refuses: the result says so, and
   * the next commit tries again. What was committed survives kill -9 and a power cut.
   */
  commit(): Promise<CommitResult>;
  /** A bounded piece of upkeep; call it after each commit. */
  maintain(now: number): Promise<void>;
  status(): StoreStatus;
  /** Commits what waits, and lets the next process open the store. */
  close(): Promise<void>;
}
