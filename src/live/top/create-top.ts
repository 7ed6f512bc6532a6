/**
 * Samples one process every few seconds and shows what it holds.
 *
 *     /metrics, goroutines, sometimes all of them one by one, heap  ->  snapshots  ->  the same analysis as triage  ->  frame
 *
 * Nothing is forced: no garbage collection, no list of more than 10,000 goroutines; see request-budget.ts.
 */
import { familiesOf } from '../../evidence/snapshots/families-of.ts';
import { FormatError } from '../../base/errors.ts';
import { formatCount } from '../../base/say.ts';
import { analyzePile } from '../../judge/process/analyze-pile.ts';
import { explain } from '../doctor/explain.ts';
import { readScrape } from '../triage/triage-scrape.ts';
import { evidenceOf } from '../../evidence/snapshots/process-evidence.ts';
import { readMember, type ReadSnapshot } from '../../evidence/snapshots/read-member.ts';
import { pileOf } from '../../evidence/snapshots/read-pile.ts';
import { goroutineTotal } from '../../profile/formats/goroutine-text/debug1.ts';
import type { KnownLeak } from '../../knowledge/known-leak.ts';
import type { Answer } from '../reply.ts';
import { nameInEvidence } from '../../evidence/target.ts';
import type { TopFrame } from './top.ts';
import type { TriageScrape } from '../triage/triage.ts';
import type { TargetConnection } from '../ports.ts';
import { decideDebug2, DEFAULT_CHOICES } from '../capture/capture-steps.ts';
import { countsOf, frameOf, type Listed, listedIn } from './frame-of.ts';
import { RecentCounts } from './recent-counts.ts';

const TOP_REQUESTS: Readonly<Record<TopRequest, Rule>> = {
  metrics: { path: '/metrics', share: 0.05, leastSeconds: 0 },
  goroutines: { path: '/debug/pprof/goroutine?debug=1', share: 0.05, leastSeconds: 0 },
  list: { path: '/debug/pprof/goroutine?debug=2', share: 0.01, leastSeconds: 10 },
  // A heap profile changes only with a garbage collection.
  heap: { path: '/debug/pprof/heap', share: 0.05, leastSeconds: 10 },
};

const MAX_SETS = 12;

export interface TopPorts {
  readonly connection: TargetConnection;
  readonly catalogue: readonly KnownLeak[];
  readonly now: () => number;
  readonly inflate: (body: Uint8Array, maxBytes: number) => Promise<Uint8Array | undefined>;
  readonly requestTimeoutSeconds: number;
  readonly signal: AbortSignal;
}

/** Takes one sample. `frame` is undefined while nothing was ever read; `problem` says why nothing was read now. */
export type TakeSample = () => Promise<{ readonly frame: TopFrame | undefined; readonly problem: string | undefined }>;

const MAX_BYTES = 80 * 1024 * 1024;
const MAX_INFLATED_BYTES = 512 * 1024 * 1024;

interface Sampled {
  readonly answer: Answer;
  readonly read: readonly ReadSnapshot[];
  readonly content: Uint8Array;
}

export function createTop(ports: TopPorts): TakeSample {
  const { connection, now } = ports;
  const name = nameInEvidence(connection.target);
  const budget = new RequestBudget();
  const recent = new RecentCounts();
  let sets: readonly KeptSet[] = [];
  let listed: ReadonlyMap<string, Listed> = new Map();
  let samples = 0;
  let startedAt = NaN;
  let processKey = '';
  /** What this process does not have or we may not read. */
  const lasting = new Map<TopRequest, string>();

  async function take(request: TopRequest, problems: string[]): Promise<Sampled | undefined> {
    if (!budget.isDue(request, now())) return undefined;
    const { path } = TOP_REQUESTS[request];
    const reply = await connection.get(path, {
      deadlineSeconds: ports.requestTimeoutSeconds,
      maxBytes: MAX_BYTES,
      signal: ports.signal,
    });
    budget.sent(request, now(), reply.tookSeconds);
    const why = explain(reply, { ...connection, path });
    if (reply.kind !== 'answer' || why !== undefined) {
      const sentence = why?.sentence ?? 'no answer';
      if (why?.passing === false) giveUp(request, sentence);
      problems.push(sentence);
      return undefined;
    }
    const content = await ports.inflate(reply.body, MAX_INFLATED_BYTES);
    const file = `${name}/${request}-${Math.floor(reply.headAtSeconds)}`;
    try {
      if (content === undefined) throw new FormatError('its compression is damaged');
      const member = {
        kind: 'member',
        path: file,
        bytes: content,
        mtimeSeconds: undefined,
        damage: undefined,
      } as const;
      return { answer: reply, content, read: readMember(member, { families: familiesOf, keepStacks: false }) };
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      const sentence = `${path} cannot be read: ${error.describe()}`;
      giveUp(request, sentence);
      problems.push(sentence);
      return undefined;
    }
  }

  function giveUp(request: TopRequest, why: string): void {
    budget.giveUp(request);
    lasting.set(request, why);
  }

  return async () => {
    const atSeconds = now();
    const problems: string[] = [];
    const notes: string[] = [];
    const metrics = await take('metrics', notes);
    const counted = await take('goroutines', problems);
    const scrape = metrics === undefined ? undefined : readScrape(metrics.answer, undefined);
    const total = counted === undefined ? scrape?.goroutines : goroutineTotal(counted.content);
    const list = await takeList(total ?? undefined, notes);
    const heap = await take('heap', problems);
    const read = [metrics, counted, list, heap].flatMap(one => one?.read ?? []);
    const isSeen = counted !== undefined || list !== undefined || heap !== undefined;
    if (!isSeen && samples === 0) return { frame: undefined, problem: problems[0] ?? notes[0] };
    if (read.length > 0) sets = withSet(sets, { atSeconds, read });
    if (isSeen) samples++;
    if (samples === 1) startedAt = atSeconds;
    const told = [...new Set([...problems, ...notes, ...lasting.values()])];
    return { frame: judge(atSeconds, scrape, told), problem: isSeen ? undefined : problems[0] };
  };

  async function takeList(goroutines: number | undefined, notes: string[]): Promise<Sampled | undefined> {
    if (goroutines !== undefined && decideDebug2(goroutines, DEFAULT_CHOICES) !== undefined) {
      notes.push(`no ages: listing ${formatCount(goroutines)} goroutines would stop the process`);
      return undefined;
    }
    return take('list', notes);
  }

  function judge(atSeconds: number, scrape: TriageScrape | undefined, notes: readonly string[]): TopFrame {
    const pile = pileOf(
      sets.flatMap(set => set.read),
      [],
      { target: name },
    );
    const evidence = evidenceOf(pile.snapshots, pile.viewGroups).at(-1);
    if (evidence !== undefined) {
      // Another life: nothing of the one before is comparable.
      if (processKey !== '' && evidence.process.key !== processKey) recent.clear();
      processKey = evidence.process.key;
      recent.add(atSeconds, countsOf(evidence));
      listed = listedIn(evidence) ?? listed;
    }
    return frameOf({
      target: connection.target,
      atSeconds,
      samples,
      seconds: atSeconds - startedAt,
      analysis: analyzePile(pile, { catalogue: ports.catalogue }),
      evidence,
      process: {
        version: scrape?.version ?? null,
        upSeconds: scrape?.upSeconds ?? null,
        goroutines: scrape?.goroutines ?? null,
        residentBytes: scrape?.residentBytes ?? null,
      },
      listed,
      recent,
      notes,
    });
  }
}

/**
 * The samples that a verdict is made from: the first, the last, and some between them that are about equally far apart.
 *
 *     0 s      60 s     120 s    180 s   200 s   205 s
 *     first                               ...    last
 */
export interface KeptSet {
  readonly atSeconds: number;
  readonly read: readonly ReadSnapshot[];
}

export function withSet(sets: readonly KeptSet[], set: KeptSet): KeptSet[] {
  const all = [...sets, set];
  return all.length <= MAX_SETS ? all : all.filter((_, i) => i !== leastMissed(all));
}

/** The one whose neighbours are closest together; never the first or the last. */
function leastMissed(sets: readonly KeptSet[]): number {
  let best = 1;
  let closest = Infinity;
  sets.forEach((_, i) => {
    const [before, after] = [sets[i - 1], sets[i + 1]];
    if (before === undefined || after === undefined) return;
    const gap = after.atSeconds - before.atSeconds;
    if (gap < closest) [best, closest] = [i, gap];
  });
  return best;
}

/**
 * When each request may be sent again, so that looking does not disturb. A goroutine profile stops the process while it
 * is made, and a list of all goroutines for much longer; both take longer the more goroutines there are.
 *
 *     request took 0.1 s       profile: again after 2 s, at most 5 % of the time
 *                              list:    again after 10 s, at most 1 % of the time
 */
type TopRequest = 'metrics' | 'goroutines' | 'list' | 'heap';

interface Rule {
  readonly path: string;
  /** It takes at most this share of the time. */
  readonly share: number;
  readonly leastSeconds: number;
}

class RequestBudget {
  readonly #notBefore = new Map<TopRequest, number>();

  isDue(request: TopRequest, nowSeconds: number): boolean {
    return nowSeconds >= (this.#notBefore.get(request) ?? -Infinity);
  }

  sent(request: TopRequest, nowSeconds: number, tookSeconds: number): void {
    const { share, leastSeconds } = TOP_REQUESTS[request];
    this.#notBefore.set(request, nowSeconds + Math.max(leastSeconds, tookSeconds / share));
  }

  /** It is not there, or we may not: never again. */
  giveUp(request: TopRequest): void {
    this.#notBefore.set(request, Infinity);
  }
}
