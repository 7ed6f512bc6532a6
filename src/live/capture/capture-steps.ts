/**
 * What a capture takes, in this order: cheap before expensive, and first what a dying process can still give.
 *
 *     set 1   metrics  goroutine  goroutine-d1  heap  heap-d1 | goroutine-d2  goroutineleak  block  mutex  ...  cpu
 *     gap
 *     set 2   metrics  goroutine  goroutine-d1  heap  heap-d1      and so on, with a gap before each set
 *
 * heap collects garbage first: without that it shows a collection that may be minutes old. heap-d1 is for its MemStats,
 * and is left out if the metrics have the live heap and the gap is not short.
 * goroutine-d2 comes before goroutineleak, whose garbage collection resets the waiting times of all goroutines.
 * `/debug/pprof/cmdline` is never requested: command lines hold secrets.
 */
import { formatBytes } from '../../base/say.ts';
import { type CaptureKind, isForcingCollection } from '../../evidence/capture.ts';

export interface CaptureStep {
  readonly kind: CaptureKind;
  readonly set: number;
  readonly request: string;
  readonly deadlineSeconds: number;
  readonly maxBytes: number;
}

export interface CaptureChoices {
  /** 0 for one set. */
  readonly gapSeconds: number;
  /** With a gap between them; 2 by default. */
  readonly sets?: number;
  /** Scrapes within the gaps, at least this far apart: minutes of metrics show a trend. None by default. */
  readonly scrapeEverySeconds?: number;
  /** 0 for no CPU profile. */
  readonly cpuSeconds: number;
  /** Nothing but these, of the usual ones. */
  readonly only?: readonly CaptureKind[] | undefined;
  /** In addition to the usual ones. */
  readonly also: readonly CaptureKind[];
  /** Lists all goroutines even if there are more than 10,000. */
  readonly debug2: boolean;
  /** Lists all goroutines in every set and not only in the first, so that those that stay can be told by their ids. */
  readonly listsEachSet?: boolean;
  /** Ignores every limit on goroutines. */
  readonly force: boolean;
  /** Collect garbage before each heap profile, unless the live heap is very large. */
  readonly gc: boolean;
  readonly requestTimeoutSeconds: number;
  readonly maxBytes: number;
}

/** The Go runtime silently cuts a list of all goroutines at this size. */
export const DEBUG2_LIMIT_BYTES = 67_108_864;

export const DEFAULT_CHOICES: CaptureChoices = {
  gapSeconds: 300,
  cpuSeconds: 0,
  also: [],
  debug2: false,
  force: false,
  gc: true,
  requestTimeoutSeconds: 60,
  maxBytes: 80 * 1024 * 1024,
};

interface KindRow {
  readonly request: string;
  readonly extension: string;
  /** What it does to the target. */
  readonly cost: string;
}

export const KINDS: Readonly<Record<CaptureKind, KindRow>> = {
  metrics: { request: '/metrics', extension: 'prom.gz', cost: 'one scrape' },
  'metrics-probes': { request: '/metrics/probes', extension: 'prom.gz', cost: 'one scrape' },
  'metrics-resource': { request: '/metrics/resource', extension: 'prom.gz', cost: 'one scrape' },
  'stats-summary': { request: '/stats/summary', extension: 'json.gz', cost: 'one reading of the cgroups' },
  configz: { request: '/configz', extension: 'json.gz', cost: 'nothing; may hold sensitive settings' },
  goroutine: { request: '/debug/pprof/goroutine', extension: 'pb.gz', cost: 'stops it for some milliseconds' },
  'goroutine-d1': {
    request: '/debug/pprof/goroutine?debug=1',
    extension: 'txt.gz',
    cost: 'stops it for some milliseconds',
  },
  'goroutine-d2': {
    request: '/debug/pprof/goroutine?debug=2',
    extension: 'txt.gz',
    cost: 'stops it for about 0.2 s per 1,000 goroutines',
  },
  goroutineleak: { request: '/debug/pprof/goroutineleak', extension: 'pb.gz', cost: 'one garbage collection' },
  heap: { request: '/debug/pprof/heap', extension: 'pb.gz', cost: 'does not stop it' },
  'heap-d1': {
    request: '/debug/pprof/heap?debug=1',
    extension: 'txt.gz',
    cost: 'does not stop it; left out if metrics have the live heap',
  },
  allocs: { request: '/debug/pprof/allocs', extension: 'pb.gz', cost: 'does not stop it' },
  cpu: { request: '/debug/pprof/profile', extension: 'pb.gz', cost: '100 samples a second meanwhile' },
  block: { request: '/debug/pprof/block', extension: 'pb.gz', cost: 'does not stop it; kept if not empty' },
  mutex: { request: '/debug/pprof/mutex', extension: 'pb.gz', cost: 'does not stop it; kept if not empty' },
  threadcreate: { request: '/debug/pprof/threadcreate', extension: 'pb.gz', cost: 'does not stop it' },
};

/** What may be taken in addition to the usual. */
export const EXTRA_KINDS: readonly CaptureKind[] = [
  'metrics-probes',
  'metrics-resource',
  'stats-summary',
  'configz',
  'allocs',
  'threadcreate',
];

const EACH_SET: readonly CaptureKind[] = ['metrics', 'goroutine', 'goroutine-d1', 'heap', 'heap-d1'];
const ONCE: readonly CaptureKind[] = ['goroutine-d2', 'goroutineleak', 'block', 'mutex'];
/** Scrapes of large API servers are larger than any profile. */
const METRICS_BYTES = 256 * 1024 * 1024;

export function captureSteps(choices: CaptureChoices): CaptureStep[] {
  const cpu: readonly CaptureKind[] = choices.cpuSeconds > 0 ? ['cpu'] : [];
  const first = [...EACH_SET, ...ONCE, ...choices.also, ...cpu].map(kind => stepOf(kind, 1, choices));
  const lists: readonly CaptureKind[] = choices.listsEachSet === true ? ['goroutine-d2'] : [];
  const later = Array.from({ length: setCount(choices) - 1 }, (_, i) =>
    [...EACH_SET, ...lists].map(kind => stepOf(kind, i + 2, choices)),
  );
  return [...first, ...later.flat()].filter(({ kind }) => choices.only?.includes(kind) ?? true);
}

function stepOf(kind: CaptureKind, set: number, choices: CaptureChoices): CaptureStep {
  const seconds = kind === 'cpu' ? choices.cpuSeconds : 0;
  const query = seconds > 0 ? `?seconds=${seconds}` : kind === 'heap' && choices.gc ? '?gc=1' : '';
  return {
    kind,
    set,
    request: KINDS[kind].request + query,
    deadlineSeconds: choices.requestTimeoutSeconds + seconds,
    maxBytes: kind === 'metrics' ? Math.max(METRICS_BYTES, choices.maxBytes) : choices.maxBytes,
  };
}

export function setCount({ gapSeconds, sets = 2 }: CaptureChoices): number {
  return gapSeconds > 0 ? sets : 1;
}

/** One more scrape, within the gap after a set. */
export function gapScrape(choices: CaptureChoices, set: number): CaptureStep {
  return stepOf('metrics', set, choices);
}

/** What a step does to the target. */
export function costOf({ kind, request }: CaptureStep): string {
  return isForcingCollection(request) ? 'one garbage collection, as it has every 2 minutes anyway' : KINDS[kind].cost;
}

/** A collection of more takes seconds of CPU. */
const MAX_COLLECTED_BYTES = 2 * 1024 ** 3;

/** Why a heap profile is taken as the last collections left it; undefined where it may collect first. */
export function reasonNotToCollect(liveHeapBytes: number | undefined): string | undefined {
  if (liveHeapBytes === undefined || liveHeapBytes <= MAX_COLLECTED_BYTES) return undefined;
  const size = `the heap is ${formatBytes(liveHeapBytes)}, above ${formatBytes(MAX_COLLECTED_BYTES)}`;
  return `${size}: no collection was forced, so heap profiles may be minutes old`;
}

/** The same step as the last collections left the heap. */
export function withoutCollecting(step: CaptureStep): CaptureStep {
  return { ...step, request: KINDS[step.kind].request };
}

const ASK_ABOVE = 10_000;
const REFUSE_ABOVE = 50_000;

/** Why the list of all goroutines is left out; undefined if it is worth stopping the process. */
export function decideDebug2(goroutines: number | undefined, { debug2, force }: CaptureChoices): string | undefined {
  if (force) return undefined;
  if (goroutines === undefined) {
    return debug2 ? undefined : 'the number of goroutines is unknown; --debug2 takes it anyway';
  }
  const count = `${goroutines} goroutines`;
  if (goroutines > REFUSE_ABOVE)
    return `${count}: it would stop the process for many seconds and be cut at 64 MiB; --force takes it anyway`;
  if (goroutines >= ASK_ABOVE && !debug2)
    return `${count}: it would stop the process for seconds; --debug2 takes it anyway`;
  return undefined;
}
