/**
 * What is taken and not in the database yet: usually for one round, longer while the database refuses. Takes no more than
 * its bound.
 *
 *     addSample -> batches by group, or unplaced if a name has no number yet
 *     commit    -> everything is frozen, unplaced samples are placed, all of it is written
 *
 * What is frozen does not change any more: if nobody can tell whether it was written, it is kept until that is known.
 */
import zlib from 'node:zlib';
import { bytesOf, type RecordRow, ROW_BYTES } from '../../tables.ts';
import { groupOf, ScrapeBatch, placeInGroup } from '../../codec/scrape-batch.ts';
import type { Values } from '../../records.ts';
import type { MetricNames, Attributes, TargetNames } from './name-tables.ts';

export interface ScrapeRow {
  readonly group: number;
  readonly sampleCount: number;
  readonly body: Uint8Array;
}

export interface NamedSample {
  readonly target: string;
  readonly at: number;
  readonly metrics: readonly string[];
  readonly values: Values;
}

/** First and last time. */
type Span = readonly [first: number, last: number];

export interface FrozenWrites {
  readonly scrapes: ScrapeRow[];
  unplaced: readonly NamedSample[];
  readonly records: readonly RecordRow[];
  readonly attributes: ReadonlyMap<string, Attributes>;
  readonly seen: ReadonlyMap<string, Span>;
  sampleCount: number;
  bytes: number;
}

/** What a sample and a value take up in memory. */
const SAMPLE_BYTES = 32;
const VALUE_BYTES = 16;

export class PendingWrites {
  readonly #maxBytes: number;
  readonly #targets: TargetNames;
  readonly #metrics: MetricNames;
  #frozen: readonly FrozenWrites[] = [];
  #batches = new Map<number, ScrapeBatch>();
  #unplaced: NamedSample[] = [];
  /** Their next samples are not placed either, so that all stay in order. */
  #unplacedTargets = new Set<string>();
  #records: RecordRow[] = [];
  #attributes = new Map<string, Attributes>();
  #seen = new Map<string, Span>();
  #batchBytes = 0;
  #otherBytes = 0;
  #openSamples = 0;

  constructor(maxBytes: number, targets: TargetNames, metrics: MetricNames) {
    this.#maxBytes = maxBytes;
    this.#targets = targets;
    this.#metrics = metrics;
  }

  get sampleCount(): number {
    return this.#frozen.reduce((sum, { sampleCount }) => sum + sampleCount, this.#openSamples);
  }

  get bytes(): number {
    return this.#frozen.reduce((sum, { bytes }) => sum + bytes, this.#batchBytes + this.#otherBytes);
  }

  get isFull(): boolean {
    return this.bytes >= this.#maxBytes;
  }

  /** False if there is no room. Throws a StoreError if there are too many names. */
  addSample(sample: NamedSample): boolean {
    if (this.isFull) return false;
    const { target, at, metrics, values } = sample;
    const known = this.#unplacedTargets.has(target) ? undefined : this.#targets.findFor(target, at);
    const numbers = metrics.map(metric => this.#metrics.find(metric));
    if (known !== undefined && numbers.every(number => number !== undefined)) {
      const batch = this.#batchOf(this.#batches, groupOf(known.id));
      const before = batch.bytes;
      batch.add(placeInGroup(known.id), at, numbers, values);
      this.#batchBytes += batch.bytes - before;
    } else {
      this.#metrics.willName(metrics);
      this.#targets.willName(target);
      this.#unplaced.push(sample);
      this.#unplacedTargets.add(target);
      this.#otherBytes += SAMPLE_BYTES + VALUE_BYTES * values.length;
    }
    const [first, last] = this.#seen.get(target) ?? [at, at];
    this.#seen.set(target, [Math.min(first, at), Math.max(last, at)]);
    this.#openSamples++;
    return true;
  }

  addRecord(record: RecordRow): boolean {
    if (this.isFull) return false;
    this.#records.push(record);
    this.#otherBytes += bytesOf(record);
    return true;
  }

  attributesOf(target: string): Attributes | undefined {
    return this.#attributes.get(target);
  }

  putAttributes(target: string, attributes: Attributes): void {
    this.#attributes.set(target, { ...this.#attributes.get(target), ...attributes });
  }

  /** Everything that waits. */
  freeze(): readonly FrozenWrites[] {
    const isEmpty = this.#openSamples === 0 && this.#records.length === 0 && this.#attributes.size === 0;
    if (isEmpty) return this.#frozen;
    const scrapes = closed(this.#batches);
    const bytes = this.#otherBytes + scrapeBytes(scrapes);
    const [unplaced, records, attributes, seen] = [this.#unplaced, this.#records, this.#attributes, this.#seen];
    this.#frozen = [
      ...this.#frozen,
      { scrapes, unplaced, records, attributes, seen, sampleCount: this.#openSamples, bytes },
    ];
    this.#batches = new Map();
    this.#unplacedTargets = new Set();
    [this.#unplaced, this.#records, this.#attributes, this.#seen] = [[], [], new Map(), new Map()];
    this.#batchBytes = this.#otherBytes = this.#openSamples = 0;
    return this.#frozen;
  }

  /** Encodes samples whose names have numbers by now; returns how many have none and are left out. */
  place(frozen: FrozenWrites): number {
    const batches = new Map<number, ScrapeBatch>();
    let lost = 0;
    for (const { target, at, metrics, values } of frozen.unplaced) {
      frozen.bytes -= SAMPLE_BYTES + VALUE_BYTES * values.length;
      const known = this.#targets.find(target);
      const numbers = metrics.map(metric => this.#metrics.find(metric));
      if (known !== undefined && numbers.every(number => number !== undefined))
        this.#batchOf(batches, groupOf(known.id)).add(placeInGroup(known.id), at, numbers, values);
      else lost++;
    }
    const scrapes = closed(batches);
    frozen.scrapes.push(...scrapes);
    frozen.unplaced = [];
    frozen.sampleCount -= lost;
    frozen.bytes += scrapeBytes(scrapes);
    return lost;
  }

  /** The first so many of what was frozen are in the database. */
  committed(count: number): readonly FrozenWrites[] {
    const written = this.#frozen.slice(0, count);
    for (const { seen } of written)
      for (const [target, [first, last]] of seen) this.#targets.sawAt(target, first, last);
    this.#frozen = this.#frozen.slice(count);
    return written;
  }

  #batchOf(batches: Map<number, ScrapeBatch>, group: number): ScrapeBatch {
    let batch = batches.get(group);
    if (batch === undefined) batches.set(group, (batch = new ScrapeBatch()));
    return batch;
  }
}

function closed(batches: ReadonlyMap<number, ScrapeBatch>): ScrapeRow[] {
  return Array.from(batches, ([group, batch]) => ({
    group,
    sampleCount: batch.sampleCount,
    body: batch.encode(zlib),
  }));
}

function scrapeBytes(scrapes: readonly ScrapeRow[]): number {
  return scrapes.reduce((sum, { body }) => sum + body.length + ROW_BYTES, 0);
}
