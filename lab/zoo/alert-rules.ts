/**
 * What rules in common use say on the scrapes of a recording. Those of awesome-prometheus-alerts and Coroot are as
 * they are published; deriv > 0 and predict_linear are how dashboards and alerts are often written.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

export interface Point {
  readonly seconds: number;
  readonly value: number;
}

export type Scrapes = ReadonlyMap<string, readonly Point[]>;

const GOROUTINES = 'go_goroutines';
const HEAP = 'go_memstats_heap_inuse_bytes';
const RESIDENT = 'process_resident_memory_bytes';
const FILES = 'process_open_fds';
const MAX_FILES = 'process_max_fds';
const WANTED = new RegExp(`^(${[GOROUTINES, HEAP, RESIDENT, FILES, MAX_FILES].join('|')}) (\\S+)`, 'gm');

const MINUTE = 60;
const DAY = 86_400;
const GIB = 2 ** 30;

/** Whether the rule would alert on it; undefined if the process exposes nothing for it. */
export type Rule = (scrapes: Scrapes) => boolean | undefined;

export const ALERT_RULES: Readonly<Record<string, Rule>> = {
  'go_goroutines > 1000': scrapes => of(scrapes, GOROUTINES, points => points.some(({ value }) => value > 1000)),
  'deriv(go_goroutines[5m]) > 10': scrapes => of(scrapes, GOROUTINES, points => steepest(points, 5 * MINUTE) > 10),
  'deriv(go_goroutines[5m]) > 0 for 5m': scrapes => of(scrapes, GOROUTINES, points => risesFor(points, 5 * MINUTE)),
  'deriv(heap_inuse[10m]) > 1e7': scrapes => of(scrapes, HEAP, points => steepest(points, 10 * MINUTE) > 1e7),
  'deriv(heap_inuse[5m]) > 0 for 5m': scrapes => of(scrapes, HEAP, points => risesFor(points, 5 * MINUTE)),
  'predict_linear(resident[10m], 24h) > 1Gi': scrapes =>
    of(scrapes, RESIDENT, points => predicted(points, 10 * MINUTE, DAY) > GIB),
  'predict_linear(open_fds[10m], 24h) > max_fds': scrapes =>
    of(
      scrapes,
      FILES,
      points => predicted(points, 10 * MINUTE, DAY) > (scrapes.get(MAX_FILES)?.at(-1)?.value ?? Infinity),
    ),
  "Coroot's memory leak": scrapes => of(scrapes, RESIDENT, corootSeesLeak),
};

function of(scrapes: Scrapes, metric: string, rule: (points: readonly Point[]) => boolean): boolean | undefined {
  const points = scrapes.get(metric);
  return points === undefined || points.length < 3 ? undefined : rule(points);
}

/**
 * metrics-1795007377.prom.gz and its like hold one scrape each, named by its time; metrics.prom.gz of a recorded cluster
 * holds many, each after a line `# LAB scrape ts=1794772040.001 ...`.
 */
export function readScrapes(folder: string): Scrapes {
  const points = new Map<string, Point[]>();
  for (const file of readdirSync(folder).sort()) {
    const [, digits, packed] = /^metrics(?:-(\d+))?\.prom(\.gz)?$/.exec(file) ?? [];
    if (!/^metrics(?:-\d+)?\.prom/.test(file)) continue;
    const bytes = readFileSync(join(folder, file));
    const text = (packed === undefined ? bytes : gunzipSync(bytes)).toString();
    if (digits !== undefined) addScrape(points, Number(digits), text);
    else for (const [seconds, body] of scrapesIn(text)) addScrape(points, seconds, body);
  }
  return points;
}

function scrapesIn(text: string): [number, string][] {
  return text
    .split(/^# LAB scrape ts=/m)
    .slice(1)
    .map(part => [Number.parseFloat(part), part]);
}

function addScrape(points: Map<string, Point[]>, seconds: number, text: string): void {
  for (const [, name, value] of text.matchAll(WANTED)) {
    const list = points.get(name) ?? [];
    list.push({ seconds, value: Number(value) });
    points.set(name, list);
  }
}

/** Least squares, as deriv() and predict_linear() do: the slope per second, and the value at the last point. */
export function lineThrough(points: readonly Point[]): { readonly slope: number; readonly last: number } {
  const end = points.at(-1)!.seconds;
  const meanX = mean(points.map(({ seconds }) => seconds - end));
  const meanY = mean(points.map(({ value }) => value));
  let covariance = 0;
  let variance = 0;
  for (const { seconds, value } of points) {
    covariance += (seconds - end - meanX) * (value - meanY);
    variance += (seconds - end - meanX) ** 2;
  }
  const slope = variance === 0 ? 0 : covariance / variance;
  return { slope, last: meanY - slope * meanX };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The ranges of that length that end at a scrape and are full. */
function ranges(points: readonly Point[], seconds: number): (readonly Point[])[] {
  const full = points.filter(point => point.seconds - points[0].seconds >= seconds);
  return full.map(({ seconds: end }) => points.filter(p => p.seconds <= end && p.seconds > end - seconds));
}

function steepest(points: readonly Point[], seconds: number): number {
  return Math.max(...ranges(points, seconds).map(range => lineThrough(range).slope), -Infinity);
}

/** At every scrape of the last five minutes, as `for: 5m` asks. */
function risesFor(points: readonly Point[], seconds: number): boolean {
  const end = points.at(-1)!.seconds;
  const last = ranges(points, seconds).filter(range => range.at(-1)!.seconds >= end - 5 * MINUTE);
  return last.length > 1 && last.every(range => lineThrough(range).slope > 0);
}

function predicted(points: readonly Point[], seconds: number, ahead: number): number {
  const range = ranges(points, seconds).at(-1) ?? points;
  const { slope, last } = lineThrough(range);
  return last + slope * ahead;
}

/**
 * Split where memory falls by more than half; the longest run, at least a third of the window; it rises, its last
 * quarter at 0.3 times the slope or more, by 50 MB/h and 10 %/h or more.
 */
export function corootSeesLeak(points: readonly Point[]): boolean {
  const runs: Point[][] = [[]];
  for (const point of points) {
    const before = runs.at(-1)!.at(-1);
    if (before !== undefined && point.value < before.value / 2) runs.push([]);
    runs.at(-1)!.push(point);
  }
  const run = runs.reduce((longest, one) => (one.length > longest.length ? one : longest));
  if (run.length < Math.max(4, points.length / 3)) return false;
  const { slope } = lineThrough(run);
  const tail = lineThrough(run.slice(-Math.max(3, Math.ceil(run.length / 4)))).slope;
  const perHour = slope * 3600;
  return slope > 0 && tail >= 0.3 * slope && perHour >= 50e6 && perHour >= 0.1 * run[0].value;
}
