/** `oakum triage`: a first answer in seconds, the evidence saved, then the finding. Restarts nothing. */
import { join, resolve } from 'node:path';
import { captureFolder } from '../../live/io/capture-folder.ts';
import { filePile } from '../../evidence/io/pile.ts';
import { openPrometheus, openTarget, type PrometheusAccess, reportUnreachable } from '../connect/open-target.ts';
import { oneLine } from '../../base/text-layout.ts';
import {
  type PastPorts,
  runTriage,
  type TriageChoices,
  type TriageEvent,
  type TriageOutcome,
} from '../../live/triage/run-triage.ts';
import { type TargetRef, targetText } from '../../evidence/target.ts';
import { renderJson } from '../../report/json.ts';
import {
  historyDocument,
  pastDocument,
  scrapeDocument,
  soFarDocument,
  triageDocument,
} from '../../live/triage/triage-document.ts';
import { printMarkdown } from '../../report/markdown.ts';
import { type PrintOptions, printText } from '../../report/print-text.ts';
import { capturePorts } from '../connect/capture-ports.ts';
import { type CaptureProgress, captureProgress } from '../terminal/capture-progress.ts';
import { type Io, fail, isUtf8, styleFor, stopSignal } from '../terminal/io.ts';
import { catalogueOf } from '../connect/load-catalogue.ts';
import { openProfiler, type ProfilerRequest } from '../connect/past-profiles.ts';
import { readLimits } from '../connect/read-source.ts';
import type { TargetOptions } from '../options/connection.ts';
import { type ColorChoice, exitCodeFor, type Threshold } from '../options/shared.ts';
import { EXIT } from '../../base/errors.ts';

export interface TriageRequest {
  readonly ref: TargetRef;
  readonly options: TargetOptions;
  readonly choices: TriageChoices;
  /** The folder for the evidence. */
  readonly evidence: string;
  readonly prometheus: PrometheusAccess | undefined;
  readonly profiler: ProfilerRequest | undefined;
  readonly catalogue: string | undefined;
  readonly output: 'text' | 'json' | 'markdown';
  readonly failOn: Threshold | undefined;
  readonly color: ColorChoice;
}

export async function triage(request: TriageRequest, io: Io, programName: string): Promise<number> {
  const { ref, options, evidence, prometheus } = request;
  const catalogue = await catalogueOf(request.catalogue, io);
  const history = prometheus === undefined ? undefined : openPrometheus(prometheus);
  const opened = await openTarget(ref, options);
  if (opened.kind === 'not-opened') return reportUnreachable(opened, targetText(ref), io);
  const { connection, cluster } = opened;
  const stop = stopSignal();
  const progress = captureProgress(io.stderr);
  try {
    const outcome = await runTriage(
      {
        ref,
        capture: capturePorts(connection, evidence, stop.signal, io),
        cluster,
        history,
        past: pastPorts(request, io),
        readFolder: () => filePile({ limits: readLimits(io) }).read([resolve(io.cwd, evidence)]),
        catalogue,
        program: programName,
        onEvent: event => showEvent(event, connection.target, request, progress, io),
      },
      request.choices,
    );
    progress.clear();
    io.stdout.write(render(outcome, request, io));
    return exitCode(outcome, stop.signal.aborted, request, io);
  } finally {
    stop.release();
  }
}

/** In the folder of the evidence. */
const PAST_FOLDER = 'past';

function pastPorts({ profiler, evidence }: TriageRequest, io: Io): PastPorts | undefined {
  if (profiler === undefined) return undefined;
  const shown = join(evidence, PAST_FOLDER);
  const { sinceSeconds, selector: match } = profiler;
  return {
    history: openProfiler(profiler, io),
    folder: captureFolder(resolve(io.cwd, shown), shown),
    sinceSeconds,
    match,
  };
}

/** Prints first answers at once: as part of the text, or on stderr if stdout is one document. */
function showEvent(
  event: TriageEvent,
  target: string,
  request: TriageRequest,
  progress: CaptureProgress,
  io: Io,
): void {
  const early = request.output === 'text' ? io.stdout : io.stderr;
  const options = textOptions(request, io);
  if (event.kind === 'capture') {
    if (event.event.kind === 'waiting') io.stderr.write(`saved so far in ${request.evidence}\n`);
    return progress.show(event.event);
  }
  progress.clear();
  if (event.kind === 'scrape') early.write(printText(scrapeDocument(target, event.scrape), options));
  else if (event.kind === 'history') early.write(printText(historyDocument(event.history), options));
  else if (event.kind === 'past') early.write(printText(pastDocument(event.past), options));
  else if (!event.soFar.isProved) early.write(`\n${printText(soFarDocument(event.soFar), options)}`);
  else if (request.choices.untilProved) io.stderr.write(`proved after set ${event.soFar.set}: no more are needed\n`);
}

function textOptions({ color }: TriageRequest, io: Io): PrintOptions {
  const width = io.stdout.columns;
  return { style: styleFor(color, io), ...(width === undefined ? {} : { width }) };
}

function render({ triage: found }: TriageOutcome, request: TriageRequest, io: Io): string {
  if (request.output === 'json') return renderJson(found);
  if (request.output === 'markdown') return printMarkdown(triageDocument(found));
  return `\n${printText(triageDocument(found, { ascii: !isUtf8(io.env) }), textOptions(request, io))}`;
}

function exitCode(outcome: TriageOutcome, isStopped: boolean, { failOn, evidence }: TriageRequest, io: Io): number {
  const { triage: found, capture } = outcome;
  const message = oneLine(capture?.message ?? '');
  if (capture?.end === 'refused') return fail(io, EXIT.usage, message);
  if (capture?.end === 'cannot-write') return fail(io, EXIT.actionFailed, message);
  if (isStopped) {
    const next = found.evidence === null ? 'nothing was saved' : `the same command with --evidence ${evidence} resumes`;
    return fail(io, EXIT.interrupted, `stopped; ${next}`);
  }
  const isSeen =
    found.scrape?.problem === null ||
    found.evidence !== null ||
    (found.past?.profileCount ?? 0) > 0 ||
    (found.history?.detected ?? null) !== null;
  if (!isSeen) return fail(io, EXIT.couldNotObserve, oneLine(found.sentence));
  return exitCodeFor(found.verdict, failOn);
}
