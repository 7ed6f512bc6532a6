/**
 * A running watch with as many made-up kubelets as asked for, in clusters of 1,000: a week of samples each, verdicts,
 * and incidents of those that leak. What it watches keeps still; everything that answers is the real thing.
 */
import { SYSTEM_CLOCK } from '../../src/live/io/clocks.ts';
import { memoryStore } from '../../src/watch/io/memory-store.ts';
import { BUNDLED_LEAKS } from '../../src/knowledge/bundled.ts';
import { watchPorts } from '../../src/cli/watch/watch-ports.ts';
import { createWatch } from '../../src/watch/create-watch.ts';
import { WATCH_DEFAULTS } from '../../src/watch/state/watch-state.ts';
import type { Watch } from '../../src/watch/watch-service.ts';
import type { TargetVerdict } from '../../src/judge/detect/detection.ts';
import type { Verdict } from '../../src/judge/verdict.ts';
import type { Background } from '../../src/watch/background.ts';
import type { WatchStore } from '../../src/store/ports.ts';
import { realBackground } from '../../test/watch/watch-bench.ts';
import { growthPerHour, madeVerdicts, sampleOf } from './made-verdicts.ts';
import { yieldToEventLoop } from '../../src/base/bounded-work.ts';
import { withMethods } from '../../src/base/with-methods.ts';

const HOUR = 3600;
const DAYS = 7;
/** Every bin of the page gets a sample. */
const SAMPLES = 96;
const PER_CLUSTER = 1000;
const GATES = 150;
const CHUNK = 250;

export interface MadeWatch {
  readonly watch: Watch;
  /** Judges all again: every page that is open hears of it. */
  judge(): Promise<void>;
}

export async function madeWatch(count: number): Promise<MadeWatch> {
  const names = Array.from({ length: count }, (_, i) => nameOf(i));
  const clusters = [...new Set(names.map((_, i) => clusterNameOf(i)))];
  const watch = createWatch(
    watchPorts(
      { store: forgetfulStore(), background: madeBackground(names), clock: SYSTEM_CLOCK },
      BUNDLED_LEAKS,
      () => {},
    ),
    {
      ...WATCH_DEFAULTS,
      mode: 'cluster',
      cluster: `${clusters.length} clusters`,
      clusters,
      oakumVersion: '0.0.0',
      evaluateSeconds: 86_400,
    },
    () => ({ process_resident_memory_bytes: process.memoryUsage.rss() }),
  );
  await watch.start();
  for (const cluster of clusters) watch.setClusterProblem(cluster, null);
  for (const [i, name] of names.entries())
    watch.addTarget({ name, connection: undefined, attributes: attributesOf(i) });
  const now = Date.now() / 1000;
  for (let sample = SAMPLES - 1; sample >= 0; sample--) {
    const at = now - ((sample + 0.5) * DAYS * 24 * HOUR) / SAMPLES;
    for (const [i, name] of names.entries()) {
      if (i % CHUNK === 0) await yieldToEventLoop();
      watch.addSample(name, at, sampleOf(i, at, now - 9 * 24 * HOUR, growthPerHour(verdictOf(i))));
    }
    await watch.settle();
  }
  await watch.evaluate();
  return { watch, judge: () => watch.evaluate() };
}

/** One in 70 leaks, one in 200 is suspected, one in 1,000 is too young to tell; spread over the names. */
function verdictOf(index: number): Verdict {
  const place = (index * 7919) % 100_003;
  if (place % 70 === 0) return 'leak';
  if (place % 200 === 1) return 'watch';
  return place % 1000 === 2 ? 'unknown' : 'healthy';
}

function clusterNameOf(index: number): string {
  return `prod-${String(Math.floor(index / PER_CLUSTER)).padStart(3, '0')}`;
}

function nameOf(index: number): string {
  return `cluster/${clusterNameOf(index)}/node/worker-${String(index % PER_CLUSTER).padStart(4, '0')}`;
}

function attributesOf(index: number): Record<string, string> {
  const isSuspect = verdictOf(index) !== 'healthy';
  const gates = Object.fromEntries(
    Array.from({ length: GATES }, (_, i) => [`gate/MadeUpFeatureGate${i}`, i % 3 === 0 ? 'on' : 'off']),
  );
  return {
    ...gates,
    cluster: clusterNameOf(index),
    version: isSuspect || index % 7 === 0 ? 'v1.36.0' : index % 3 === 0 ? 'v1.35.4' : 'v1.36.3',
    pool: `pool-${index % 12}`,
    kernel: index % 5 === 0 ? '6.1.0-28' : '6.12.9',
    os: 'Debian GNU/Linux 12 (bookworm)',
    runtime: `containerd://2.${index % 4}.0`,
    arch: index % 9 === 0 ? 'arm64' : 'amd64',
    zone: `eu-${index % 3}`,
  };
}

function madeBackground(names: readonly string[]): Background {
  const templates = madeVerdicts(Date.now() / 1000);
  return {
    ...realBackground(1),
    observe: () => {},
    describe: () => {},
    cohorts: async () => [],
    async evaluate() {
      const verdicts: TargetVerdict[] = [];
      for (const [i, target] of names.entries()) {
        if (i % CHUNK === 0) await yieldToEventLoop();
        const like = templates.get(verdictOf(i)) ?? [];
        const template = like[i % like.length];
        if (template !== undefined) verdicts.push({ ...structuredClone(template), target });
      }
      return verdicts;
    },
  };
}

/** The page of the fleet reads no samples from the store. */
function forgetfulStore(): WatchStore {
  return withMethods(memoryStore(), { addSample: () => true });
}
