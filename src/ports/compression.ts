/** Compression off the event loop. */
export interface Compression {
  gzip(bytes: Uint8Array): Promise<Uint8Array>;
  /** Undefined when it is damaged or larger than the cap. */
  gunzip(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array | undefined>;
}
