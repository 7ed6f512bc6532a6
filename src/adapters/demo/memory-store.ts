/** The store of a watch that nobody needs to remember: in memory, for the demo and for tests. */
import { createHash } from 'node:crypto';
import type { WatchedEvent } from '../../model/watch.ts';
import type { NewCapture, StoredCapture } from '../../model/stored-capture.ts';
import type { StoredIncident, StoredVerdictChange } from '../../model/stored-records.ts';
import type { ReplayPart, Sample, SampleQuery, SampleSeries } from '../../model/stored-samples.ts';
import { StoreError } from '../../ports/store-error.ts';
import type { WatchStore } from '../../ports/watch-store.ts';

interface TargetMemory {
  attributes: Readonly<Record<string, string>>;
  readonly samples: Sample[];
  readonly events: WatchedEvent[];
}

export function memoryStore(): WatchStore {
  const targets = new Map<string, TargetMemory>();
  const changes: StoredVerdictChange[] = [];
  const incidents = new Map<string, StoredIncident>();
  const captures = new Map<string, StoredCapture>();
  const profiles = new Map<string, Uint8Array>();
  const settings = new Map<string, string>();
  let bytes = 0;
  let uncommitted = 0;
  const memoryOf = (target: string): TargetMemory => {
    let memory = targets.get(target);
    if (memory === undefined) targets.set(target, (memory = { attributes: {}, samples: [], events: [] }));
    return memory;
  };
  return {
    putTarget(target, attributes) {
      const memory = memoryOf(target);
      memory.attributes = { ...memory.attributes, ...attributes };
    },
    addSample(target, at, values) {
      memoryOf(target).samples.push({ at, values });
      uncommitted++;
      bytes += 16 + 8 * Object.keys(values).length;
      return true;
    },
    addEvent: (target, event) => memoryOf(target).events.push(event) > 0,
    addVerdictChange: change => changes.push(change) > 0,
    putIncident: incident => incidents.set(incident.id, incident).size > 0,
    putSetting: (key, value) => settings.set(key, value).size > 0,
    async commit() {
      const samples = uncommitted;
      uncommitted = 0;
      return { committed: true, samples };
    },
    async addCapture(capture) {
      if (captures.has(capture.id)) throw new StoreError('refused', `there is a capture ${capture.id} already`);
      const stored = storedCapture(capture);
      stored.files.forEach(({ sha256 }, i) => {
        if (!profiles.has(sha256)) bytes += capture.files[i].bytes.length;
        profiles.set(sha256, capture.files[i].bytes);
      });
      captures.set(stored.id, stored);
      return stored;
    },
    targets: async () =>
      [...targets].map(([target, { attributes, samples }]) => ({
        target,
        attributes,
        firstSeenAt: samples.at(0)?.at ?? null,
        lastSeenAt: samples.at(-1)?.at ?? null,
      })),
    latest: async target => targets.get(target)?.samples.at(-1),
    query: async query => querySamples(targets.get(query.target)?.samples ?? [], query),
    async *replay({ from, metrics }) {
      for (const [target, { samples }] of targets) yield replayPart(target, samples, from, metrics);
    },
    events: async (target, from, to) =>
      (targets.get(target)?.events ?? []).filter(({ at }) => at >= from && at <= to).sort((a, b) => a.at - b.at),
    verdictChanges: async (from, to, target) =>
      changes.filter(one => one.at >= from && one.at <= to && (target === undefined || one.target === target)),
    incidents: async () => [...incidents.values()].sort((a, b) => b.openedAt - a.openedAt),
    incident: async id => incidents.get(id),
    captures: async target =>
      [...captures.values()].filter(one => target === undefined || one.target === target).sort((a, b) => b.at - a.at),
    capture: async id => captures.get(id),
    readProfile: async sha256 => profiles.get(sha256),
    setting: async key => settings.get(key),
    maintain: async () => {},
    status: () => ({ bytes, degraded: null, waitingSamples: uncommitted, lostSamples: 0 }),
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

/** Every so-manieth point, where there are too many. */
function querySamples(samples: readonly Sample[], { metrics, from, to, maxPoints }: SampleQuery): SampleSeries[] {
  const within = samples.filter(({ at }) => at >= from && at <= to);
  return metrics.flatMap(metric => {
    const having = within.filter(({ values }) => Number.isFinite(values[metric]));
    const step = Math.max(1, Math.ceil(having.length / maxPoints));
    const kept = having.filter((_, i) => i % step === 0);
    if (kept.length === 0) return [];
    const times = Float64Array.from(kept, ({ at }) => at);
    const values = Float64Array.from(kept, one => one.values[metric]);
    return [{ metric, times, values, lows: values, highs: values }];
  });
}

function replayPart(
  target: string,
  samples: readonly Sample[],
  from: number,
  metrics: readonly string[] | undefined,
): ReplayPart {
  const kept = samples.filter(({ at }) => at >= from);
  const names = metrics ?? [...new Set(kept.flatMap(({ values }) => Object.keys(values)))];
  return {
    target,
    times: Float64Array.from(kept, ({ at }) => at),
    columns: names.map(metric => {
      const values = Float64Array.from(kept, one => one.values[metric] ?? NaN);
      return { metric, values, lows: values };
    }),
  };
}
