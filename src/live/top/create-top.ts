/**
 * Samples one process every few seconds and shows what it holds.
 *
 *     /metrics, goroutines, sometimes all of them one by one, heap  ->  snapshots  ->  the same analysis as triage  ->  frame
 *
 * Nothing is forced: no garbage collection, no list of more than 10,000 goroutines; see top-requests.ts.
 */
import { formatCount } from '../../base/say.ts';
import { analyzePile } from '../../judge/process/analyze-pile.ts';
import { readScrape } from '../triage/triage-scrape.ts';
import { evidenceOf } from '../../evidence/snapshots/process-evidence.ts';
import type { ReadSnapshot } from '../../evidence/snapshots/read-member.ts';
import { pileOf } from '../../evidence/snapshots/read-pile.ts';
import { goroutineTotal } from '../../profile/formats/goroutine-text/debug1.ts';
import type { KnownLeak } from '../../knowledge/known-leak.ts';
import { nameInEvidence } from '../../evidence/target.ts';
import type { TopFrame } from './top.ts';
import type { TriageScrape } from '../triage/triage.ts';
import { decideDebug2, DEFAULT_CHOICES } from '../capture/capture-steps.ts';
import { countsOf, frameOf, type Listed, listedIn, RecentCounts } from './frame-of.ts';
import { type RequestPorts, type Sampled, TopRequests } from './top-requests.ts';

export interface TopPorts extends RequestPorts {
  readonly catalogue: readonly KnownLeak[];
}

/** Takes one sample. `frame` is undefined while nothing was ever read; `problem` says why nothing was read now. */
export type TakeSample = () => Promise<{ readonly frame: TopFrame | undefined; readonly problem: string | undefined }>;

export function createTop(ports: TopPorts): TakeSample {
  const requests = new TopRequests(ports);
  const observed = new Observed(ports.connection.target, ports.catalogue);
  return async () => {
    const atSeconds = ports.now();
    const problems: string[] = [];
    const notes: string[] = [];
    const metrics = await requests.take('metrics', notes);
    const counted = await requests.take('goroutines', problems);
    const scrape = metrics === undefined ? undefined : readScrape(metrics.answer, undefined);
    const total = counted === undefined ? scrape?.goroutines : goroutineTotal(counted.content);
    const list = await takeList(requests, total ?? undefined, notes);
    const heap = await requests.take('heap', problems);
    const isSeen = counted !== undefined || list !== undefined || heap !== undefined;
    if (!isSeen && !observed.hasBegun) return { frame: undefined, problem: problems[0] ?? notes[0] };
    const read = [metrics, counted, list, heap].flatMap(one => one?.read ?? []);
    observed.add({ atSeconds, read }, isSeen);
    const told = [...new Set([...problems, ...notes, ...requests.lasting])];
    return { frame: observed.frame(atSeconds, scrape, told), problem: isSeen ? undefined : problems[0] };
  };
}

async function takeList(
  requests: TopRequests,
  goroutines: number | undefined,
  notes: string[],
): Promise<Sampled | undefined> {
  if (goroutines !== undefined && decideDebug2(goroutines, DEFAULT_CHOICES) !== undefined) {
    notes.push(`no ages: listing ${formatCount(goroutines)} goroutines would stop the process`);
    return undefined;
  }
  return requests.take('list', notes);
}

/** What was seen of a process so far. */
class Observed {
  readonly #target: string;
  readonly #catalogue: readonly KnownLeak[];
  readonly #recent = new RecentCounts();
  #sets: readonly KeptSet[] = [];
  #listed: ReadonlyMap<string, Listed> = new Map();
  #samples = 0;
  #startedAt = NaN;
  #processKey = '';

  constructor(target: string, catalogue: readonly KnownLeak[]) {
    this.#target = target;
    this.#catalogue = catalogue;
  }

  get hasBegun(): boolean {
    return this.#samples > 0;
  }

  /** `isSample`: with a profile. */
  add(set: KeptSet, isSample: boolean): void {
    if (set.read.length > 0) this.#sets = withSet(this.#sets, set);
    if (isSample) this.#samples++;
    if (this.#samples === 1) this.#startedAt = set.atSeconds;
  }

  frame(atSeconds: number, scrape: TriageScrape | undefined, notes: readonly string[]): TopFrame {
    const read = this.#sets.flatMap(set => set.read);
    const pile = pileOf(read, [], { target: nameInEvidence(this.#target) });
    const evidence = evidenceOf(pile.snapshots, pile.viewGroups).at(-1);
    if (evidence !== undefined) {
      // Another life: nothing of the one before is comparable.
      if (this.#processKey !== '' && evidence.process.key !== this.#processKey) this.#recent.clear();
      this.#processKey = evidence.process.key;
      this.#recent.add(atSeconds, countsOf(evidence));
      this.#listed = listedIn(evidence) ?? this.#listed;
    }
    return frameOf({
      target: this.#target,
      atSeconds,
      samples: this.#samples,
      seconds: atSeconds - this.#startedAt,
      analysis: analyzePile(pile, { catalogue: this.#catalogue }),
      evidence,
      process: {
        version: scrape?.version ?? null,
        upSeconds: scrape?.upSeconds ?? null,
        goroutines: scrape?.goroutines ?? null,
        residentBytes: scrape?.residentBytes ?? null,
      },
      listed: this.#listed,
      recent: this.#recent,
      notes,
    });
  }
}

const MAX_SETS = 12;

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
