/**
 * A watch under the load of a large cluster, on one core: thousands of targets each minute, for as long as requested.
 *
 *     exporter (core 1)  <- 5,000 scrapes of 200 KB a minute -  oakum watch (core 0)  <- /metrics every 5 s - this
 */
import { spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createFleetDetector } from '../../src/judge/detect/fleet-detector.ts';
import { formatBytes } from '../../src/base/say.ts';
import type { ResourceVerdict } from '../../src/judge/detect/detection.ts';
import { openSqliteRows } from '../../src/store/io/sqlite/store-rows.ts';
import { fillPast } from '../../bench/store/made-past.ts';
import { firstLine, readMetrics, ROOT, spawnNode } from './node-process.ts';

export interface LoadOptions {
  readonly targets: number;
  readonly minutes: number;
  /** Size of each scrape. */
  readonly kilobytes: number;
  /** So many days of samples are there before it starts. */
  readonly pastDays: number;
  readonly log: (line: string) => void;
}

export interface LoadResult {
  readonly samples: number;
  /** The least and the most requests that any target got. */
  readonly askedLeast: number;
  readonly askedMost: number;
  readonly late: number;
  readonly failures: number;
  /** In the worst minute except the first. */
  readonly eventLoopP99Seconds: number;
  readonly eventLoopMaxSeconds: number;
  readonly cpuShare: number;
  readonly residentBytes: number;
  /** The main thread's heap, after the warm-up. */
  readonly heapGrowthBytes: number;
  readonly resident: ResourceVerdict | undefined;
  readonly problems: readonly string[];
}

/** Data loaded at the start is not growth: verdicts exist after five minutes, and two rounds are done after ten. */
const WARM_UP_SECONDS = 660;
/** Shorter runs say nothing about memory. */
const MIN_JUDGED_MINUTES = 20;
/** The first minute of the event loop includes loading and compiling. */
const LOADING_SECONDS = 120;
const MAX_P99_SECONDS = 0.1;
const READ_SECONDS = 5;
/** How often the fleet is judged. */
const FLOOR_SECONDS = 300;
const MAX_HEAP_GROWTH_BYTES = 15 * 1024 * 1024;

export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const folder = mkdtempSync(join(tmpdir(), 'oakum-load-'));
  const built = spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: ROOT, stdio: 'inherit' });
  if (built.status !== 0) throw new Error('the build failed');
  const exporter = spawnNode(1, [
    '--import',
    'tsx',
    'test/soak/synthetic-exporter.ts',
    String(options.targets),
    String(options.kilobytes),
  ]);
  let watch: ChildProcess | undefined;
  try {
    const port = Number(await firstLine(exporter, /^\d+$/));
    const base = `http://127.0.0.1:${port}`;
    const targets = Array.from({ length: options.targets }, (_, i) => `  - ${base}/t/${i}\n`).join('');
    writeFileSync(join(folder, 'targets.yaml'), `targets:\n${targets}`);
    const data = join(folder, 'data');
    if (options.pastDays > 0) {
      const midnight = Math.floor(Date.now() / 86_400_000) * 86_400;
      const past = {
        targets: options.targets,
        days: options.pastDays,
        midnight,
        nameOf: (i: number) => `${base}/t/${i}`,
      };
      await fillPast(await openSqliteRows(data, data, false), past);
      options.log(`${options.pastDays} days of each of ${options.targets} targets are in the store`);
    }
    const startedAt = Date.now();
    const args = ['bin/oakum.js', 'watch', '--config', join(folder, 'targets.yaml'), '--data', data];
    watch = spawnNode(0, [...args, '--listen', 'localhost:0']);
    watch.stderr?.on('data', (text: Buffer) => options.log(`  watch: ${String(text).trim()}`));
    const url = await firstLine(watch, /^ {2}http:\/\/\S+$/);
    options.log(`it samples and answers ${((Date.now() - startedAt) / 1000).toFixed(1)} s after its start`);
    return await observe(watch, url.trim(), base, options);
  } finally {
    watch?.kill('SIGTERM');
    exporter.kill('SIGKILL');
    if (watch !== undefined) await Promise.race([new Promise(resolve => watch?.once('exit', resolve)), delay(30_000)]);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function observe(
  watch: ChildProcess,
  url: string,
  exporterUrl: string,
  { minutes, targets, log }: LoadOptions,
): Promise<LoadResult> {
  const problems: string[] = [];
  const began = Date.now() / 1000;
  const endsAt = began + minutes * 60;
  // The record after the warm-up counts as two weeks, which is the detector's window.
  const timeScale = (13 * 86_400) / Math.max(60, minutes * 60 - WARM_UP_SECONDS);
  const detector = createFleetDetector({ timeScale });
  const floors = new HeapFloors();
  let metrics: Record<string, number> = {};
  let resident = 0;
  let cpu = 0;
  let p99 = 0;
  let longest = 0;
  for (let read = 0; Date.now() / 1000 < endsAt; read++) {
    await delay(READ_SECONDS * 1000);
    if (watch.exitCode !== null) throw new Error(`oakum watch ended with ${watch.exitCode}`);
    metrics = await readMetrics(url);
    resident = metrics['process_resident_memory_bytes'] ?? NaN;
    cpu = metrics['process_cpu_seconds_total'] ?? NaN;
    const at = Date.now() / 1000;
    if (at - began > WARM_UP_SECONDS) detector.observe('oakum', at, { process_resident_memory_bytes: resident });
    floors.add(at - began, metrics['oakum_heap_used_bytes'] ?? NaN);
    if (at - began > LOADING_SECONDS) {
      // The metrics of a watch describe the last minute.
      p99 = Math.max(p99, metrics['oakum_event_loop_p99_seconds'] ?? NaN);
      longest = Math.max(longest, metrics['oakum_event_loop_max_seconds'] ?? NaN);
    }
    if (read % 12 === 0)
      log(
        `  ${Math.round((at - began) / 60)} min: ${metrics['oakum_samples_total']} samples, ${formatBytes(resident)}, ` +
          `loop p99 ${milliseconds(metrics['oakum_event_loop_p99_seconds'])}, CPU ${(cpu / (at - began)).toFixed(2)}`,
      );
  }
  const [verdict] = detector.evaluate(Date.now() / 1000);
  const counts = (await (await fetch(`${exporterUrl}/counts`)).json()) as number[];
  const result = {
    samples: metrics['oakum_samples_total'] ?? 0,
    askedLeast: Math.min(...counts),
    askedMost: Math.max(...counts),
    late: metrics['oakum_samples_late_total'] ?? NaN,
    failures: metrics['oakum_sample_failures_total'] ?? NaN,
    eventLoopP99Seconds: p99,
    eventLoopMaxSeconds: longest,
    cpuShare: cpu / (Date.now() / 1000 - began),
    residentBytes: resident,
    heapGrowthBytes: floors.growth(),
    resident: verdict?.resources.find(({ resource }) => resource === 'live heap'),
  };
  const expected = Math.floor(minutes) - 1;
  if (counts.length !== targets || !(result.askedLeast >= expected))
    problems.push(`a target was asked ${result.askedLeast} times in ${minutes} minutes, ${expected} were expected`);
  if (result.late > 0) problems.push(`${result.late} samples came late`);
  if (result.failures > 0) problems.push(`${result.failures} scrapes failed`);
  if (!(result.eventLoopP99Seconds < MAX_P99_SECONDS))
    problems.push(`the event loop's p99 is ${milliseconds(result.eventLoopP99Seconds)}`);
  const grows = result.resident?.verdict;
  if (minutes >= MIN_JUDGED_MINUTES && grows !== 'healthy') problems.push(`resident memory: ${grows ?? 'not judged'}`);
  if (result.heapGrowthBytes > MAX_HEAP_GROWTH_BYTES)
    problems.push(`the heap's floor rose by ${formatBytes(result.heapGrowthBytes)} after the warm-up`);
  return { ...result, problems };
}

/**
 * The lowest heap size between two evaluations of the fleet: what collections leave. Resident memory would hide a slow
 * leak in the sawtooth of garbage.
 */
class HeapFloors {
  readonly #floors: number[] = [];

  add(seconds: number, heapBytes: number): void {
    if (seconds < WARM_UP_SECONDS) return;
    const window = Math.floor((seconds - WARM_UP_SECONDS) / FLOOR_SECONDS);
    this.#floors[window] = Math.min(this.#floors[window] ?? Infinity, heapBytes);
  }

  /** From the first window to the last complete one; 0 if there are fewer than two. */
  growth(): number {
    const whole = this.#floors.slice(0, -1);
    return whole.length < 2 ? 0 : whole[whole.length - 1] - whole[0];
  }
}

export function milliseconds(seconds: number | undefined): string {
  return `${((seconds ?? NaN) * 1000).toFixed(0)} ms`;
}
