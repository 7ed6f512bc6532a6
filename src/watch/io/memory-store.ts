/** The store of a watch that remembers nothing when it ends: in memory, for the demo and for tests. */
import { createHash } from 'node:crypto';
import {
  type NewCapture,
  type NewRecord,
  type CommitResult,
  type StoreStatus,
  type RecordKind,
  type RecordKinds,
  type ReplayQuery,
  type StoredTarget,
  type RecordQuery,
  type StoredCapture,
  isStorableSample,
  type ReplayPart,
  type Sample,
  type SampleQuery,
  type SampleSeries,
} from '../../store/records.ts';
import { type WatchStore, StoreError } from '../../store/ports.ts';
import {
  inOrder,
  profileCells,
  type ReadCells,
  RECORD_TABLES,
  type RecordRow,
  type RecordTable,
  recordsOf,
  rowOf,
} from '../../store/tables.ts';

const WINDOW_SECONDS = 6 * 3600;

interface TargetMemory {
  attributes: Readonly<Record<string, string>>;
  readonly samples: MemorySamples;
}

/** What is committed. */
export class StoreMemory {
  readonly targets: Map<string, TargetMemory> = new Map();
  readonly profiles: Map<string, Uint8Array> = new Map();
  readonly #tables = new Map<RecordTable, Map<string, ReadCells>>();
  #lastNumber = 0;

  keep({ of, cells, isDropped }: Omit<RecordRow, 'cells'> & { readonly cells: ReadCells }): void {
    let rows = this.#tables.get(of);
    if (rows === undefined) this.#tables.set(of, (rows = new Map<string, ReadCells>()));
    const number = ++this.#lastNumber;
    const key = of.key.length === 0 ? String(number) : JSON.stringify(of.key.map(name => cells[name]));
    const known = rows.get(key);
    if (isDropped) rows.delete(key);
    else if (known === undefined || of.onRepeat === 'update') rows.set(key, { id: number, ...known, ...cells });
  }

  /** A new one if it is not known. */
  ofTarget(target: string): TargetMemory {
    let found = this.targets.get(target);
    if (found === undefined) this.targets.set(target, (found = { attributes: {}, samples: new MemorySamples() }));
    return found;
  }

  chosen(only: readonly string[] | undefined): [string, TargetMemory][] {
    const names = new Set(only);
    return [...this.targets].filter(([target]) => only === undefined || names.has(target));
  }

  find({ kind, id, target, since, until, event }: RecordQuery): readonly ReadCells[] {
    const of: RecordTable = RECORD_TABLES[kind];
    const targets = target === undefined ? undefined : new Set(typeof target === 'string' ? [target] : target);
    const found = [...(this.#tables.get(of)?.values() ?? [])].filter(
      row =>
        (id === undefined || row[of.id] === id) &&
        (targets?.has(String(row['target'])) ?? true) &&
        (since === undefined || Number(row['at']) >= since) &&
        (until === undefined || Number(row['at']) <= until) &&
        (event === undefined || row['kind'] === event),
    );
    return found.sort(inOrder(of)).slice(0, of.limit);
  }
}

/** Replicas share a memory; what is not committed is each one's own. */
export function memoryStore(memory: StoreMemory = new StoreMemory()): WatchStore {
  return new MemoryStore(memory);
}

class MemoryStore implements WatchStore {
  readonly #memory: StoreMemory;
  #pending = new Pending();
  #lostSamples = 0;
  #bytes = 0;

  constructor(memory: StoreMemory) {
    this.#memory = memory;
  }

  putTarget(target: string, attributes: Readonly<Record<string, string>>): void {
    this.#pending.changes.push(() => {
      const own = this.#memory.ofTarget(target);
      own.attributes = { ...own.attributes, ...attributes };
    });
  }

  addSample(target: string, at: number, values: Readonly<Record<string, number>>): boolean {
    if (!isStorableSample(target, { at, values })) {
      this.#lostSamples++;
      return false;
    }
    const kept = Object.fromEntries(Object.entries(values).filter(([, value]) => Number.isFinite(value)));
    this.#pending.samples++;
    this.#pending.bytes += 16 + 8 * Object.keys(kept).length;
    this.#pending.changes.push(() => this.#memory.ofTarget(target).samples.add({ at, values: kept }));
    return true;
  }

  put(record: NewRecord): boolean {
    const row = rowOf(record);
    this.#pending.changes.push(() => this.#memory.keep(row));
    return true;
  }

  async records<K extends RecordKind>(query: RecordQuery<K>): Promise<readonly RecordKinds[K][]> {
    return recordsOf(query.kind, this.#memory.find(query));
  }

  async commit(): Promise<CommitResult> {
    const { changes, samples, bytes } = this.#pending;
    this.#pending = new Pending();
    for (const apply of changes) apply();
    this.#bytes += bytes;
    return { committed: true, samples };
  }

  async addCapture(capture: NewCapture): Promise<StoredCapture> {
    const memory = this.#memory;
    if (memory.find({ kind: 'capture', id: capture.id }).length > 0)
      throw new StoreError('refused', `there is a capture ${capture.id} already`);
    const stored = storedCapture(capture);
    stored.files.forEach(({ sha256 }, i) => {
      const content = capture.files[i]?.bytes;
      if (content === undefined || memory.profiles.has(sha256)) return;
      this.#bytes += content.length;
      memory.profiles.set(sha256, content);
    });
    const files = stored.files.map((file, position) => profileCells(stored.id, position, file));
    const cells = { ...RECORD_TABLES.capture.cells(stored), files };
    memory.keep({ of: RECORD_TABLES.capture, cells, isDropped: false });
    return stored;
  }

  async targets(only?: readonly string[]): Promise<readonly StoredTarget[]> {
    return this.#memory.chosen(only).map(([target, { attributes, samples }]) => ({
      target,
      attributes,
      firstSeenAt: samples.first?.at ?? null,
      lastSeenAt: samples.last?.at ?? null,
    }));
  }

  async latest(target: string): Promise<Sample | undefined> {
    return this.#memory.targets.get(target)?.samples.latest;
  }

  async query(query: SampleQuery): Promise<readonly SampleSeries[]> {
    return this.#memory.targets.get(query.target)?.samples.query(query) ?? [];
  }

  async *replay({ from, metrics, targets: only }: ReplayQuery): AsyncIterable<ReplayPart> {
    const replayed = this.#memory.chosen(only);
    const last = Math.max(...replayed.map(([, { samples }]) => samples.last?.at ?? -Infinity));
    const first = Math.min(...replayed.map(([, { samples }]) => samples.first?.at ?? Infinity));
    for (let window = Math.floor(Math.max(from, first) / WINDOW_SECONDS); window * WINDOW_SECONDS <= last; window++) {
      for (const [target, { samples }] of replayed) {
        const begin = Math.max(from, window * WINDOW_SECONDS);
        const part = samples.replay(target, begin, (window + 1) * WINDOW_SECONDS, metrics);
        if (part !== undefined) yield part;
      }
    }
  }

  async readProfile(sha256: string): Promise<Uint8Array | undefined> {
    return this.#memory.profiles.get(sha256);
  }

  async maintain(): Promise<void> {}

  status(): StoreStatus {
    const { samples: waitingSamples, bytes: waitingBytes } = this.#pending;
    return { bytes: this.#bytes, degraded: null, waitingSamples, waitingBytes, lostSamples: this.#lostSamples };
  }

  async close(): Promise<void> {}
}

/** What the next commit makes visible. */
class Pending {
  readonly changes: (() => void)[] = [];
  samples = 0;
  bytes = 0;
}

function storedCapture({ files, ...capture }: NewCapture): StoredCapture {
  const stored = files.map(({ bytes, ...file }) => ({
    ...file,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    bytes: bytes.length,
  }));
  return { ...capture, files: stored };
}

/** The samples of one target in memory: as they came, in the order of their times. */
class MemorySamples {
  readonly #samples: Sample[] = [];
  #latest: Sample | undefined;

  get first(): Sample | undefined {
    return this.#samples[0];
  }

  get last(): Sample | undefined {
    return this.#samples.at(-1);
  }

  /** The last that was added. */
  get latest(): Sample | undefined {
    return this.#latest;
  }

  /** Replaces a sample of the same time. */
  add(sample: Sample): void {
    this.#latest = sample;
    const before = this.#samples.findLastIndex(({ at }) => at <= sample.at);
    const replaces = this.#samples[before]?.at === sample.at;
    this.#samples.splice(replaces ? before : before + 1, replaces ? 1 : 0, sample);
  }

  query({ metrics, from, to, maxPoints }: SampleQuery): SampleSeries[] {
    const within = this.#samples.filter(({ at }) => at >= from && at <= to);
    return metrics.flatMap(metric => {
      const points = within.flatMap(({ at, values }) => {
        const value = values[metric];
        return value === undefined ? [] : [{ at, value }];
      });
      return points.length === 0 ? [] : [{ metric, ...thinned(points, from, to, maxPoints) }];
    });
  }

  /** The points from `from` to before `to`; undefined if there are none. */
  replay(target: string, from: number, to: number, metrics: readonly string[] | undefined): ReplayPart | undefined {
    const within = this.#samples.filter(({ at }) => at >= from && at < to);
    const there = new Set(within.flatMap(({ values }) => Object.keys(values)));
    const names = [...there].filter(name => metrics?.includes(name) ?? true);
    if (names.length === 0) return undefined;
    return {
      target,
      times: Float64Array.from(within, ({ at }) => at),
      columns: names.map(metric => {
        const values = Float64Array.from(within, one => one.values[metric] ?? NaN);
        return { metric, values, lows: values };
      }),
    };
  }
}

interface Point {
  readonly at: number;
  readonly value: number;
}

/** Of too many points, one for each of `maxPoints` equal parts of the time: the median, at the time of the last. */
function thinned(points: readonly Point[], from: number, to: number, maxPoints: number): Omit<SampleSeries, 'metric'> {
  if (points.length <= maxPoints) {
    const values = Float64Array.from(points, ({ value }) => value);
    return { times: Float64Array.from(points, ({ at }) => at), values, lows: values, highs: values };
  }
  const parts = new Map<number, Point[]>();
  for (const point of points) {
    const part = Math.min(maxPoints - 1, Math.floor(((point.at - from) / (to - from)) * maxPoints));
    const known = parts.get(part);
    if (known === undefined) parts.set(part, [point]);
    else known.push(point);
  }
  const columns = [...parts.values()].map(part => {
    const sorted = part.map(({ value }) => value).sort((a, b) => a - b);
    return {
      at: part.at(-1)?.at ?? NaN,
      value: sorted[(sorted.length - 1) >> 1] ?? NaN,
      low: sorted[0] ?? NaN,
      high: sorted.at(-1) ?? NaN,
    };
  });
  return {
    times: Float64Array.from(columns, ({ at }) => at),
    values: Float64Array.from(columns, ({ value }) => value),
    lows: Float64Array.from(columns, ({ low }) => low),
    highs: Float64Array.from(columns, ({ high }) => high),
  };
}
