/** A watch for tests: simulated time, targets that are functions of time, a store in memory. */
import { digestsFor } from '../../src/evidence/io/digests.ts';
import { DEFAULT_ARCHIVE_LIMITS, tarGzArchive } from '../../src/evidence/io/tar-gz.ts';
import { scratchFolder } from '../../src/live/io/capture-folder.ts';
import { memoryStore } from '../../src/watch/io/memory-store.ts';
import { encodeText } from '../../src/base/text.ts';
import { BUNDLED_LEAKS } from '../../src/knowledge/bundled.ts';
import { captureGate, GATE_LIMITS } from '../../src/live/capture/capture-gate.ts';
import { inProcessBackground } from '../../src/watch/in-process-background.ts';
import type { Background } from '../../src/watch/background.ts';
import { CAPTURE_POLICY } from '../../src/watch/state/capture-policy.ts';
import { createWatch } from '../../src/watch/create-watch.ts';
import type { Watch } from '../../src/watch/watch-service.ts';
import { SimulatedClock } from '../double/simulated-clock.ts';
import { PortTraffic } from './port-traffic.ts';
import { type ProfilerSource, WATCH_DEFAULTS, type WatchOptions } from '../../src/watch/state/watch-state.ts';
import type { Share, Exchange } from '../../src/watch/replicas/ports.ts';
import type { WatchEvent } from '../../src/watch/watch-model.ts';
import type { WatchClock } from '../../src/base/clock.ts';
import type { WatchStore } from '../../src/store/ports.ts';
import type { TargetConnection } from '../../src/live/ports.ts';
import type { Answer, Reply } from '../../src/live/reply.ts';

export const T0 = 1_794_772_800;

export interface WatchBench {
  readonly watch: Watch;
  readonly clock: SimulatedClock;
  readonly store: WatchStore;
  readonly log: string[];
  readonly events: WatchEvent[];
  /** For connections of targets that are more than functions of time. */
  readonly traffic: PortTraffic;
  /** Lets simulated time pass. */
  run(seconds: number): Promise<void>;
  runUntil(at: number): Promise<void>;
}

export interface BenchParts {
  readonly options?: Partial<WatchOptions>;
  readonly store?: WatchStore;
  readonly background?: Background;
  readonly fromSeconds?: number;
  readonly profiler?: ProfilerSource;
  /** Replicas have one clock, and one traffic that must be quiet before time passes. */
  readonly clock?: SimulatedClock;
  readonly traffic?: PortTraffic;
  /** The clock as the watch sees it. */
  readonly watchClock?: WatchClock;
  readonly share?: Share;
  readonly exchange?: Exchange;
  readonly self?: () => Readonly<Record<string, number>>;
}

export function watchBench(parts: BenchParts = {}): WatchBench {
  const clock = parts.clock ?? new SimulatedClock(parts.fromSeconds ?? T0);
  const traffic = parts.traffic ?? new PortTraffic();
  const store = traffic.follow(parts.store ?? memoryStore());
  const log: string[] = [];
  const events: WatchEvent[] = [];
  const timeScale = 3600 / (parts.options?.hourSeconds ?? 3600);
  const background = traffic.follow(parts.background ?? realBackground(timeScale));
  const options: WatchOptions = {
    ...WATCH_DEFAULTS,
    mode: 'targets',
    cluster: 'bench',
    oakumVersion: '0.0.0',
    policy: CAPTURE_POLICY,
    commitSeconds: 120,
    ...parts.options,
  };
  const watch = createWatch(
    {
      clock: parts.watchClock ?? clock,
      store,
      background,
      random: () => 0.5,
      scratchFolder: () => traffic.follow(scratchFolder('the store')),
      gate: captureGate({ ...GATE_LIMITS, random: () => 0, sleep: async () => {} }),
      ...(parts.profiler === undefined
        ? {}
        : { profiler: { ...parts.profiler, history: traffic.follow(parts.profiler.history) } }),
      ...(parts.share === undefined ? {} : { share: parts.share }),
      ...(parts.exchange === undefined ? {} : { exchange: traffic.follow(parts.exchange) }),
      catalogue: BUNDLED_LEAKS,
      log: line => log.push(line),
    },
    options,
    parts.self ?? (() => ({ process_resident_memory_bytes: 5e7 })),
  );
  watch.subscribe(event => events.push(event));
  const runUntil = (at: number): Promise<void> => clock.runUntil(at, () => traffic.quiet());
  return { watch, clock, store, log, events, traffic, runUntil, run: seconds => runUntil(clock.now() + seconds) };
}

export function realBackground(timeScale: number, memoryLimitBytes?: number): Background {
  return inProcessBackground({
    detector: { timeScale, ...(memoryLimitBytes === undefined ? {} : { memoryLimitBytes }) },
    catalogue: BUNDLED_LEAKS,
    oakumVersion: '0.0.0',
    ports: () => ({ archive: tarGzArchive(DEFAULT_ARCHIVE_LIMITS), digests: digestsFor(undefined) }),
  });
}

/** A process whose metrics are functions of time; profiles as given, by request. */
export function process(
  target: string,
  clock: { now(): number },
  metrics: (now: number) => Readonly<Record<string, number>> | undefined,
  profiles: Readonly<Record<string, Uint8Array>> = {},
): TargetConnection & { readonly requests: string[] } {
  const requests: string[] = [];
  return {
    requests,
    target,
    via: 'http',
    address: 'http://bench',
    async get(path): Promise<Reply> {
      requests.push(path);
      const now = clock.now();
      const values = metrics(now);
      if (values === undefined) return { kind: 'refused', message: 'refused', tls: undefined, tookSeconds: 0 };
      if (path !== '/metrics') return answer(now, profiles[path] ?? NOT_FOUND, path in profiles ? 200 : 404);
      const lines = Object.entries(values).map(([name, value]) => `${name} ${value}`);
      return answer(now, encodeText(`${lines.join('\n')}\n`), 200);
    },
  };
}

const NOT_FOUND = encodeText('Unknown profile\n');

function answer(headAtSeconds: number, body: Uint8Array, status: number): Answer {
  const headers = status === 200 ? {} : { 'x-go-pprof': '1' };
  return {
    kind: 'answer',
    status,
    headers,
    body,
    cut: undefined,
    headAtSeconds,
    dateSeconds: undefined,
    tookSeconds: 0,
  };
}
