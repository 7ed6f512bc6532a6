/**
 * A store that runs in a thread of its own: `openThreadedStore` is the side that uses it, `serveStore` the one that has it.
 */
import { packRows, type SampleRow, eachRow, type PackedShape } from '../codec/packed-rows.ts';
import { type WatchStore, StoreError, type StoreErrorKind, type ServedStore } from '../ports.ts';
import { bytesOf, rowOf } from '../tables.ts';
import { type Thread, type MessageEnd, serveCalls } from './start-thread.ts';
import {
  isStorableSample,
  type NewCapture,
  type NewRecord,
  type RecordKind,
  type RecordKinds,
  type RecordQuery,
  type Sample,
  type SampleQuery,
  type SampleSeries,
  type StoredCapture,
  type StoredTarget,
  type ReplayPart,
  type ReplayQuery,
  type CommitResult,
  type StoreStatus,
  withLosses,
} from '../records.ts';
import { assert } from '../../base/errors.ts';

/** What `serveStore` answers to calls after which the status may be another. */
interface WithStatus<T> {
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
  try {
    return new ThreadedStore(thread, new WriteCredit(maxWaitingBytes, await ask<StoreStatus>(thread, 'open')));
  } catch (error) {
    await thread.close();
    throw error;
  }
}

class ThreadedStore implements WatchStore {
  readonly #thread: Thread;
  readonly #credit: WriteCredit;
  /** Samples that have not been sent yet: some at once are cheaper. */
  #unsent: SampleRow[] = [];
  #lastReplay = 0;
  #closing: Promise<void> | undefined;

  constructor(thread: Thread, credit: WriteCredit) {
    this.#thread = thread;
    this.#credit = credit;
  }

  putTarget(target: string, attributes: Readonly<Record<string, string>>): void {
    this.#tell('putTarget', target, attributes);
  }

  addSample(target: string, at: number, values: Readonly<Record<string, number>>): boolean {
    const credit = this.#credit;
    const isTaken = isStorableSample(target, { at, values }) && credit.hasRoom && !this.#thread.hasEnded;
    if (!isTaken) {
      credit.lostSamples++;
      return false;
    }
    credit.write(SAMPLE_BYTES + VALUE_BYTES * Object.keys(values).length, 1);
    this.#unsent.push({ target, at, values });
    if (this.#unsent.length >= SENT_AT_ONCE) this.#sendSamples();
    return true;
  }

  put(record: NewRecord): boolean {
    if (!this.#credit.hasRoom || !this.#tell('put', record)) return false;
    this.#credit.write(bytesOf(rowOf(record)), 0);
    return true;
  }

  records<K extends RecordKind>(query: RecordQuery<K>): Promise<readonly RecordKinds[K][]> {
    return this.#ask('records', query);
  }

  commit(): Promise<CommitResult> {
    return this.#askWithStatus('commit');
  }

  addCapture(capture: NewCapture): Promise<StoredCapture> {
    return this.#askWithStatus('addCapture', capture);
  }

  maintain(now: number): Promise<void> {
    return this.#askWithStatus('maintain', now);
  }

  targets(only?: readonly string[]): Promise<readonly StoredTarget[]> {
    return this.#ask('targets', only);
  }

  latest(target: string): Promise<Sample | undefined> {
    return this.#ask('latest', target);
  }

  query(query: SampleQuery): Promise<readonly SampleSeries[]> {
    return this.#ask('query', query);
  }

  /** One part at a time: the reader sets the pace. */
  async *replay(query: ReplayQuery): AsyncGenerator<ReplayPart> {
    const id = ++this.#lastReplay;
    await this.#ask('replay', id, query);
    try {
      for (;;) {
        const part = await this.#ask<ReplayPart | undefined>('replayNext', id);
        if (part === undefined) return;
        yield part;
      }
    } finally {
      this.#thread.tell('replayEnd', id);
    }
  }

  readProfile(sha256: string): Promise<Uint8Array | undefined> {
    return this.#ask('readProfile', sha256);
  }

  status(): StoreStatus {
    return this.#credit.status();
  }

  close(): Promise<void> {
    this.#closing ??= this.#ask<void>('close').finally(() => this.#thread.close());
    return this.#closing;
  }

  #sendSamples(): void {
    if (this.#unsent.length === 0) return;
    this.#thread.tell('addSamples', packRows(this.#unsent));
    this.#unsent = [];
  }

  #tell(method: string, ...args: unknown[]): boolean {
    this.#sendSamples();
    return this.#thread.tell(method, ...args);
  }

  #ask<T>(method: string, ...args: unknown[]): Promise<T> {
    this.#sendSamples();
    return ask(this.#thread, method, ...args);
  }

  async #askWithStatus<T>(method: string, ...args: unknown[]): Promise<T> {
    const mark = this.#credit.mark();
    const { result, status } = await this.#ask<WithStatus<T>>(method, ...args);
    this.#credit.settle(mark, status);
    return result;
  }
}

async function ask<T>(thread: Thread, method: string, ...args: unknown[]): Promise<T> {
  return thread.ask<T>(method, ...args).catch((error: Error & { kind?: StoreErrorKind }) => {
    throw error.name === 'StoreError' && error.kind !== undefined ? new StoreError(error.kind, error.message) : error;
  });
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

/** `open` is called once, when the other side asks for it. In a thread, over the port to whoever started it. */
export function serveStore(open: () => Promise<ServedStore>, port?: MessageEnd): void {
  let opened: ServedStore | undefined;
  const replays = new Map<number, AsyncIterator<ReplayPart>>();
  const store = (): ServedStore => {
    assert(opened !== undefined, 'the store is not open');
    return opened;
  };
  const withStatus = <T>(result: T): WithStatus<T> => ({ result, status: store().status() });
  const methods = {
    open: async () => {
      opened = await open();
      return opened.status();
    },
    putTarget: (...args: Parameters<WatchStore['putTarget']>) => store().putTarget(...args),
    addSamples: (shapes: readonly PackedShape[]) => {
      eachRow(shapes, (...row) => store().addValues(...row));
    },
    put: (record: NewRecord) => store().put(record),
    records: (query: RecordQuery) => store().records(query),
    commit: async () => withStatus(await store().commit()),
    addCapture: async (capture: NewCapture) => withStatus(await store().addCapture(capture)),
    maintain: async (now: number) => withStatus(await store().maintain(now)),
    targets: (only: readonly string[] | undefined) => store().targets(only),
    latest: (target: string) => store().latest(target),
    query: (query: SampleQuery) => store().query(query),
    readProfile: (sha256: string) => store().readProfile(sha256),
    replay: (id: number, query: ReplayQuery) => void replays.set(id, store().replay(query)[Symbol.asyncIterator]()),
    replayNext: async (id: number) => {
      const next = await replays.get(id)?.next();
      if (next === undefined || next.done === true) {
        replays.delete(id);
        return undefined;
      }
      return next.value;
    },
    replayEnd: async (id: number) => {
      await replays.get(id)?.return?.();
      replays.delete(id);
    },
    close: () => store().close(),
  };
  serveCalls(methods, port);
}
