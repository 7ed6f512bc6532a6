/** The folder that a capture fills, as the engine sees it. Everything that was written stays whole, whatever happens. */
import { Failure } from '../base/failure.ts';
import type { CaptureManifest } from '../model/capture.ts';

export interface StoredFile {
  readonly bytes: number;
  readonly sha256: string;
}

export interface CaptureFolder {
  /** As the user named it. */
  readonly path: string;
  /** Undefined where there is none; throws a FormatError when it is none of ours. */
  readManifest(): Promise<CaptureManifest | undefined>;
  /** Replaces the manifest at once and for good. Throws a FolderError. */
  writeManifest(manifest: CaptureManifest): Promise<void>;
  /** Text is compressed on the way. Throws a FolderError and leaves nothing half-written. */
  write(name: string, content: Uint8Array): Promise<StoredFile>;
  /** Whether the file is there with that size. */
  has(name: string, bytes: number): Promise<boolean>;
  /** Decompresses a body; undefined when it is damaged or larger than the cap. */
  inflate(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array | undefined>;
  /** Keeps other captures out, also those of other processes; their description when one is there. */
  lock(): Promise<FolderLock>;
}

export type FolderLock =
  { readonly kind: 'locked'; readonly release: () => Promise<void> } | { readonly kind: 'busy'; readonly by: string };

/** The file system refused; the message says why and what to do. */
export class FolderError extends Failure {
  override readonly name = 'FolderError';

  constructor(message: string, options?: ErrorOptions) {
    super('cannot-write', message, options);
  }
}
