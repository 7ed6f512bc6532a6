/**
 * Runs a triage from the first request to the finding. Each step prints before the next begins, because the user may
 * have to act on half of it and the process may die at any moment:
 *
 *     scrape  ----->  set 1, saved file by file  -->  answer so far  -->  set 2 ...  -->  analysis  --+
 *     history (Prometheus), meanwhile  ---------------------------------------------------------------+-->  verdict,
 *     profiles of the past, meanwhile, compared with set 1                                                  advice
 */
import { exactTimeText } from '../../base/time-text.ts';
import { metricGrowth, type MetricGrowth } from '../../judge/growth/metric-growth.ts';
import { familiesOf } from '../../evidence/snapshots/families-of.ts';
import type { Analysis } from '../../judge/analysis.ts';
import type { KnownLeak } from '../../knowledge/known-leak.ts';
import type { TargetRef } from '../../evidence/target.ts';
import type { Triage, TriageEvidence, TriageHistory, TriagePast, TriageScrape, TriageSoFar } from './triage.ts';
import type { MetricsHistory } from '../metrics-history.ts';
import type { PileItem } from '../../evidence/pile.ts';
import type { ClusterConnection } from '../target-connection.ts';
import { analyzePile } from '../../judge/process/analyze-pile.ts';
import { evidenceOf } from '../../evidence/snapshots/process-evidence.ts';
import { type Pile, readPile } from '../../evidence/snapshots/read-pile.ts';
import { type CaptureChoices } from '../capture/capture-steps.ts';
import { type CaptureOutcome, type CapturePorts, runCapture } from '../capture/run-capture.ts';
import type { CaptureEvent } from '../capture/capture-event.ts';
import { advise } from './advise.ts';
import { conclude } from './conclude.ts';
import { soFar } from './so-far.ts';
import { firstAnswer } from './first-answer.ts';
import { withKnownReply } from './known-reply.ts';
import { readHistory } from './read-history.ts';
import { savePast, type SavePorts } from '../history/save-past.ts';
import { timeToLimit } from './time-to-limit.ts';

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
  const { scrape, reply, nodeAddresses } = await firstAnswer(
    connection,
    ports.cluster,
    now(),
    choices.requestTimeoutSeconds,
    signal,
  );
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
  const [saved, , captured] = await Promise.all([
    past,
    historyOf(ports, choices, nodeAddresses).then(found => (history = found)),
    choices.capture === undefined
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
          choices.capture,
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
    ...advise({ target, verdict, scrape, history, evidence, analysis, limit, isShort, program }),
  };
}
