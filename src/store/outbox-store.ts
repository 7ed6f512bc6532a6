import type { QueuedNotice } from './notification.ts';

/**
 * Notices that are not delivered yet. Writes become durable with the next commit, and return false if they are not
 * taken; reads see what is committed.
 */
export interface OutboxStore {
  /** Replaces a notice of the same id for the same destination. */
  putNotice(queued: QueuedNotice): boolean;
  dropNotice(destination: string, noticeId: string): boolean;
  /** In the order in which they were first put. */
  notices(): Promise<readonly QueuedNotice[]>;
}
