import type { NewCapture, StoredCapture } from './stored-capture.ts';

/** Captures and their files. */
export interface CaptureStore {
  /** Durable when it resolves. Only then do older captures make room for it. Throws a StoreError. */
  addCapture(capture: NewCapture): Promise<StoredCapture>;

  /** Newest first; of one target, or of all. */
  captures(target?: string): Promise<readonly StoredCapture[]>;
  capture(id: string): Promise<StoredCapture | undefined>;
  /** Undefined if there is none; throws a StoreError if it is not what was written. */
  readProfile(sha256: string): Promise<Uint8Array | undefined>;
}
