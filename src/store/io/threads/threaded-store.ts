/** A store that runs in another thread; serve-store.ts is its other side. */
import { packRows, type SampleRow } from '../../codec/packed-rows.ts';
import { type WatchStore, StoreError, type StoreErrorKind } from '../../ports.ts';
import { bytesOf, rowOf } from '../../tables.ts';
import type { Thread } from './start-thread.ts';
import {
  isStorableSample,
  type ReplayPart,
  type ReplayQuery,
  type CommitResult,
  type StoreStatus,
  withLosses,
} from '../../records.ts';

/** What serve-store.ts answers to calls after which the status may be another. */
export interface WithStatus<T> {
  readonly result: T;
  readonly status: StoreStatus;
}

/** What a sample and its values take up on their way. */
const SAMPLE_BYTES = 32;
const VALUE_BYTES = 16;
/** Packing them takes about a millisecond. */
const SENT_AT_ONCE = 200;

/**
 * `maxWaitingBytes` bounds what waits in memory, on both sides together; the store on the other side must have no such
 * bound of its own. Throws a StoreError, and ends the thread then.
 */
export async function openThreadedStore(thread: Thread, maxWaitingBytes: number): Promise<WatchStore> {
  /** Samples that have not been sent yet: some at once are cheaper. */
  let unsent: SampleRow[] = [];
  const sendSamples = (): void => {
    if (unsent.length === 0) return;
    thread.tell('addSamples', packRows(unsent));
    unsent = [];
  };
  const tell = (method: string, ...args: unknown[]): boolean => {
    sendSamples();
    return thread.tell(method, ...args);
  };
  const ask: Ask = (method, ...args) => {
    sendSamples();
    return thread.ask<never>(method, ...args).catch((error: Error & { kind?: StoreErrorKind }) => {
      throw error.name === 'StoreError' && error.kind !== undefined ? new StoreError(error.kind, error.message) : error;
    });
  };
  let credit: WriteCredit;
  try {
    credit = new WriteCredit(maxWaitingBytes, await ask<StoreStatus>('open'));
  } catch (error) {
    await thread.close();
    throw error;
  }
  const askWithStatus = async <T>(method: string, ...args: unknown[]): Promise<T> => {
    const mark = credit.mark();
    const { result, status } = await ask<WithStatus<T>>(method, ...args);
    credit.settle(mark, status);
    return result;
  };
  let closing: Promise<void> | undefined;
  return {
    putTarget: (target, attributes) => void tell('putTarget', target, attributes),
    addSample(target, at, values) {
      const isTaken = isStorableSample(target, { at, values }) && credit.hasRoom && !thread.hasEnded;
      if (!isTaken) {
        credit.lostSamples++;
        return false;
      }
      credit.write(SAMPLE_BYTES + VALUE_BYTES * Object.keys(values).length, 1);
      unsent.push({ target, at, values });
      if (unsent.length >= SENT_AT_ONCE) sendSamples();
      return true;
    },
    put(record) {
      if (!credit.hasRoom || !tell('put', record)) return false;
      credit.write(bytesOf(rowOf(record)), 0);
      return true;
    },
    records: query => ask('records', query),
    commit: () => askWithStatus<CommitResult>('commit'),
    addCapture: capture => askWithStatus('addCapture', capture),
    maintain: now => askWithStatus('maintain', now),
    targets: only => ask('targets', only),
    latest: target => ask('latest', target),
    query: query => ask('query', query),
    replay: query => replay(ask, thread, query),
    readProfile: sha256 => ask('readProfile', sha256),
    status: () => credit.status(),
    close: () => {
      closing ??= ask<void>('close').finally(() => thread.close());
      return closing;
    },
  };
}

type Ask = <T>(method: string, ...args: unknown[]) => Promise<T>;

let nextReplay = 1;

/** One part at a time: the reader sets the pace. */
async function* replay(ask: Ask, thread: Thread, query: ReplayQuery): AsyncGenerator<ReplayPart> {
  const id = nextReplay++;
  await ask('replay', id, query);
  try {
    for (;;) {
      const part = await ask<ReplayPart | undefined>('replayNext', id);
      if (part === undefined) return;
      yield part;
    }
  } finally {
    thread.tell('replayEnd', id);
  }
}

/**
 * How much may wait in the other thread, counted on this side: whether a write is taken has to be known at once, and the
 * other side answers later.
 *
 *     written                    everything that was ever sent
 *     settled                    the part of it that the other side had when it last answered
 *     reported                   what waited there at that moment, because it was not committed yet
 *
 *     reported + written - settled < maxBytes      there is room
 *
 * The other side must take whatever there was room for here.
 *
 * What had been written when a call was made.
 */
interface Mark {
  readonly bytes: number;
  readonly samples: number;
}

class WriteCredit {
  /** Samples that there was no room for. */
  lostSamples = 0;
  readonly #maxBytes: number;
  #written: Mark = { bytes: 0, samples: 0 };
  #settled: Mark = { bytes: 0, samples: 0 };
  #reported: StoreStatus;

  constructor(maxBytes: number, status: StoreStatus) {
    this.#maxBytes = maxBytes;
    this.#reported = status;
  }

  get hasRoom(): boolean {
    return this.#reported.waitingBytes + this.#written.bytes - this.#settled.bytes < this.#maxBytes;
  }

  write(bytes: number, samples: number): void {
    this.#written = { bytes: this.#written.bytes + bytes, samples: this.#written.samples + samples };
  }

  mark(): Mark {
    return this.#written;
  }

  /** The other side answered a call, with its status after everything that had been written at the mark. */
  settle(mark: Mark, status: StoreStatus): void {
    this.#reported = status;
    // Answers may overtake each other: a capture takes longer than a commit.
    if (mark.bytes > this.#settled.bytes) this.#settled = mark;
  }

  status(): StoreStatus {
    const { degraded } = this.#reported;
    const lostSamples = this.#reported.lostSamples + this.lostSamples;
    return {
      ...this.#reported,
      degraded: this.hasRoom ? degraded : withLosses(degraded ?? 'The disk is too slow.', lostSamples),
      waitingSamples: this.#reported.waitingSamples + this.#written.samples - this.#settled.samples,
      waitingBytes: this.#reported.waitingBytes + this.#written.bytes - this.#settled.bytes,
      lostSamples,
    };
  }
}
