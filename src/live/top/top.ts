/** One frame of `oakum top` (schema `oakum.top/v1`, docs/commands/top.md): everything a process holds now, and how it changes. */
import type { AgeShape } from '../../judge/ages/ages.ts';
import type { Verdict } from '../../judge/verdict.ts';
import { formatAge, formatBytes, formatCount, signed } from '../../base/say.ts';
import { displayWidth } from '../../base/text-layout.ts';
import { visible } from '../../base/visible-text.ts';

export interface TopFrame {
  readonly schema: 'oakum.top/v1';
  readonly target: string;
  /** RFC 3339. */
  readonly at: string;
  /** Samples so far, and the time between the first and this one. */
  readonly samples: number;
  readonly seconds: number;
  readonly verdict: Verdict;
  readonly sentence: string;
  readonly process: TopProcess;
  /** Largest first. */
  readonly goroutines: readonly TopGoroutines[];
  readonly heap: readonly TopHeap[];
  readonly labels: readonly TopLabel[];
  /** What could not be read, and what was left out to spare the process. */
  readonly notes: readonly string[];
}

export interface TopProcess {
  readonly version: string | null;
  readonly upSeconds: number | null;
  readonly goroutines: number | null;
  readonly goroutinesPerMinute: number | null;
  /** What heap profiles show as live. */
  readonly liveBytes: number | null;
  readonly liveBytesPerMinute: number | null;
  readonly residentBytes: number | null;
}

/** What both kinds of family have. */
interface TopFamily {
  readonly family: string;
  readonly title: string;
  readonly frames: readonly string[];
  /** By frame: `pkg/kubelet/pod_workers.go:1155`; null if unknown. */
  readonly places: readonly (string | null)[];
  /** Over the last minute; null with the first sample. */
  readonly perMinute: number | null;
  /** `leak` or `watch` if a finding is about this family. */
  readonly verdict: Verdict | null;
  /** What it means, if it is known. */
  readonly cause: string | null;
}

/** How long the goroutines of a family have waited. */
export interface TopAges {
  /** Null if there is too little to name it. */
  readonly shape: AgeShape | null;
  readonly binMinutes: number;
  /** Goroutines by age, youngest first. */
  readonly bins: readonly number[];
}

export interface TopGoroutines extends TopFamily {
  readonly count: number;
  /** The most frequent wait; null if unknown. */
  readonly wait: string | null;
  readonly longestWaitMinutes: number | null;
  readonly ages: TopAges | null;
  readonly createdBy: string | null;
  readonly createdAt: string | null;
  readonly owner: string | null;
  readonly labels: readonly { readonly labels: Readonly<Record<string, string>>; readonly count: number }[];
}

export interface TopHeap extends TopFamily {
  readonly bytes: number;
  readonly objects: number;
  /** Live objects of all that were ever allocated there; null if the profile does not say. */
  readonly retainedShare: number | null;
}

/** The goroutines that carry one set of labels. */
export interface TopLabel {
  readonly labels: Readonly<Record<string, string>>;
  readonly count: number;
  readonly perMinute: number | null;
  readonly families: number;
}

/** Above the frame: `MEASURING` until there is an answer, so that nobody reads "nothing grows" above a rising count. */
export function headOf({ verdict, sentence, process, samples, seconds }: TopFrame): {
  readonly tag: string;
  readonly sentence: string;
} {
  if (verdict !== 'unknown') return { tag: verdict.toUpperCase(), sentence };
  const rises = [
    ...rising('goroutines', process.goroutinesPerMinute, formatCount),
    ...rising('live heap', process.liveBytesPerMinute, formatBytes),
  ];
  if (rises.length === 0 && seconds >= SETTLED_SECONDS) return { tag: 'UNKNOWN', sentence };
  const since = samples === 1 ? 'One sample' : `${formatCount(samples)} samples in ${formatAge(seconds)}`;
  const what = rises.length === 0 ? '' : ` Meanwhile ${rises.join(', ')}, which may be load.`;
  return { tag: 'MEASURING', sentence: `${since}: too little for an answer yet.${what}` };
}

/** What can be answered without metrics of hours is answered by then. */
const SETTLED_SECONDS = 600;

function rising(what: string, perMinute: number | null, format: (value: number) => string): string[] {
  return perMinute === null || perMinute < 0.05 ? [] : [`${what} ${signed(format(perMinute))}/min`];
}

/** The process in one line: `http://localhost:6060  5,529 goroutines +120/min  52 MiB live  90 MiB resident`. */
const SPACE = '  ';

/** What does not fit is left out whole, the least important first; without a width everything stays. */
export function processText(frame: TopFrame, width: number = Infinity): string {
  let line = '';
  for (const part of partsOf(frame)) {
    const longer = line === '' ? part : `${line}${SPACE}${part}`;
    if (line !== '' && displayWidth(longer) > width) continue;
    line = longer;
  }
  return line;
}

/** The most important first. */
function partsOf({ target, process, samples, seconds, notes }: TopFrame): string[] {
  const parts = [visible(target)];
  if (process.goroutines !== null)
    parts.push(`${formatCount(process.goroutines)} goroutines${rate(process.goroutinesPerMinute, formatCount)}`);
  if (process.liveBytes !== null)
    parts.push(`${formatBytes(process.liveBytes)} live${rate(process.liveBytesPerMinute, formatBytes)}`);
  if (process.residentBytes !== null) parts.push(`${formatBytes(process.residentBytes)} resident`);
  parts.push(...notes.slice(0, 1).map(visible));
  if (process.upSeconds !== null) parts.push(`up ${formatAge(process.upSeconds)}`);
  if (process.version !== null) parts.push(visible(process.version));
  return [...parts, samples === 1 ? '1 sample' : `${formatCount(samples)} samples in ${formatAge(seconds)}`];
}

function rate(perMinute: number | null, format: (value: number) => string): string {
  return perMinute === null || Math.abs(perMinute) < 0.05 ? '' : ` ${signed(format(perMinute))}/min`;
}
