/**
 * Notices on their way: kept in the store until their destination took them, in order, each destination on its own.
 *
 *     put -> store -> deliver -+-> delivered: dropped
 *               ^              +-> failed: again after 1, 2, 4 ... 600 s
 *               +--------------+   refused: dropped and logged
 */
import { oneLine } from '../../base/text-layout.ts';
import type { DestinationStatus, Notice } from '../../store/notification.ts';
import type { WatchClock } from '../../base/clock.ts';
import { type NoticeDestination, sleepOrWoken } from './destination.ts';
import type { Delivery } from '../../live/reply.ts';
import type { RecordStore } from '../../store/ports.ts';

/** For one destination; beyond it, the oldest are dropped. */
const MAX_WAITING = 1000;
const FIRST_PAUSE_SECONDS = 1;
const MAX_PAUSE_SECONDS = 600;
/** An older one says nothing new: the incidents themselves are kept. */
const MAX_AGE_SECONDS = 3 * 86_400;

export interface OutboxParts {
  readonly clock: WatchClock;
  readonly random: () => number;
  readonly store: Pick<RecordStore, 'put'>;
  readonly log: (line: string) => void;
}

export class Outbox {
  readonly #parts: OutboxParts;
  readonly #destination: NoticeDestination;
  #waiting: Notice[] = [];
  #delivered = 0;
  #dropped = 0;
  #lastDeliveredAt: number | null = null;
  #trouble: string | null = null;
  #wake: AbortController = new AbortController();

  constructor(destination: NoticeDestination, parts: OutboxParts) {
    this.#destination = destination;
    this.#parts = parts;
  }

  /** Those of an earlier run. */
  load(notices: readonly Notice[]): void {
    this.#waiting = [...notices];
  }

  put(notice: Notice): void {
    const { store } = this.#parts;
    const destination = this.#destination.name;
    if (!store.put({ kind: 'notice', record: { destination, notice } }))
      this.#parts.log(`${destination}: the queue on disk is full`);
    this.#waiting.push(notice);
    while (this.#waiting.length > MAX_WAITING) this.#drop('too many wait');
    this.#wake.abort();
  }

  status(): DestinationStatus {
    return {
      name: this.#destination.name,
      kind: this.#destination.kind,
      delivered: this.#delivered,
      waiting: this.#waiting.length,
      dropped: this.#dropped,
      lastDeliveredAt: this.#lastDeliveredAt,
      trouble: this.#trouble,
    };
  }

  /** Until the signal aborts. */
  async run(stopping: AbortSignal): Promise<void> {
    const { clock, random } = this.#parts;
    let failures = 0;
    while (!stopping.aborted) {
      const [notice] = this.#waiting;
      if (notice === undefined) {
        this.#wake = new AbortController();
        await sleepOrWoken(clock, MAX_PAUSE_SECONDS, this.#wake, stopping);
        continue;
      }
      if (clock.now() - notice.at > MAX_AGE_SECONDS) {
        this.#drop('it waited for three days');
        continue;
      }
      const retryAfter = await this.#deliver(notice, stopping);
      if (retryAfter === undefined) {
        failures = 0;
        continue;
      }
      const pause = Math.min(MAX_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** Math.min(failures++, 20));
      // Not all at once when a server is back.
      await clock.sleep(Math.max(retryAfter, pause * (0.75 + 0.5 * random())), stopping);
    }
  }

  /** Undefined if the notice is done with; otherwise the least number of seconds to wait. */
  async #deliver(notice: Notice, signal: AbortSignal): Promise<number | undefined> {
    const { clock, store, log } = this.#parts;
    const { name } = this.#destination;
    const result = await this.#destination
      .deliver(notice, signal)
      .catch((error: Error): Delivery => ({ kind: 'failed', why: oneLine(error.message) }));
    if (signal.aborted) return 0;
    if (result.kind === 'delivered') {
      if (this.#trouble !== null) log(`${name}: works again`);
      this.#trouble = null;
      this.#delivered++;
      this.#lastDeliveredAt = clock.now();
      this.#remove(notice);
      store.put({ kind: 'dropped-notice', record: { destination: name, noticeId: notice.id } });
      return undefined;
    }
    if (result.kind === 'refused') {
      this.#trouble = result.why;
      this.#drop(result.why);
      return undefined;
    }
    // Once, not with every attempt.
    if (this.#trouble === null) log(`${name}: ${result.why}; will try again`);
    this.#trouble = result.why;
    return Math.min(result.retryAfterSeconds ?? 0, MAX_PAUSE_SECONDS);
  }

  #remove(notice: Notice): void {
    const at = this.#waiting.indexOf(notice);
    if (at >= 0) this.#waiting.splice(at, 1);
  }

  /** The oldest one. */
  #drop(why: string): void {
    const notice = this.#waiting.shift();
    if (notice === undefined) return;
    this.#dropped++;
    this.#parts.store.put({
      kind: 'dropped-notice',
      record: { destination: this.#destination.name, noticeId: notice.id },
    });
    this.#parts.log(`${this.#destination.name}: the notice ${notice.id} was dropped: ${why}`);
  }
}
