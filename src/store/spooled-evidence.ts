/**
 * Evidence far away, and a spool on this machine for what cannot be stored there now:
 *
 *     put    -> far away, while that works              the row follows when it is stored
 *            -> the spool, while it does not            durable as well, and bounded
 *     later  spool -> far away -> gone from the spool
 *
 * After a failure, the far place is left alone for a while: nobody waits for a bucket that does not answer.
 */
import { formatBytes } from '../base/say.ts';
import type { WatchClock } from '../base/clock.ts';
import { StoreError, type EvidenceFile, type EvidenceFiles, type EvidenceStatus, NO_FILE } from './ports.ts';

export interface SpoolOptions {
  readonly clock: WatchClock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly maxBytes?: number;
}

const MAX_SPOOL_BYTES = 2 ** 30;
const FIRST_PAUSE_SECONDS = 5;
const LONGEST_PAUSE_SECONDS = 300;

export class SpooledEvidence implements EvidenceFiles {
  readonly place: string;
  readonly #far: EvidenceFiles;
  readonly #spool: EvidenceFiles;
  readonly #options: SpoolOptions;
  readonly #maxBytes: number;
  readonly #waiting = new Map<string, number>();
  /** Moving a file and removing it must not overlap: what is removed would come back. */
  readonly #work = new WorkByName();
  readonly #stop = new AbortController();
  /** Aborted to start the next round at once. */
  #pause = new AbortController();
  #moving: Promise<void> = Promise.resolve();
  /** Why the far place did not work; undefined while it does. */
  #trouble: string | undefined;
  #pauseSeconds = FIRST_PAUSE_SECONDS;
  #retryAt = 0;
  #refusedFiles = 0;

  constructor(far: EvidenceFiles, spool: EvidenceFiles, options: SpoolOptions) {
    this.place = far.place;
    this.#far = far;
    this.#spool = spool;
    this.#options = options;
    this.#maxBytes = options.maxBytes ?? MAX_SPOOL_BYTES;
  }

  async open(): Promise<void> {
    await this.#spool.open();
    await this.#far.open();
    for await (const { sha256, bytes } of this.#spool.list()) this.#waiting.set(sha256, bytes);
    this.#moving = this.#moveForever();
  }

  put(sha256: string, bytes: Uint8Array): Promise<void> {
    return this.#work.do(sha256, async () => {
      if (!this.#isPausing()) {
        try {
          await this.#far.put(sha256, bytes);
          return this.#works();
        } catch (error) {
          this.#fails(error);
        }
      }
      await this.#putAside(sha256, bytes);
    });
  }

  async #putAside(sha256: string, bytes: Uint8Array): Promise<void> {
    if (this.#waiting.has(sha256)) return;
    if (this.#waitingBytes() + bytes.length > this.#maxBytes) {
      this.#refusedFiles++;
      throw new StoreError(
        'unreachable',
        `${this.#trouble}; and no more than ${formatBytes(this.#maxBytes)} may wait in the data folder`,
      );
    }
    // Counted first: others may be on their way too.
    this.#waiting.set(sha256, bytes.length);
    try {
      await this.#spool.put(sha256, bytes);
    } catch (error) {
      this.#waiting.delete(sha256);
      throw error;
    }
  }

  async read(sha256: string): Promise<Uint8Array | undefined> {
    const waiting = this.#waiting.has(sha256) ? await this.#spool.read(sha256) : undefined;
    return waiting ?? this.#far.read(sha256);
  }

  async size(sha256: string): Promise<number | undefined> {
    return this.#waiting.get(sha256) ?? this.#far.size(sha256);
  }

  remove(sha256: string): Promise<void> {
    return this.#work.do(sha256, async () => {
      await this.#spool.remove(sha256);
      this.#waiting.delete(sha256);
      if (this.#isPausing()) throw new StoreError('unreachable', this.#trouble ?? 'it does not work');
      try {
        await this.#far.remove(sha256);
        this.#works();
      } catch (error) {
        this.#fails(error);
        throw error;
      }
    });
  }

  async *list(): AsyncGenerator<EvidenceFile> {
    const waiting = new Map(this.#waiting);
    for (const [sha256, bytes] of waiting) yield { sha256, bytes };
    for await (const file of this.#far.list()) if (!waiting.has(file.sha256)) yield file;
  }

  status(): EvidenceStatus {
    const [waitingFiles, waitingBytes] = [this.#waiting.size, this.#waitingBytes()];
    return { degraded: this.#degraded(waitingFiles, waitingBytes), waitingFiles, waitingBytes };
  }

  #degraded(files: number, bytes: number): string | null {
    if (this.#trouble === undefined && files === 0) return null;
    const what =
      this.#trouble === undefined
        ? `Evidence is on its way to ${this.place}.`
        : `Evidence cannot be stored: ${this.#trouble}.`;
    const waiting = files === 0 ? '' : ` ${files} files (${formatBytes(bytes)}) wait in the data folder.`;
    const refused =
      this.#refusedFiles === 0 ? '' : ` There is no room for more: ${this.#refusedFiles} files were lost.`;
    return what + waiting + refused;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#pause.abort();
    await this.#far.close();
    await this.#moving;
    await this.#spool.close();
  }

  #waitingBytes(): number {
    let sum = 0;
    for (const bytes of this.#waiting.values()) sum += bytes;
    return sum;
  }

  #isPausing(): boolean {
    return this.#trouble !== undefined && this.#options.clock.now() < this.#retryAt;
  }

  #works(): void {
    this.#trouble = undefined;
    this.#pauseSeconds = FIRST_PAUSE_SECONDS;
    this.#refusedFiles = 0;
    this.#pause.abort();
  }

  #fails(error: unknown): void {
    if (!(error instanceof StoreError)) throw error;
    const { clock, random } = this.#options;
    this.#trouble = error.message;
    this.#retryAt = clock.now() + this.#pauseSeconds * (0.5 + random() / 2);
    this.#pauseSeconds = Math.min(2 * this.#pauseSeconds, LONGEST_PAUSE_SECONDS);
    this.#pause.abort();
  }

  /** Begins with a look at the far place, so that the status says early if it does not work. */
  async #moveForever(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#stop;
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      // Before the work, so that what happens meanwhile is looked at next.
      this.#pause = new AbortController();
      try {
        const isNeeded = isFirst || this.#trouble !== undefined;
        if (!this.#isPausing() && this.#waiting.size > 0) await this.#moveAll();
        else if (!this.#isPausing() && isNeeded && (await this.#far.size(NO_FILE)) === undefined) this.#works();
      } catch (error) {
        // The next use of a disk that fails shows the error; the files stay.
        if (error instanceof StoreError) this.#fails(error);
      }
      if (signal.aborted) return;
      const seconds = this.#trouble === undefined ? LONGEST_PAUSE_SECONDS : this.#retryAt - clock.now();
      await clock.sleep(Math.max(0, seconds), this.#pause.signal);
    }
  }

  async #moveAll(): Promise<void> {
    for (const sha256 of [...this.#waiting.keys()]) {
      if (this.#stop.signal.aborted) return;
      await this.#work.do(sha256, () => this.#move(sha256));
    }
    this.#works();
  }

  async #move(sha256: string): Promise<void> {
    const size = this.#waiting.get(sha256);
    if (size === undefined) return;
    try {
      const bytes = await this.#spool.read(sha256);
      if (bytes !== undefined) await this.#far.put(sha256, bytes);
      await this.#spool.remove(sha256);
      this.#waiting.delete(sha256);
    } catch (error) {
      // The next round begins with another: one file that nobody takes does not hold up the rest.
      this.#waiting.delete(sha256);
      this.#waiting.set(sha256, size);
      throw error;
    }
  }
}

/** Work on one name is done in turn; work on different names goes on at the same time. */
class WorkByName {
  readonly #last = new Map<string, Promise<unknown>>();

  async do<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const done = before.then(work);
    const settled = done.catch(() => {});
    this.#last.set(name, settled);
    try {
      return await done;
    } finally {
      if (this.#last.get(name) === settled) this.#last.delete(name);
    }
  }
}
