/**
 * Verdicts as the detector gives them, for as many targets as asked for: it judges a few made-up kubelets, and every
 * other target gets a copy of one of these verdicts. A copy is as large as the original, as after the detector's thread.
 */
import { createFleetDetector } from '../../src/judge/detect/fleet-detector.ts';
import type { TargetVerdict } from '../../src/judge/detect/detection.ts';
import type { Verdict } from '../../src/judge/verdict.ts';

const MIB = 1024 * 1024;
const HOUR = 3600;
const HOURS = 10 * 24;
const JUDGED = 24;

export function growthPerHour(kind: Verdict): number {
  return kind === 'leak' ? 1.4 * MIB : kind === 'watch' ? 0.5 * MIB : 0;
}

export function sampleOf(index: number, at: number, startAt: number, bytesPerHour: number): Record<string, number> {
  const wave = Math.sin(index * 12.9898 + at / 7000);
  const heap = (40 + (index % 37)) * MIB + (bytesPerHour * (at - startAt)) / HOUR + 2 * MIB * wave;
  return {
    process_start_time_seconds: startAt,
    process_max_fds: 1_048_576,
    go_goroutines: Math.round(300 + (index % 50) + 12 * wave),
    go_threads: 22 + (index % 3),
    process_open_fds: Math.round(60 + 4 * wave),
    kubelet_running_pods: 30 + (index % 20),
    kubelet_running_containers: 60 + (index % 40),
    go_gc_heap_live_bytes: heap,
    go_memstats_heap_alloc_bytes: heap * 1.3,
    go_memstats_heap_inuse_bytes: heap * 1.4,
    go_memstats_heap_sys_bytes: 256 * MIB,
    go_memstats_stack_inuse_bytes: 3 * MIB + 32_768 * Math.round(3 * wave),
    go_memstats_next_gc_bytes: heap * 2,
    process_resident_memory_bytes: heap * 1.6 + 60 * MIB,
    process_virtual_memory_bytes: 2_000_000_000,
    process_cpu_seconds_total: Math.round((at - startAt) * 3) / 100,
    container_memory_limit_bytes: 1024 * MIB,
    scrape_samples_scraped: 2400 + (index % 90),
  };
}

/** One list for each verdict; a suspicion is a proof that is called one. */
export function madeVerdicts(now: number): ReadonlyMap<Verdict, readonly TargetVerdict[]> {
  const detector = createFleetDetector({ memoryLimitBytes: 1024 * MIB });
  for (let hour = HOURS; hour >= 0; hour--) {
    const at = now - hour * HOUR;
    for (let i = 0; i < JUDGED; i++) {
      const grows = i < 4 ? growthPerHour('leak') : 0;
      // The last one was found an hour ago.
      if (i < JUDGED - 1 || hour < 1) detector.observe(`node/t${i}`, at, sampleOf(i, at, now - HOURS * HOUR, grows));
    }
  }
  const found = new Map<Verdict, TargetVerdict[]>();
  for (const verdict of detector.evaluate(now))
    found.set(verdict.verdict, [...(found.get(verdict.verdict) ?? []), verdict]);
  const watched = (found.get('leak') ?? []).map(({ resources, ...one }) => ({
    ...one,
    verdict: 'watch' as const,
    resources: resources.map(of => (of.verdict === 'leak' ? { ...of, verdict: 'watch' as const } : of)),
  }));
  return found.set('watch', watched);
}
