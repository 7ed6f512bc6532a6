/** What the target holds at rest: goroutines settle, garbage is collected, then everything is counted and kept. */
import { formatBytes } from '../base/say.ts';
import { decodeText } from '../base/text.ts';
import { explain } from '../live/doctor/explain.ts';
import { readScrape } from '../live/triage/triage-scrape.ts';
import type { ReadSnapshot } from '../evidence/snapshots/read-member.ts';
import { SERIES_COUNT } from '../evidence/metric-names.ts';
import { nativeBytesIn } from '../evidence/resource.ts';
import type { MemStats } from '../profile/formats/mem-stats.ts';
import { goroutineTotal } from '../profile/formats/goroutine-text/debug1.ts';
import type { FamilyTable } from '../profile/families/family.ts';
import { type GateResource, memProfileRateOf, readKept } from './gate.ts';
import type { Answer } from '../live/reply.ts';
import type { TargetConnection } from '../live/ports.ts';

export interface RoundPorts {
  readonly connection: TargetConnection;
  /** Keeps a file of the evidence. */
  readonly save: (path: string, body: Uint8Array) => Promise<void>;
  readonly inflate: (body: Uint8Array, maxBytes: number) => Promise<Uint8Array | undefined>;
  readonly sleep: (seconds: number) => Promise<void>;
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly requestTimeoutSeconds: number;
  readonly settleSeconds: number;
  /** What the operating system says about a process of this machine; undefined if it is elsewhere. */
  readonly countInSystem: () => Promise<SystemCounts | undefined>;
}

export interface SystemCounts {
  readonly openFiles: number;
  readonly threads: number;
  /**
   * Resident, outside the heap of Go and without mapped files, which the system takes back at will: memory of C code, of
   * mmap, and the runtime's own records. Undefined if the system does not tell them apart.
   */
  readonly besideHeapBytes: number | undefined;
  /** Another one after a restart. */
  readonly process: string;
}

/** What can be written down. */
export interface RoundFacts {
  readonly takenAtSeconds: number;
  readonly levels: Readonly<Partial<Record<GateResource, number>>>;
  /** Changes with a restart; undefined if nothing says so. */
  readonly startSeconds: number | undefined;
  readonly collections: number | undefined;
  /** The process that was counted on this machine; undefined if it is elsewhere. */
  readonly process: string | undefined;
  readonly version: string | undefined;
  /** One allocation in so many bytes is in the heap profile. */
  readonly memProfileRate: number | undefined;
  /** Why the heap was not counted: a limit is told as one. */
  readonly heapProblem?: string | undefined;
  /** The names of the evidence. */
  readonly files: { readonly goroutines: string; readonly heap: string | undefined };
}

export interface RoundState extends RoundFacts {
  readonly goroutines: FamilyTable | undefined;
  readonly heap: FamilyTable | undefined;
}

/** The target did not answer. */
export class TargetLost extends Error {}

const INDEX = '/debug/pprof/';
const GOROUTINES = '/debug/pprof/goroutine?debug=1';
const LIST = '/debug/pprof/goroutine?debug=2';
/**
 * The small form first. It has no totals; those of debug=1 are exact, but it is thirty times as large, and on a large
 * process takes longer than anything else here. There the metrics have the totals.
 */
const HEAP = '/debug/pprof/heap?gc=1';
const HEAP_TEXT = '/debug/pprof/heap?gc=1&debug=1';
const MAX_SMALL_BYTES = 512 * 1024;
const MAX_BYTES = 128 * 1024 * 1024;
const MAX_INFLATED_BYTES = 4 * MAX_BYTES;
const POLL_SECONDS = 0.25;
/** Equal counts in a row that mean rest. */
const CALM_POLLS = 4;
/** The list of all goroutines stops the process. */
const MAX_LISTED = 10_000;

/** `folder` is that of the round in the evidence: `round-03`. */
export async function takeRound(ports: RoundPorts, folder: string): Promise<RoundState> {
  await settle(ports);
  const heap = await takeHeap(ports, `${folder}/heap-gc1`);
  const metrics = wholeOf(await take(ports, '/metrics', `${folder}/metrics`, 'prom'));
  const goroutines = await take(ports, GOROUTINES, `${folder}/goroutine-d1`, 'txt');
  if (goroutines.kind === 'missed') throw new TargetLost(`${ports.connection.target}: ${goroutines.why}`);
  const counts = await ports.countInSystem();
  const taken = wholeOf(heap);
  const memory = taken?.read[0]?.memStats;
  const scrape =
    metrics === undefined ? undefined : readScrape({ ...metrics.answer, body: metrics.content }, undefined);
  const value = (name: string): number | undefined => metrics?.read[0]?.series?.get(name)?.values.at(-1);
  const levels: Partial<Record<GateResource, number>> = {};
  const set = (resource: GateResource, level: number | null | undefined): void => {
    if (level !== null && level !== undefined) levels[resource] = level;
  };
  set('goroutines', goroutineTotal(goroutines.content));
  const live = value('go_gc_heap_live_bytes') ?? value('go_memstats_heap_alloc_bytes');
  set('heap', memory?.heapAllocBytes ?? (taken && (live ?? taken.read[0]?.families?.total)));
  set('objects', taken?.leastObjects ?? (taken && value('go_memstats_heap_objects')));
  set('memory outside the Go heap', nativeBytes(counts, memory ?? {}, value));
  set('file descriptors', counts?.openFiles ?? scrape?.openFiles);
  set('threads', counts?.threads ?? scrape?.threads);
  set('metric series', value(SERIES_COUNT));
  return {
    takenAtSeconds: ports.now(),
    levels,
    goroutines: goroutines.read[0]?.families,
    heap: taken?.read[0]?.families,
    startSeconds: metrics?.read[0]?.startTimeSeconds,
    collections: memory?.numGc,
    process: counts?.process,
    version: scrape?.version ?? undefined,
    memProfileRate: taken?.memProfileRate,
    heapProblem: heap.kind === 'missed' ? heap.why : undefined,
    files: { goroutines: goroutines.file, heap: taken?.file },
  };
}

/**
 * By the system's list of mappings without the runtime's records, which grow with the heap; else what is resident
 * beyond what the runtime holds, which wanders more. Undefined if neither is known.
 */
function nativeBytes(
  counts: SystemCounts | undefined,
  { mspan, mcache, buckHashSysBytes = 0, gcSysBytes = 0, otherSysBytes = 0 }: MemStats,
  value: (name: string) => number | undefined,
): number | undefined {
  if (counts?.besideHeapBytes !== undefined) {
    const records =
      (mspan?.inuseBytes ?? 0) + (mcache?.inuseBytes ?? 0) + buckHashSysBytes + gcSysBytes + otherSysBytes;
    return counts.besideHeapBytes - records;
  }
  return nativeBytesIn({
    process_resident_memory_bytes: value('process_resident_memory_bytes'),
    go_memory_classes_total_bytes: value('go_memory_classes_total_bytes'),
    go_memory_classes_heap_released_bytes: value('go_memory_classes_heap_released_bytes'),
    go_memstats_sys_bytes: value('go_memstats_sys_bytes'),
    go_memstats_heap_released_bytes: value('go_memstats_heap_released_bytes'),
  });
}

/** Every goroutine with its id; undefined if there are too many, or the target does not list them. */
export async function listGoroutines(
  ports: RoundPorts,
  folder: string,
  { levels }: RoundState,
): Promise<FamilyTable | undefined> {
  if ((levels.goroutines ?? Infinity) > MAX_LISTED) return undefined;
  return wholeOf(await take(ports, LIST, `${folder}/goroutine-d2`, 'txt'))?.read[0]?.families;
}

/** Throws TargetLost if it is gone. */
export async function probe(ports: RoundPorts): Promise<void> {
  await get(ports, INDEX);
}

/** Until the number of goroutines stays the same for a while, or the time is up: some programs never rest. */
async function settle(ports: RoundPorts): Promise<void> {
  let last = NaN;
  let calm = 0;
  let hasIndex = true;
  const contentOf = async (path: string): Promise<Uint8Array> => {
    const got = await get(ports, path);
    return got.kind === 'got' ? got.content : new Uint8Array();
  };
  const count = async (): Promise<number> => {
    // The index has the number alone; the profile costs the process more, the more goroutines it has.
    const listed = hasIndex ? countInIndex(await contentOf(INDEX)) : undefined;
    hasIndex = listed !== undefined;
    return listed ?? goroutineTotal(await contentOf(GOROUTINES)) ?? NaN;
  };
  for (
    let waited = 0;
    waited < ports.settleSeconds && calm < CALM_POLLS && !ports.signal.aborted;
    waited += POLL_SECONDS
  ) {
    const total = await count();
    calm = total === last ? calm + 1 : 0;
    last = total;
    await ports.sleep(Math.min(POLL_SECONDS, ports.settleSeconds));
  }
}

/** `<tr><td>12</td><td><a href='goroutine?debug=1'>goroutine</a></td></tr>` of the index that net/http/pprof serves. */
export function countInIndex(page: Uint8Array): number | undefined {
  const [, count] = /<td[^>]*>(\d+)(?:<\/td>)?\s*<td[^>]*>\s*<a href=['"]goroutine\?/.exec(decodeText(page)) ?? [];
  return count === undefined ? undefined : Number(count);
}

/** Collections that a busy process gets. */
const MAX_COLLECTIONS = 6;
/** Two that are nearer to each other than this found the same. */
const STEADY_BYTES = 16 * 1024;

/**
 * The heap after the collection that left least. What a process allocates while its garbage is collected counts as live,
 * and a busy one allocates megabytes meanwhile: that only ever adds, so the least of several is nearest to the truth.
 */
async function takeHeap(ports: RoundPorts, name: string): Promise<HeapTaken | Missed> {
  const small = await read(ports, HEAP, name, 'pb.gz', true);
  if (small.kind === 'taken' && small.answer.body.length > MAX_SMALL_BYTES) {
    await ports.save(small.file, small.answer.body);
    const period = small.read[0]?.profile?.period ?? 0n;
    return { ...small, leastObjects: undefined, memProfileRate: period > 0n ? Number(period) : undefined };
  }
  let least = await read(ports, HEAP_TEXT, name, 'txt');
  if (least.kind === 'missed') return least;
  let leastObjects = least.read[0]?.memStats?.heapObjects;
  for (let i = 1; i < MAX_COLLECTIONS && leastObjects !== undefined && !ports.signal.aborted; i++) {
    const next = await read(ports, HEAP_TEXT, name, 'txt');
    if (next.kind === 'missed') break;
    const [before, after] = [least, next].map(one => one.read[0]?.memStats?.heapAllocBytes);
    if (before === undefined || after === undefined) break;
    leastObjects = Math.min(leastObjects, next.read[0]?.memStats?.heapObjects ?? Infinity);
    if (after < before) least = next;
    if (Math.abs(after - before) <= STEADY_BYTES) break;
  }
  await ports.save(least.file, least.content);
  return { ...least, leastObjects, memProfileRate: memProfileRateOf(least.content) };
}

interface Taken {
  readonly kind: 'taken';
  readonly answer: Answer;
  readonly content: Uint8Array;
  readonly read: readonly ReadSnapshot[];
  readonly file: string;
}

interface HeapTaken extends Taken {
  /** Exact, of all collections; undefined if the profile does not say. */
  readonly leastObjects: number | undefined;
  readonly memProfileRate: number | undefined;
}

/** The target does not have it, or it was too large, or it cannot be read. */
interface Missed {
  readonly kind: 'missed';
  readonly why: string;
}

function wholeOf<T extends Taken>(one: T | Missed): T | undefined {
  return one.kind === 'missed' ? undefined : one;
}

async function read(
  ports: RoundPorts,
  path: string,
  name: string,
  extension: string,
  keepStacks = false,
): Promise<Taken | Missed> {
  const got = await get(ports, path);
  if (got.kind === 'missed') return got;
  const { answer, content } = got;
  const file = `${name}-${Math.floor(answer.headAtSeconds)}.${extension}`;
  const found = readKept(file, content, keepStacks);
  if (typeof found === 'string') return { kind: 'missed', why: `${path} cannot be read: ${found}` };
  return { kind: 'taken', answer, content, read: found, file };
}

/** The same, kept as evidence. */
async function take(ports: RoundPorts, path: string, name: string, extension: string): Promise<Taken | Missed> {
  const taken = await read(ports, path, name, extension);
  if (taken.kind === 'taken') await ports.save(taken.file, taken.content);
  return taken;
}

async function get(
  { connection, inflate, requestTimeoutSeconds, signal }: RoundPorts,
  path: string,
): Promise<{ readonly kind: 'got'; readonly answer: Answer; readonly content: Uint8Array } | Missed> {
  const reply = await connection.get(path, { deadlineSeconds: requestTimeoutSeconds, maxBytes: MAX_BYTES, signal });
  const why = explain(reply, { ...connection, path });
  if (reply.kind !== 'answer') throw new TargetLost(why?.sentence ?? 'no answer');
  if (why !== undefined) {
    if (why.passing) throw new TargetLost(why.sentence);
    return { kind: 'missed', why: why.sentence };
  }
  const content = await inflate(reply.body, MAX_INFLATED_BYTES);
  if (content !== undefined) return { kind: 'got', answer: reply, content };
  const limit = `${path} is damaged, or larger than ${formatBytes(MAX_INFLATED_BYTES)} when it is decompressed`;
  return { kind: 'missed', why: limit };
}
