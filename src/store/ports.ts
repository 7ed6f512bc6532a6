/**
 * Everything that `oakum watch` remembers, in one place.
 *
 *     store.addSample('node/worker-17', at, { go_goroutines: 310, ... });                          // in memory
 *     store.put({ kind: 'event', record: { target: 'node/worker-17', at, kind: 'restart', text } });   // in memory
 *     await store.commit();                                              // all of it durable, or all of it waits
 *     await store.maintain(now);                                         // a bounded piece of upkeep
 *     await store.records({ kind: 'event', target: 'node/worker-17', since: at });
 *
 * One commit per round.
 */
import type {
  NewCapture,
  StoredCapture,
  ReplayPart,
  ReplayQuery,
  Sample,
  SampleQuery,
  SampleSeries,
  StoredTarget,
  CommitResult,
  StoreStatus,
  LeaderRecord,
  NewRecord,
  RecordKind,
  RecordKinds,
  RecordQuery,
} from './records.ts';
import { Failure } from '../base/errors.ts';
import type { StoreRow, StoreTable } from './tables.ts';

export interface WatchStore extends SampleStore, RecordStore, StoreSession {}

/** A store that another thread sends samples to, in columns. */
export interface ServedStore extends WatchStore {
  /** As `addSample`, for a sample that is storable. Lists of metrics that are the same object are looked up once. */
  addValues(target: string, at: number, metrics: readonly string[], values: Float64Array): boolean;
}

/** Everything beside samples, by kind. */
export interface RecordStore {
  /** Durable with the next commit; false if it is not taken. */
  put(record: NewRecord): boolean;
  /**
   * What is committed. Events, verdict changes and plan logs come in time order, notices in the order in which they were
   * first put, all others newest first. Of too many, the newest.
   */
  records<K extends RecordKind>(query: RecordQuery<K>): Promise<readonly RecordKinds[K][]>;
  /** Durable when it resolves. Only then do older captures make room for it. Throws a StoreError. */
  addCapture(capture: NewCapture): Promise<StoredCapture>;
  /** Bytes of a capture. Undefined if there are none; throws a StoreError if they are not what was written. */
  readProfile(sha256: string): Promise<Uint8Array | undefined>;
}

/**
 * What only the leader writes. Every commit first compares the term: what a leader writes that slept, and was replaced
 * meanwhile, is refused as a whole. Reads are those of the store.
 */
export interface LeaderStore {
  put(record: LeaderRecord): boolean;
  commit(): Promise<LeaderCommit>;
}

export type LeaderCommit =
  | 'committed'
  | 'stale' // a later term leads: nothing is written, now or later
  | 'failed'; // the store does not answer: it is tried again with the next commit

/** Targets and their samples. Writes become durable with the next commit; reads see what is committed. */
export interface SampleStore {
  /** Merges the attributes into those that the target has. A store may bound their size; the status says so. */
  putTarget(target: string, attributes: Readonly<Record<string, string>>): void;
  /**
   * Leaves out values that are not finite. True if the sample is taken: the next commit that succeeds makes it durable.
   * False if it is not: it is out of bounds (see `isStorableSample`), or the disk refuses and no more can wait. A store
   * may also bound how many targets and metrics it knows. Every sample that is not kept counts in `lostSamples`.
   */
  addSample(target: string, at: number, values: Readonly<Record<string, number>>): boolean;

  /** All, or those of these that exist. */
  targets(only?: readonly string[]): Promise<readonly StoredTarget[]>;
  /** The last that arrived; among those that arrived more than an hour ago, the latest by its time. */
  latest(target: string): Promise<Sample | undefined>;
  query(query: SampleQuery): Promise<readonly SampleSeries[]>;
  /**
   * The past in windows of six hours, for detectors: all parts of a window come before any of the next. Recent samples
   * may come as one last window.
   */
  replay(query: ReplayQuery): AsyncIterable<ReplayPart>;
}

/** A store from when it is opened until it is closed. */
export interface StoreSession {
  /**
   * Makes everything that waits durable, or nothing of it. Does not throw if the disk refuses: the result says so, and
   * the next commit tries again. What was committed survives kill -9 and a power cut.
   */
  commit(): Promise<CommitResult>;
  /** A bounded piece of upkeep; call it after each commit. */
  maintain(now: number): Promise<void>;
  status(): StoreStatus;
  /** Commits what waits, and lets the next process open the store. */
  close(): Promise<void>;
}

export type StoreErrorKind =
  | 'busy' // another process has it
  | 'damaged'
  | 'newer' // written by a later version
  | 'disk' // full, read-only, not permitted
  | 'lost' // another process took it over
  | 'unreachable' // the server of a database or a bucket does not answer; it may later
  | 'refused'; // the request is out of bounds

/** One line that says what, where, and what to do. */
export class StoreError extends Failure {
  override readonly name = 'StoreError';
  readonly kind: StoreErrorKind;

  constructor(kind: StoreErrorKind, message: string, options?: ErrorOptions) {
    super(`store-${kind}`, message, options);
    this.kind = kind;
  }
}

/**
 * Where the bytes of captures are kept, by their SHA-256. The rows that name them are in a store.
 *
 *     add       the hash is listed as loose -> put -> rows in, loose out
 *     retain    rows out, the hash is listed as loose -> remove -> loose out
 *
 * So a kill at any moment leaves no bytes behind that the store does not know. `put` and `remove` of one hash never run
 * at the same time: the store sees to that, for all processes that share it.
 */
export interface EvidenceFile {
  readonly sha256: string;
  readonly bytes: number;
}

export interface EvidenceStatus {
  /** A sentence while something cannot be kept where it belongs; null if all is well. */
  readonly degraded: string | null;
  /** Durable on this machine only, and to be moved to where they belong. */
  readonly waitingFiles: number;
  readonly waitingBytes: number;
}

export interface EvidenceFiles {
  /** As the store records it: it stays the same if the store's own folder is moved. `s3://bucket/prefix`. */
  readonly place: string;
  /** Call it before anything else, and only while no other process uses what is local. */
  open(): Promise<void>;
  /** Durable when it resolves. Bytes that are there already are fine. Throws a StoreError, or the error of the disk. */
  put(sha256: string, bytes: Uint8Array): Promise<void>;
  /** Undefined if there is none; throws a StoreError if it is not what was written. */
  read(sha256: string): Promise<Uint8Array | undefined>;
  /** The size of what is there; undefined if there is none. */
  size(sha256: string): Promise<number | undefined>;
  /** Fine if there is none. */
  remove(sha256: string): Promise<void>;
  /** May lag behind: what it leaves out can be there, and what it names can be gone. */
  list(): AsyncIterable<EvidenceFile>;
  status(): EvidenceStatus;
  /** Also if it was never opened. Ends requests to other machines. A `put` that is under way still succeeds if there is a spool. */
  close(): Promise<void>;
}

export const ALL_IS_KEPT: EvidenceStatus = { degraded: null, waitingFiles: 0, waitingBytes: 0 };

/** Names from outside become paths and keys: nothing else passes. */
export function isSha256(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** A store and its evidence belong together: with another place, its captures would be rows without bytes. */

/** A name that no file has; asking for it shows whether a place works. */
export const NO_FILE: string = '0'.repeat(64);
/** The setting under which a store records the place of its evidence. */
export const PLACE_KEY = 'store.evidence';
/** Of stores from before places were recorded: files beside the rows. */
export const OWN_FOLDER = 'files';

/**
 * Throws unless the evidence is where the store recorded it, or everything that its rows name has been copied to the
 * new place. The caller then records the new one.
 */
export async function requirePlace(
  files: EvidenceFiles,
  recorded: string | undefined,
  named: readonly EvidenceFile[],
): Promise<void> {
  const before = recorded ?? OWN_FOLDER;
  if (files.place === before) return;
  // A new place must work: a typing error should show now, not when the first capture is taken.
  await files.size(NO_FILE);
  let missing = 0;
  for (const { sha256, bytes } of named) if ((await files.size(sha256)) !== bytes) missing++;
  if (missing === 0) return;
  throw new StoreError(
    'refused',
    `${missing} of ${named.length} profiles of this store are not in ${placeText(files.place)} but in ` +
      `${placeText(before)}: copy them with oakum store copy first, or leave --evidence as it was`,
  );
}

function placeText(place: string): string {
  return place === OWN_FOLDER ? 'the data folder' : place;
}

/**
 * The rows of a store as they are, to copy and compare them. Every method throws a StoreError.
 *
 *     while ((rows = await from.read(table, after, 500)).length > 0) {
 *       await to.write(table, rows, marker);              // all or nothing, with where it continues after a kill
 *       after = keyOf(table, rows.at(-1));
 *     }
 *     await to.finish();
 */
export interface StoreRows {
  /** As the user named it, without a password. */
  readonly shown: string;
  /** The same for the same place, however it was named. */
  readonly id: string;
  /** The next rows by their key; settings of one database are left out. */
  read(table: StoreTable, after: StoreRow | undefined, limit: number): Promise<readonly StoreRow[]>;
  /** Adds rows and replaces the settings, or does neither. A setting of undefined goes away. */
  write(table: StoreTable | undefined, rows: readonly StoreRow[], settings: Settings): Promise<void>;
  setting(key: string): Promise<string | undefined>;
  /** Numbers that the database gives go on after those that were written. */
  finish(): Promise<void>;
  close(): Promise<void>;
}

export type Settings = Readonly<Record<string, string | undefined>>;

/** The setting of a store that is being copied to: how far it has come. */
export const COPY_KEY = 'store.copy';

/** Tells the replicas of this store from those of others. */
export const GROUP_SETTING = 'store.replicas';

/** Settings that say something about one database, and not about what is in it. */
export const OWN_SETTINGS: readonly string[] = ['store.evidence', 'store.schema', 'store.copy', GROUP_SETTING];

/** A store with half of its rows would be taken for one that forgot the rest. */
export function refuseHalfCopy(marker: string | undefined, shown: string): void {
  if (marker === undefined) return;
  throw new StoreError(
    'refused',
    `${shown} is an unfinished copy: run the same oakum store copy again until it ends, or choose another place`,
  );
}
