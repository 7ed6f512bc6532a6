/** The store of a watch that remembers nothing when it ends: in memory, for the demo and for tests. */
import { createHash } from 'node:crypto';
import type { QueuedNotice } from '../../store/notification.ts';
import type { PlanRecord } from '../../store/plan-log.ts';
import {
  type StoredIncident,
  type StoredPlan,
  type StoredVerdictChange,
  type WatchedEvent,
  type NewCapture,
  type StoredCapture,
  isStorableSample,
  type ReplayPart,
  type Sample,
  type SampleQuery,
  type SampleSeries,
} from '../../store/records.ts';
import { type WatchStore, StoreError } from '../../store/ports.ts';

const WINDOW_SECONDS = 6 * 3600;

interface TargetMemory {
  attributes: Readonly<Record<string, string>>;
  readonly samples: MemorySamples;
  readonly events: WatchedEvent[];
}

/** What is committed. */
export interface StoreMemory {
  readonly targets: Map<string, TargetMemory>;
  readonly changes: StoredVerdictChange[];
  readonly incidents: Map<string, StoredIncident>;
  readonly captures: Map<string, StoredCapture>;
  readonly profiles: Map<string, Uint8Array>;
  readonly settings: Map<string, string>;
  readonly outbox: Map<string, QueuedNotice>;
  readonly plans: Map<string, StoredPlan>;
  readonly records: PlanRecord[];
}

export function newStoreMemory(): StoreMemory {
  return {
    targets: new Map(),
    changes: [],
    incidents: new Map(),
    captures: new Map(),
    profiles: new Map(),
    settings: new Map(),
    outbox: new Map(),
    plans: new Map(),
    records: [],
  };
}

/** Replicas share a memory; what is not committed is each one's own. */
export function memoryStore(memory: StoreMemory = newStoreMemory()): WatchStore {
  const { targets, changes, incidents, captures, profiles, settings, outbox, plans, records } = memory;
  /** What the next commit makes visible. */
  let pending: (() => void)[] = [];
  let pendingSamples = 0;
  let pendingBytes = 0;
  let lostSamples = 0;
  let bytes = 0;
  const memoryOf = (target: string): TargetMemory => {
    let memory = targets.get(target);
    if (memory === undefined)
      targets.set(target, (memory = { attributes: {}, samples: new MemorySamples(), events: [] }));
    return memory;
  };
  const chosen = (only: readonly string[] | undefined): [string, TargetMemory][] => {
    const names = new Set(only);
    return [...targets].filter(([target]) => only === undefined || names.has(target));
  };
  const later = (apply: () => void): true => {
    pending.push(apply);
    return true;
  };
  return {
    putTarget: (target, attributes) =>
      void later(() => {
        const memory = memoryOf(target);
        memory.attributes = { ...memory.attributes, ...attributes };
      }),
    addSample(target, at, values) {
      if (!isStorableSample(target, { at, values })) {
        lostSamples++;
        return false;
      }
      const kept = Object.fromEntries(Object.entries(values).filter(([, value]) => Number.isFinite(value)));
      pendingSamples++;
      pendingBytes += 16 + 8 * Object.keys(kept).length;
      return later(() => memoryOf(target).samples.add({ at, values: kept }));
    },
    addEvent: (target, event) => later(() => memoryOf(target).events.push(event)),
    addVerdictChange: change => later(() => changes.push(change)),
    putIncident(incident) {
      const kept = { ...incident, document: structuredClone(incident.document) };
      return later(() => incidents.set(kept.id, kept));
    },
    putSetting: (key, value) => later(() => settings.set(key, value)),
    putNotice: queued => later(() => outbox.set(`${queued.destination} ${queued.notice.id}`, queued)),
    dropNotice: (destination, id) => later(() => outbox.delete(`${destination} ${id}`)),
    notices: async () => [...outbox.values()],
    addPlan: plan => later(() => plans.has(plan.id) || plans.set(plan.id, structuredClone(plan))),
    addPlanRecord: record =>
      later(
        () => records.some(one => one.planId === record.planId && one.number === record.number) || records.push(record),
      ),
    plans: async () => [...plans.values()].sort((a, b) => b.madeAt - a.madeAt),
    planRecords: async planId => records.filter(one => one.planId === planId).sort((a, b) => a.number - b.number),
    async commit() {
      const samples = pendingSamples;
      for (const apply of pending) apply();
      bytes += pendingBytes;
      pending = [];
      pendingSamples = pendingBytes = 0;
      return { committed: true, samples };
    },
    async addCapture(capture) {
      if (captures.has(capture.id)) throw new StoreError('refused', `there is a capture ${capture.id} already`);
      const stored = storedCapture(capture);
      stored.files.forEach(({ sha256 }, i) => {
        const content = capture.files[i]?.bytes;
        if (content === undefined || profiles.has(sha256)) return;
        bytes += content.length;
        profiles.set(sha256, content);
      });
      captures.set(stored.id, stored);
      return stored;
    },
    targets: async only =>
      chosen(only).map(([target, { attributes, samples }]) => ({
        target,
        attributes,
        firstSeenAt: samples.first?.at ?? null,
        lastSeenAt: samples.last?.at ?? null,
      })),
    latest: async target => targets.get(target)?.samples.latest,
    query: async query => targets.get(query.target)?.samples.query(query) ?? [],
    async *replay({ from, metrics, targets: only }) {
      const replayed = chosen(only);
      const last = Math.max(...replayed.map(([, { samples }]) => samples.last?.at ?? -Infinity));
      const first = Math.min(...replayed.map(([, { samples }]) => samples.first?.at ?? Infinity));
      for (let window = Math.floor(Math.max(from, first) / WINDOW_SECONDS); window * WINDOW_SECONDS <= last; window++) {
        for (const [target, { samples }] of replayed) {
          const begin = Math.max(from, window * WINDOW_SECONDS);
          const part = samples.replay(target, begin, (window + 1) * WINDOW_SECONDS, metrics);
          if (part !== undefined) yield part;
        }
      }
    },
    events: async (target, from, to) =>
      (targets.get(target)?.events ?? []).filter(({ at }) => at >= from && at <= to).sort((a, b) => a.at - b.at),
    eventsOfKind: async (kind, from, to, only) =>
      chosen(only)
        .flatMap(([target, { events }]) => events.map(event => ({ target, ...event })))
        .filter(event => event.kind === kind && event.at >= from && event.at <= to)
        .sort((a, b) => a.at - b.at),
    verdictChanges: async (from, to, target) =>
      changes
        .filter(one => one.at >= from && one.at <= to && (target === undefined || one.target === target))
        .sort((a, b) => a.at - b.at),
    incidents: async () => [...incidents.values()].sort((a, b) => b.openedAt - a.openedAt),
    incident: async id => incidents.get(id),
    captures: async target =>
      [...captures.values()].filter(one => target === undefined || one.target === target).sort((a, b) => b.at - a.at),
    capture: async id => captures.get(id),
    readProfile: async sha256 => profiles.get(sha256),
    setting: async key => settings.get(key),
    maintain: async () => {},
    status: () => ({
      bytes,
      degraded: null,
      waitingSamples: pendingSamples,
      waitingBytes: pendingBytes,
      lostSamples,
    }),
    close: async () => {},
  };
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
