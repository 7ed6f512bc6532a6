/** What the target holds at rest: goroutines settle, garbage is collected, then everything is counted and kept. */
import { decodeText } from '../base/text.ts';
import { explain } from '../live/doctor/explain.ts';
import { readScrape } from '../live/triage/triage-scrape.ts';
import type { ReadSnapshot } from '../evidence/snapshots/read-member.ts';
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
const HEAP = '/debug/pprof/heap?gc=1&debug=1';
const MAX_BYTES = 128 * 1024 * 1024;
const POLL_SECONDS = 0.25;
/** Equal counts in a row that mean rest. */
const CALM_POLLS = 4;
/** The list of all goroutines stops the process. */
const MAX_LISTED = 10_000;

/** `folder` is that of the round in the evidence: `round-03`. */
export async function takeRound(ports: RoundPorts, folder: string): Promise<RoundState> {
  await settle(ports);
  const heap = await takeHeap(ports, `${folder}/heap-gc1`);
  const goroutines = await take(ports, GOROUTINES, `${folder}/goroutine-d1`, 'txt');
  const metrics = await take(ports, '/metrics', `${folder}/metrics`, 'prom');
  if (goroutines === undefined) throw new TargetLost(`${ports.connection.target} serves no goroutine profile`);
  const counts = await ports.countInSystem();
  const memory = heap?.read[0]?.memStats;
  const scrape =
    metrics === undefined ? undefined : readScrape({ ...metrics.answer, body: metrics.content }, undefined);
  const levels: Partial<Record<GateResource, number>> = {};
  const set = (resource: GateResource, level: number | null | undefined): void => {
    if (level !== null && level !== undefined) levels[resource] = level;
  };
  set('goroutines', goroutineTotal(goroutines.content));
  set('heap', memory?.heapAllocBytes);
  set('objects', heap?.leastObjects);
  set('file descriptors', counts?.openFiles ?? scrape?.openFiles);
  set('threads', counts?.threads ?? scrape?.threads);
  return {
    takenAtSeconds: ports.now(),
    levels,
    goroutines: goroutines.read[0]?.families,
    heap: heap?.read[0]?.families,
    startSeconds: metrics?.read[0]?.startTimeSeconds,
    collections: memory?.numGc,
    process: counts?.process,
    version: scrape?.version ?? undefined,
    memProfileRate: heap === undefined ? undefined : memProfileRateOf(heap.content),
    files: { goroutines: goroutines.file, heap: heap?.file },
  };
}

/** Every goroutine with its id; undefined if there are too many, or the target does not list them. */
export async function listGoroutines(
  ports: RoundPorts,
  folder: string,
  { levels }: RoundState,
): Promise<FamilyTable | undefined> {
  if ((levels.goroutines ?? Infinity) > MAX_LISTED) return undefined;
  return (await take(ports, LIST, `${folder}/goroutine-d2`, 'txt'))?.read[0]?.families;
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
  const count = async (): Promise<number> => {
    // The index has the number alone; the profile costs the process more, the more goroutines it has.
    const listed = hasIndex ? countInIndex((await get(ports, INDEX)).content) : undefined;
    hasIndex = listed !== undefined;
    return listed ?? goroutineTotal((await get(ports, GOROUTINES)).content) ?? NaN;
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
async function takeHeap(
  ports: RoundPorts,
  name: string,
): Promise<(Taken & { readonly leastObjects: number | undefined }) | undefined> {
  let least = await read(ports, HEAP, name, 'txt');
  if (least === undefined) return undefined;
  let leastObjects = least.read[0]?.memStats?.heapObjects;
  for (let i = 1; i < MAX_COLLECTIONS && leastObjects !== undefined && !ports.signal.aborted; i++) {
    const next = await read(ports, HEAP, name, 'txt');
    const [before, after] = [least, next].map(one => one?.read[0]?.memStats?.heapAllocBytes);
    if (next === undefined || before === undefined || after === undefined) break;
    leastObjects = Math.min(leastObjects, next.read[0]?.memStats?.heapObjects ?? Infinity);
    if (after < before) least = next;
    if (Math.abs(after - before) <= STEADY_BYTES) break;
  }
  await ports.save(least.file, least.content);
  return { ...least, leastObjects };
}

interface Taken {
  readonly answer: Answer;
  readonly content: Uint8Array;
  readonly read: readonly ReadSnapshot[];
  readonly file: string;
}

/** Undefined if the target does not have it. */
async function read(ports: RoundPorts, path: string, name: string, extension: string): Promise<Taken | undefined> {
  const { answer, content } = await get(ports, path);
  if (answer === undefined) return undefined;
  const file = `${name}-${Math.floor(answer.headAtSeconds)}.${extension}`;
  const found = readKept(file, content);
  return found === undefined ? undefined : { answer, content, read: found, file };
}

/** The same, kept as evidence. */
async function take(ports: RoundPorts, path: string, name: string, extension: string): Promise<Taken | undefined> {
  const taken = await read(ports, path, name, extension);
  if (taken !== undefined) await ports.save(taken.file, taken.content);
  return taken;
}

async function get(
  { connection, inflate, requestTimeoutSeconds, signal }: RoundPorts,
  path: string,
): Promise<{ readonly answer: Answer | undefined; readonly content: Uint8Array }> {
  const reply = await connection.get(path, { deadlineSeconds: requestTimeoutSeconds, maxBytes: MAX_BYTES, signal });
  const why = explain(reply, { ...connection, path });
  if (reply.kind !== 'answer') throw new TargetLost(why?.sentence ?? 'no answer');
  if (why !== undefined) {
    if (why.passing) throw new TargetLost(why.sentence);
    return { answer: undefined, content: new Uint8Array() };
  }
  return { answer: reply, content: (await inflate(reply.body, MAX_BYTES * 4)) ?? new Uint8Array() };
}
