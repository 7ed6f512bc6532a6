/** The folder that a capture fills. Everything written stays whole, whatever happens. */
import type { CaptureManifest } from '../../evidence/capture.ts';
import { Failure } from '../../base/errors.ts';

export interface StoredFile {
  readonly bytes: number;
  readonly sha256: string;
}

export interface CaptureFolder {
  /** As the user named it. */
  readonly path: string;
  /** Undefined if there is none; throws a FormatError if it is not a capture's. */
  readManifest(): Promise<CaptureManifest | undefined>;
  /** Replaces the manifest as a whole; durable when it resolves. Throws a FolderError. */
  writeManifest(manifest: CaptureManifest): Promise<void>;
  /** Compresses what is not compressed yet. Throws a FolderError and leaves nothing half-written. */
  write(name: string, content: Uint8Array): Promise<StoredFile>;
  /** Whether the file is there with that size. */
  has(name: string, bytes: number): Promise<boolean>;
  /** Decompresses a body if it is compressed; undefined if it is damaged or larger than the cap. */
  inflate(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array | undefined>;
  /** Keeps other captures out, also those of other processes. */
  lock(): Promise<FolderLock>;
}

/** In memory, for a capture that is stored elsewhere once it is complete. */
export interface ScratchFolder extends CaptureFolder {
  /** A file as it was written. */
  content(name: string): Uint8Array | undefined;
}

export type FolderLock =
  | { readonly kind: 'locked'; readonly release: () => Promise<void> }
  | { readonly kind: 'busy'; /** `process 17 on worker-3` */ readonly by: string };

/** The file system refused; the message says why and what to do. */
export class FolderError extends Failure {
  override readonly name = 'FolderError';

  constructor(message: string, options?: ErrorOptions) {
    super('cannot-write', message, options);
  }
}
