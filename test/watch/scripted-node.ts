/** A kubelet whose metrics are functions of time, whose profiles are recorded, and whose verdict a test chooses. */
import { readFileSync } from 'node:fs';
import type { ResourceVerdict, TargetVerdict } from '../../src/judge/detect/detection.ts';
import type { Verdict } from '../../src/judge/verdict.ts';
import type { Background } from '../../src/watch/background.ts';
import { realBackground, T0 } from './watch-bench.ts';

const MIB = 1024 * 1024;
export const NODE = 'node/a';
const HOUR = 3600;

/** Background work with verdicts that the test chooses. */
export function scripted(say: () => Verdict, hoursToLimit?: [number, number]): Background & { rows: number } {
  const real = realBackground(1);
  const background = {
    ...real,
    rows: 0,
    observe: (rows: readonly unknown[]) => void (background.rows += rows.length),
    replay: { ...real.replay, observe: (rows: readonly unknown[]) => void (background.rows += rows.length) },
    evaluate: async (): Promise<readonly TargetVerdict[]> => [
      { target: NODE, verdict: say(), resources: [resource(say(), hoursToLimit)] },
    ],
  };
  return background;
}

export function resource(verdict: Verdict, hoursToLimit?: [number, number]): ResourceVerdict {
  return {
    resource: 'live heap',
    verdict,
    metric: 'go_gc_heap_live_bytes',
    unit: 'bytes',
    level: 50 * MIB,
    slopePerHour: MIB,
    slopeInterval: [0.9 * MIB, 1.1 * MIB],
    onsetSeconds: T0 - HOUR,
    timeToLimitHours: hoursToLimit,
    clock: undefined,
    explanation: undefined,
    reasons: ['because'],
  };
}

export const kubelet =
  (startAt: (now: number) => number, heapPerHour: (now: number) => number) =>
  (now: number): Record<string, number> => ({
    go_goroutines: 300,
    go_gc_heap_live_bytes: 40 * MIB + (heapPerHour(now) * (now - startAt(now))) / HOUR,
    process_resident_memory_bytes: 100 * MIB,
    process_start_time_seconds: startAt(now),
    process_cpu_seconds_total: (now - startAt(now)) * 0.1,
    kubelet_running_pods: 50,
  });

export const steady: (now: number) => Record<string, number> = kubelet(
  () => T0 - 86_400,
  () => 0,
);

const profile = (name: string): Uint8Array => readFileSync(new URL(`../../demo/leak-a/${name}`, import.meta.url));
export const PROFILES: Readonly<Record<string, Uint8Array>> = {
  '/debug/pprof/heap?gc=1': profile('heap-1794772045.pb.gz'),
  '/debug/pprof/goroutine': profile('goroutine-1794772045.pb.gz'),
};
