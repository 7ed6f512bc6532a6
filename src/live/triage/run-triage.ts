/**
 * Runs a triage from the first request to the finding. Each step prints before the next begins, because the user may
 * have to act on half of it and the process may die at any moment:
 *
 *     scrape  ----->  set 1, saved file by file  -->  answer so far  -->  set 2 ...  -->  analysis  --+
 *     history (Prometheus), meanwhile  ---------------------------------------------------------------+-->  verdict,
 *     profiles of the past, meanwhile, compared with set 1                                                  advice
 */
import { metricGrowth, type MetricGrowth } from '../../judge/growth/metric-growth.ts';
import { familiesOf } from '../../evidence/snapshots/families-of.ts';
import type { Analysis } from '../../judge/analysis.ts';
import type { KnownLeak } from '../../knowledge/known-leak.ts';
import type { TargetRef } from '../../evidence/target.ts';
import type {
  Triage,
  TriageEvidence,
  TriageHistory,
  TriagePast,
  TriageScrape,
  TriageSoFar,
  LargestFamily,
  TimeToLimit,
} from './triage.ts';
import type { PileItem } from '../../evidence/pile.ts';
import type { ClusterConnection, TargetConnection, MetricsHistory } from '../ports.ts';
import { analyzePile } from '../../judge/process/analyze-pile.ts';
import { evidenceOf } from '../../evidence/snapshots/process-evidence.ts';
import { type Pile, readPile } from '../../evidence/snapshots/read-pile.ts';
import type { CaptureChoices } from '../capture/capture-steps.ts';
import { type CaptureOutcome, type CapturePorts, runCapture, type CaptureEvent } from '../capture/run-capture.ts';
import { advise } from './advise.ts';
import { conclude, type Conclusion } from './conclude.ts';
import { firstAnswer } from './first-answer.ts';
import { readHistory } from './read-history.ts';
import { savePast, type SavePorts } from '../save-past.ts';
import type { Answer } from '../reply.ts';
import type { FamilyTable } from '../../profile/families/family.ts';
import type { DetectedTarget, ResourceDetection } from '../../judge/detect/recorded-detection.ts';
import { mayLeak } from '../../judge/verdict.ts';
import { GO_THREAD_LIMIT } from '../../evidence/resource.ts';
import { exactTimeText } from '../../base/say.ts';

/**
 * How long until a limit is reached: from weeks of history if there are, else from the minutes of the capture.
 *
 * Resident memory grows at most twice as much as the live heap, because the collector waits until it has doubled.
 */
const MAX_RESIDENT_PER_LIVE = 2;

export interface TriagePorts {
  readonly ref: TargetRef;
  /** `onEvent` of the capture is that of the triage. */
  readonly capture: Omit<CapturePorts, 'onEvent'>;
  readonly cluster: ClusterConnection | undefined;
  readonly history: MetricsHistory | undefined;
  /** Undefined without a continuous profiler. */
  readonly past?: PastPorts | undefined;
  /** What is in the folder of the capture, and in the one of the past below it. */
  readonly readFolder: () => AsyncIterable<PileItem>;
  readonly catalogue: readonly KnownLeak[];
  readonly program: string;
  readonly onEvent: (event: TriageEvent) => void;
}

/** A continuous profiler, and where to save what it has. */
export interface PastPorts extends Pick<SavePorts, 'history' | 'folder' | 'sinceSeconds'> {
  /** Label matchers that the user gave; '' for none. */
  readonly match: string;
}

export interface TriageChoices {
  /** Undefined for metrics only. */
  readonly capture: CaptureChoices | undefined;
  /** Whether to end before the last set as soon as a leak or health is proved. */
  readonly untilProved: boolean;
  readonly requestTimeoutSeconds: number;
  readonly prometheusMatch: string;
  readonly memoryLimitBytes: number | undefined;
}

export type TriageEvent =
  | { readonly kind: 'scrape'; readonly scrape: TriageScrape }
  | { readonly kind: 'history'; readonly history: TriageHistory }
  | { readonly kind: 'past'; readonly past: TriagePast }
  | { readonly kind: 'so-far'; readonly soFar: TriageSoFar }
  | { readonly kind: 'capture'; readonly event: CaptureEvent };

export interface TriageOutcome {
  readonly triage: Triage;
  /** How the capture ended; undefined when there was none. */
  readonly capture: CaptureOutcome | undefined;
}

export async function runTriage(ports: TriagePorts, choices: TriageChoices): Promise<TriageOutcome> {
  const { connection, now, signal } = ports.capture;
  const {
    scrape: read,
    reply,
    isReachable,
    nodeAddresses,
  } = await firstAnswer(connection, ports.cluster, now(), choices.requestTimeoutSeconds, signal);
  const scrape = withGivenLimit(read, choices.memoryLimitBytes);
  ports.onEvent({ kind: 'scrape', scrape });
  let history: TriageHistory | undefined;
  const past = pastOf(ports, nodeAddresses);
  let judged: Judged | undefined;
  const isEnough = async (set: number): Promise<boolean> => {
    await past;
    judged = await judge(ports);
    const { pile, analysis } = judged;
    const known = { target: connection.target, scrape, history, analysis };
    const answer = soFar({ set, pile, analysis, conclusion: conclude(known) });
    ports.onEvent({ kind: 'so-far', soFar: answer });
    return answer.isProved && choices.untilProved;
  };
  const canTake = isReachable || (await ports.capture.folder.readManifest()) !== undefined;
  const wanted = canTake ? choices.capture : undefined;
  const [saved, , captured] = await Promise.all([
    past,
    historyOf(ports, choices, nodeAddresses).then(found => (history = found)),
    wanted === undefined
      ? undefined
      : runCapture(
          {
            ...ports.capture,
            connection: withKnownReply(connection, '/metrics', reply),
            onEvent: event => {
              if (event.kind === 'taken') judged = undefined;
              ports.onEvent({ kind: 'capture', event });
            },
            isEnough,
          },
          wanted,
        ),
  ]);
  const evidence = captured === undefined ? undefined : evidenceIn(captured, ports.capture.folder.path);
  const isAnythingSaved = evidence !== undefined || (saved?.profileCount ?? 0) > 0;
  const { pile, analysis } = isAnythingSaved ? (judged ?? (await judge(ports))) : {};
  const growths = pile === undefined ? [] : growthsIn(pile);
  return {
    triage: triageOf({ ports, choices, scrape, history, past: saved, evidence, analysis, growths }),
    capture: captured,
  };
}

interface Judged {
  readonly pile: Pile;
  readonly analysis: Analysis;
}

/** What is in the folder by now. */
async function judge({ readFolder, catalogue }: TriagePorts): Promise<Judged> {
  const pile = await readPile(readFolder(), { families: familiesOf });
  return { pile, analysis: analyzePile(pile, { catalogue }) };
}

async function historyOf(
  ports: TriagePorts,
  { prometheusMatch, memoryLimitBytes }: TriageChoices,
  addresses: readonly string[],
): Promise<TriageHistory | undefined> {
  if (ports.history === undefined) return undefined;
  const history = await readHistory({
    history: ports.history,
    ref: ports.ref,
    target: ports.capture.connection.target,
    addresses,
    namespace: ports.cluster?.namespace ?? '',
    match: prometheusMatch,
    memoryLimitBytes,
    nowSeconds: ports.capture.now(),
    signal: ports.capture.signal,
  });
  ports.onEvent({ kind: 'history', history });
  return history;
}

async function pastOf(
  { past, capture, cluster, onEvent }: TriagePorts,
  addresses: readonly string[],
): Promise<TriagePast | undefined> {
  if (past === undefined) return undefined;
  const { history, folder, sinceSeconds, match } = past;
  const { now, signal, oakumVersion, connection } = capture;
  const target = { name: connection.target, addresses, namespace: cluster?.namespace ?? '', match, also: '' };
  const found = await savePast({ history, folder, sinceSeconds, target, oakumVersion, now, signal });
  onEvent({ kind: 'past', past: found });
  return found;
}

/** Undefined when nothing was kept. */
function evidenceIn({ manifest, end }: CaptureOutcome, folder: string): TriageEvidence | undefined {
  const stored = manifest?.entries.filter(({ file }) => file !== undefined) ?? [];
  if (manifest === undefined || stored.length === 0) return undefined;
  return {
    folder,
    fileCount: stored.length,
    bytes: stored.reduce((sum, { bytes }) => sum + bytes, 0),
    setCount: new Set(stored.map(({ set }) => set)).size,
    isWhole: end === 'whole',
    isOpen: manifest.endedAtSeconds === undefined,
    notes: manifest.notes,
  };
}

/** How the metrics of the current process grow. */
function growthsIn({ snapshots, viewGroups }: Pile): MetricGrowth[] {
  const { series } = evidenceOf(snapshots, viewGroups).at(-1) ?? {};
  return series === undefined ? [] : metricGrowth(series);
}

interface Parts {
  readonly ports: TriagePorts;
  readonly choices: TriageChoices;
  readonly scrape: TriageScrape;
  readonly history: TriageHistory | undefined;
  readonly past: TriagePast | undefined;
  readonly evidence: TriageEvidence | undefined;
  readonly analysis: Analysis | undefined;
  readonly growths: readonly MetricGrowth[];
}

/** What the user says about it counts, here and in a plan that is made of this. */
function withGivenLimit(scrape: TriageScrape, bytes: number | undefined): TriageScrape {
  return bytes === undefined ? scrape : { ...scrape, memoryLimit: { bytes, from: 'given' } };
}

function triageOf(parts: Parts): Triage {
  const { ports, choices, scrape, history, past, evidence, analysis, growths } = parts;
  const { target } = ports.capture.connection;
  const detected = history?.detected ?? undefined;
  const limit = timeToLimit({ scrape, detected, growths, memoryLimitBytes: choices.memoryLimitBytes });
  const conclusion = conclude({ target, scrape, history, analysis });
  const isShort = detected === undefined && !growths.some(({ trend }) => trend !== 'unknown');
  const { verdict } = conclusion;
  const { program } = ports;
  return {
    schema: 'oakum.triage/v1',
    target,
    at: exactTimeText(ports.capture.now()),
    ...conclusion,
    scrape,
    history: history ?? null,
    past: past ?? null,
    evidence: evidence ?? null,
    analysis: analysis ?? null,
    timeToLimit: limit ?? null,
    ...advise({
      ...{ target, verdict, scrape, history, past, evidence, analysis, limit, isShort, program },
      choices: choices.capture,
    }),
  };
}

/** A connection that repeats a known answer for one path instead of sending the request again. */
function withKnownReply(connection: TargetConnection, path: string, reply: Answer | undefined): TargetConnection {
  let known = reply;
  return {
    target: connection.target,
    via: connection.via,
    address: connection.address,
    get: async (requested, limits) => {
      if (requested !== path || known === undefined) return connection.get(requested, limits);
      const again = known;
      known = undefined;
      return again;
    },
  };
}

/** What one set proves, or what would decide: the answer while more sets are being waited for. */
interface SetFacts {
  readonly set: number;
  readonly pile: Pile;
  readonly analysis: Analysis;
  readonly conclusion: Conclusion;
}

export function soFar({ set, pile, analysis, conclusion }: SetFacts): TriageSoFar {
  const isProved = isDecided(conclusion, analysis, set);
  const decides = isProved ? [] : whatDecides(analysis, set);
  return { set, ...conclusion, largest: largestOf(pile), decides, isProved };
}

/** History alone proves a leak without naming the code: a second set shows which one grows. */
function isDecided({ verdict }: Conclusion, analysis: Analysis, set: number): boolean {
  if (verdict === 'leak') return analysis.verdict === 'leak' || set > 1;
  return verdict === 'healthy';
}

/** The largest families of the current process. */
function largestOf({ snapshots, viewGroups }: Pile): LargestFamily[] {
  const { heap = [], goroutines = [] } = evidenceOf(snapshots, viewGroups).at(-1) ?? {};
  return [heap.at(-1)?.table, goroutines.at(-1)?.table].flatMap(table => (table === undefined ? [] : firstOf(table)));
}

function firstOf({ kind, total, counts }: FamilyTable): LargestFamily[] {
  const [first] = counts;
  if (first === undefined || total <= 0) return [];
  const isHeap = kind === 'heap';
  const amount = isHeap ? first.bytes : first.count;
  return [{ title: first.family.title, amount, total, unit: isHeap ? 'bytes' : 'count' }];
}

function whatDecides({ findings, inputs }: Analysis, set: number): string[] {
  const undecided = findings.flatMap(({ retention }) => retention?.undecided ?? []).slice(0, 1);
  const hasProfiles = inputs.some(({ kind }) => kind === 'heap' || kind === 'goroutine');
  if (!hasProfiles) return ['metrics over ten minutes or more: no profile could be taken'];
  const next =
    set === 1
      ? 'set 2: which stacks grow, and which goroutines are still in the same wait'
      : `set ${set + 1}: growth in every interval is a leak, none over ten minutes is health`;
  return [...undecided, next];
}

export interface LimitFacts {
  readonly scrape: TriageScrape | undefined;
  readonly detected: DetectedTarget | undefined;
  /** The capture's last process. */
  readonly growths: readonly MetricGrowth[];
  /** The limit that the user gave. */
  readonly memoryLimitBytes: number | undefined;
}

export function timeToLimit(facts: LimitFacts): TimeToLimit | undefined {
  const all = [...fromHistory(facts), ...fromCapture(facts)];
  // Weeks tell more than minutes.
  const preferred = all.some(({ from }) => from === 'history') ? all.filter(({ from }) => from === 'history') : all;
  return preferred.sort((a, b) => a.hours[0] - b.hours[0])[0];
}

function fromHistory(facts: LimitFacts): TimeToLimit[] {
  const rising = (facts.detected?.resources ?? []).filter(({ verdict }) => mayLeak(verdict));
  return rising.flatMap(({ resource, timeToLimitHours: hours, unit, limit: basis }) => {
    // The detector may know a limit that no option gives, such as that of the cgroup.
    const limit = limitOf(resource, facts) ?? null;
    return hours === null
      ? []
      : [{ hours, resource, limit: limit ?? basis?.value ?? null, unit, from: 'history' as const, basis }];
  });
}

function fromCapture(facts: LimitFacts): TimeToLimit[] {
  return facts.growths.flatMap(({ resource, unit, trend, density, to, lowPerHour, highPerHour }) => {
    if ((trend !== 'steady' && trend !== 'rising') || density?.follows === true || highPerHour <= 0) return [];
    const limit = limitOf(resource, facts);
    if (limit === undefined) return [];
    const isHeap = resource === 'live heap';
    const resident = isHeap ? facts.scrape?.residentBytes : undefined;
    const level = resident ?? to;
    const room = Math.max(0, limit - level);
    const perHour = [Math.max(0, lowPerHour), highPerHour * (isHeap ? MAX_RESIDENT_PER_LIVE : 1)] as const;
    const hours = [room / perHour[1], lowPerHour > 0 ? room / lowPerHour : null] as const;
    const of = resident === undefined || resident === null ? resource : 'resident memory';
    const basis = room > 0 ? { value: limit, from: sourceOf(resource, facts), of, level, perHour } : null;
    return [{ hours, resource, limit, unit, from: 'capture' as const, basis }];
  });
}

/** Where `limitOf` has it from. */
function sourceOf(resource: MetricGrowth['resource'], { scrape, memoryLimitBytes }: LimitFacts): string {
  if (resource === 'threads') return 'the Go runtime';
  if (resource === 'file descriptors') return 'process_max_fds';
  return memoryLimitBytes === undefined ? (scrape?.memoryLimit?.from ?? 'given') : 'given';
}

function limitOf(
  resource: MetricGrowth['resource'] | ResourceDetection['resource'],
  { scrape, memoryLimitBytes }: LimitFacts,
): number | undefined {
  switch (resource) {
    case 'live heap':
      return memoryLimitBytes ?? scrape?.memoryLimit?.bytes;
    case 'file descriptors':
      return scrape?.maxFiles ?? undefined;
    case 'threads':
      return GO_THREAD_LIMIT;
    default:
      return undefined;
  }
}
