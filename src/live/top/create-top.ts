/**
 * Samples one process every few seconds and shows what it holds.
 *
 *     /metrics, goroutines, sometimes all of them one by one, heap  ->  snapshots  ->  the same analysis as triage  ->  frame
 *
 * Nothing is forced: no garbage collection, no list of more than 10,000 goroutines; see request-budget.ts.
 */
import { familiesOf } from '../../evidence/snapshots/families-of.ts';
import { FormatError } from '../../base/errors.ts';
import { formatCount } from '../../base/quantities.ts';
import { analyzePile } from '../../judge/process/analyze-pile.ts';
import { explain } from '../replies/explain.ts';
import { readScrape } from '../triage/triage-scrape.ts';
import { evidenceOf } from '../../evidence/snapshots/process-evidence.ts';
import { readMember, type ReadSnapshot } from '../../evidence/snapshots/read-member.ts';
import { pileOf } from '../../evidence/snapshots/read-pile.ts';
import { goroutineTotal } from '../../profile/formats/goroutine-text/goroutine-total.ts';
import type { KnownLeak } from '../../knowledge/known-leak.ts';
import type { Answer } from '../reply.ts';
import { nameInEvidence } from '../../evidence/target.ts';
import type { TopFrame } from './top.ts';
import type { TriageScrape } from '../triage/triage.ts';
import type { TargetConnection } from '../target-connection.ts';
import { decideDebug2, DEFAULT_CHOICES } from '../capture/capture-steps.ts';
import { countsOf, frameOf, type Listed, listedIn } from './frame-of.ts';
import { type KeptSet, withSet } from './kept-sets.ts';
import { RecentCounts } from './recent-counts.ts';
import { RequestBudget, TOP_REQUESTS, type TopRequest } from './request-budget.ts';

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
