/** Evidence in memory, which refuses or delays on demand. */
import { createHash } from 'node:crypto';
import {
  StoreError,
  type EvidenceFile,
  type EvidenceFiles,
  type EvidenceStatus,
  isSha256,
  ALL_IS_KEPT,
} from '../../src/store/ports.ts';

export class MemoryEvidence implements EvidenceFiles {
  readonly place: string;
  readonly kept: Map<string, Uint8Array>;
  /** What was asked, in order: `put abcdef...`. */
  readonly calls: string[] = [];
  /** Called before each request: it may throw, or take its time. */
  before: (call: string) => void | Promise<void> = () => {};

  constructor(place = 'memory', kept: Map<string, Uint8Array> = new Map()) {
    this.place = place;
    this.kept = kept;
  }

  async open(): Promise<void> {}

  async put(sha256: string, bytes: Uint8Array): Promise<void> {
    await this.#request('put', sha256);
    this.kept.set(sha256, bytes.slice());
  }

  async read(sha256: string): Promise<Uint8Array | undefined> {
    await this.#request('read', sha256);
    const bytes = this.kept.get(sha256);
    if (bytes !== undefined && createHash('sha256').update(bytes).digest('hex') !== sha256)
      throw new StoreError('damaged', `profile ${sha256.slice(0, 12)} is not what was written: it was changed`);
    return bytes;
  }

  async size(sha256: string): Promise<number | undefined> {
    await this.#request('size', sha256);
    return isSha256(sha256) ? this.kept.get(sha256)?.length : undefined;
  }

  async remove(sha256: string): Promise<void> {
    await this.#request('remove', sha256);
    this.kept.delete(sha256);
  }

  async *list(): AsyncGenerator<EvidenceFile> {
    await this.#request('list', '');
    for (const [sha256, bytes] of this.kept) yield { sha256, bytes: bytes.length };
  }

  status(): EvidenceStatus {
    return ALL_IS_KEPT;
  }

  async close(): Promise<void> {}

  async #request(method: string, sha256: string): Promise<void> {
    this.calls.push(`${method} ${sha256}`);
    await this.before(`${method} ${sha256}`);
  }
}
