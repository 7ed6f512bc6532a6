/**
 * What is taken and not on disk yet: usually for one round, longer while the disk refuses. Takes no more than its bound.
 *
 *     addSample -> batches by group -(commit)-> rows -> the file
 */
import zlib from 'node:zlib';
import { bytesOf, type RecordRow, ROW_BYTES } from '../../tables.ts';
import { ScrapeBatch } from '../../codec/scrape-batch.ts';
import type { Values } from '../../records.ts';
import type { Database } from './database.ts';
import { saveRecord } from './record-tables.ts';

interface ScrapeRow {
  readonly group: number;
  readonly sampleCount: number;
  readonly body: Uint8Array;
}

export class PendingWrites {
  readonly #maxBytes: number;
  #batches = new Map<number, ScrapeBatch>();
  #batchBytes = 0;
  #scrapes: ScrapeRow[] = [];
  #records: RecordRow[] = [];
  #rowBytes = 0;
  sampleCount: number = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get isEmpty(): boolean {
    return this.sampleCount === 0 && this.#records.length === 0;
  }

  get bytes(): number {
    return this.#batchBytes + this.#rowBytes;
  }

  get isFull(): boolean {
    return this.bytes >= this.#maxBytes;
  }

  addSample(group: number, place: number, at: number, metrics: readonly number[], values: Values): boolean {
    if (this.isFull) return false;
    let batch = this.#batches.get(group);
    if (batch === undefined) this.#batches.set(group, (batch = new ScrapeBatch()));
    const before = batch.bytes;
    batch.add(place, at, metrics, values);
    this.#batchBytes += batch.bytes - before;
    this.sampleCount++;
    return true;
  }

  addRecord(record: RecordRow): boolean {
    if (this.isFull) return false;
    this.#records.push(record);
    this.#rowBytes += bytesOf(record);
    return true;
  }

  /** Within a transaction; call `committed` after it. */
  save(db: Database): readonly ScrapeRow[] {
    this.#closeBatches();
    for (const { group, sampleCount, body } of this.#scrapes)
      db.run('INSERT INTO scrapes (target_group, sample_count, body) VALUES (?, ?, ?)', [group, sampleCount, body]);
    for (const record of this.#records) saveRecord(db, record);
    return this.#scrapes;
  }

  committed(): void {
    this.#scrapes = [];
    this.#records = [];
    this.#rowBytes = 0;
    this.sampleCount = 0;
  }

  #closeBatches(): void {
    for (const [group, batch] of this.#batches) {
      const body = batch.encode(zlib);
      this.#scrapes.push({ group, sampleCount: batch.sampleCount, body });
      this.#rowBytes += body.length + ROW_BYTES;
    }
    this.#batches = new Map();
    this.#batchBytes = 0;
  }
}
