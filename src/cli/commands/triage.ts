/** `oakum triage`: a first answer in seconds, the evidence saved, then the finding. Restarts nothing. */
import { join, resolve } from 'node:path';
import { captureFolder } from '../../live/io/capture-folder.ts';
import { filePile } from '../../evidence/io/pile.ts';
import { openPrometheus, openTarget, reportUnreachable } from '../connect/open-target.ts';
import { oneLine } from '../../base/text-layout.ts';
import { type PastPorts, runTriage, type TriageEvent, type TriageOutcome } from '../../live/triage/run-triage.ts';
import { isSeen } from '../../live/triage/advise.ts';
import { targetText } from '../../evidence/target.ts';
import type { Document } from '../../report/document.ts';
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
import { capturePorts, captureFolderName } from '../connect/capture-ports.ts';
import { type CaptureProgress, captureProgress } from '../capture-progress.ts';
import { type Io, fail, isUtf8, styleFor, stopSignal } from '../io.ts';
import { catalogueOf } from '../connect/load-catalogue.ts';
import { openProfiler } from '../connect/past-profiles.ts';
import { readLimits } from '../connect/read-source.ts';
import {
  CONNECTION_OPTIONS,
  requiredTarget,
  TARGET_FORMS,
  TARGET_OPERANDS,
  targetOptions,
} from '../options/connection.ts';
import { exitCodeFor, CATALOGUE, COLOR, FAIL_ON, MEMORY_LIMIT, NO_GC, outputFormat } from '../options/shared.ts';
import { EXIT } from '../../base/errors.ts';
import { DEFAULT_CHOICES } from '../../live/capture/capture-steps.ts';
import { defineCommand, type Command, commandLine, type RequestOf, type Call } from '../options/command.ts';
import { durationOrZero, file, flag, folder, text, wholeNumber } from '../options/kinds.ts';
import {
  profilerOptions,
  profilerRequest,
  profilesSince,
  PROMETHEUS_TOKEN_FILE,
  prometheusUrl,
} from '../options/sources.ts';
import { SNAPSHOTS } from '../../live/past-profiles.ts';

/** The scrape interval of most Prometheus servers. */
const SCRAPE_EVERY_SECONDS = 15;

const MAX_SECONDS = 15 * 60;
const MAX_SETS = 16;

/** As many as fit into a quarter of an hour, but at least a second one. */
function mostSets(gapSeconds: number): number {
  return Math.min(MAX_SETS, Math.max(2, 1 + Math.floor(MAX_SECONDS / gapSeconds)));
}

const line = commandLine({
  name: 'triage',
  usage: ['TARGET [options]'],
  examples: [
    ['oakum triage node/worker-17', 'leak or not, which code, what is safe; ends once it is proved'],
    ['oakum triage node/worker-17 --sets 4', 'four sets in 15 minutes, even if it is proved earlier'],
    ['oakum triage node/worker-17 --metrics-only', 'what one scrape shows, at once'],
    ['oakum triage node/worker-17 --prometheus http://localhost:9090'],
    ['oakum triage node/worker-17 --pyroscope http://localhost:4040', 'what grew since, in one set'],
    ['oakum triage unix:///run/kcp/debug.sock --gap 15m'],
  ],
  about: `Says within seconds what the metrics show, saves the evidence, and then says what leaks or grows, whose it is, whether it is known and fixed, and when it reaches its limit. One set of profiles often proves it; if not, it says what is known so far and takes more. Restarts nothing. Ctrl-C keeps the evidence so far and prints what is known.\n\n${TARGET_FORMS}`,
  operands: TARGET_OPERANDS,
  options: {
    output: outputFormat(['text', 'json', 'markdown']),
    gap: durationOrZero({ default: '5m', help: 'time between two sets of profiles; 0 for one set only' }),
    sets: wholeNumber(
      1,
      99,
    )({
      defaultNote: 'until a leak or health is proved, at most 15 minutes',
      help: 'take exactly this many sets of profiles',
    }),
    evidence: folder({ default: '', defaultNote: './oakum-TARGET-TIME', help: 'where to save the evidence' }),
    metricsOnly: flag({ help: 'take no profiles, save nothing' }),
    noGc: NO_GC,
    prometheus: prometheusUrl('weeks of history: since when and how steadily it grows'),
    prometheusTokenFile: PROMETHEUS_TOKEN_FILE,
    prometheusUser: text({
      placeholder: 'NAME',
      default: '',
      needs: ['prometheusPasswordFile'],
      excludes: ['prometheusTokenFile'],
      help: 'a user of Prometheus',
    }),
    prometheusPasswordFile: file({ default: '', needs: ['prometheusUser'], help: 'the password of that user' }),
    prometheusMatch: text({
      placeholder: 'LABELS',
      default: '',
      needs: ['prometheus'],
      help: `if Prometheus does not know the target by its name: 'instance="10.0.0.1:10250"'`,
    }),
    ...profilerOptions(`if its labels do not tell the target: 'service_name="kubelet",hostname="worker-17"'`, [
      'metricsOnly',
    ]),
    since: profilesSince(SNAPSHOTS),
    memoryLimit: MEMORY_LIMIT,
    catalogue: CATALOGUE,
    failOn: FAIL_ON,
    color: COLOR,
    ...CONNECTION_OPTIONS,
  },
  request: (values, operands, io) => {
    const options = targetOptions(values, io);
    const ref = requiredTarget(operands, options);
    const { prometheus: url, prometheusTokenFile: tokenFile, prometheusPasswordFile: passwordFile } = values;
    const { certificateAuthority, insecure, cwd, env } = options;
    const capture = {
      ...DEFAULT_CHOICES,
      gapSeconds: values.gap,
      sets: values.sets ?? mostSets(values.gap),
      listsEachSet: true,
      gc: !values.noGc,
      scrapeEverySeconds: SCRAPE_EVERY_SECONDS,
      requestTimeoutSeconds: options.requestTimeoutSeconds,
    };
    return {
      ref,
      options,
      choices: {
        capture: values.metricsOnly ? undefined : capture,
        untilProved: values.sets === undefined,
        requestTimeoutSeconds: options.requestTimeoutSeconds,
        prometheusMatch: values.prometheusMatch,
        memoryLimitBytes: values.memoryLimit,
      },
      evidence: values.evidence || captureFolderName(ref),
      prometheus:
        url === ''
          ? undefined
          : { url, tokenFile, user: values.prometheusUser, passwordFile, certificateAuthority, insecure, cwd, env },
      profiler: profilerRequest(values),
      catalogue: values.catalogue,
      output: values.output,
      failOn: values.failOn,
      color: values.color,
    };
  },
});

export const command: Command = defineCommand(line, triage);

type Request = RequestOf<typeof line>;

async function triage(request: Request, io: Io, { programName }: Call): Promise<number> {
  const { ref, options, evidence, prometheus } = request;
  const catalogue = await catalogueOf(request.catalogue, io);
  const history = prometheus === undefined ? undefined : openPrometheus(prometheus);
  const opened = await openTarget(ref, options);
  if (opened.kind === 'not-opened') return reportUnreachable(opened, targetText(ref), io);
  const { connection, cluster } = opened;
  const stop = stopSignal();
  const progress = captureProgress(io.stderr);
  const early = earlyPrinter(connection.target, request, progress, io);
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
        onEvent: early.show,
      },
      request.choices,
    );
    progress.clear();
    const isToldAbout = isSeen(outcome.triage);
    if (isToldAbout) early.flush();
    if (isToldAbout || request.output === 'json') io.stdout.write(render(outcome, request, io));
    return exitCode(outcome, stop.signal.aborted, request, io);
  } finally {
    stop.release();
  }
}

/** In the folder of the evidence. */
const PAST_FOLDER = 'past';

function pastPorts({ profiler, evidence }: Request, io: Io): PastPorts | undefined {
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

interface EarlyPrinter {
  readonly show: (event: TriageEvent) => void;
  /** Prints what was held back. */
  readonly flush: () => void;
}

/**
 * Prints first answers at once: as part of the text, or on stderr if stdout is one document. What could not be read is
 * held back until something was: if nothing is, one line says so at the end.
 */
function earlyPrinter(target: string, request: Request, progress: CaptureProgress, io: Io): EarlyPrinter {
  const early = request.output === 'text' ? io.stdout : io.stderr;
  const options = textOptions(request, io);
  let held = '';
  const flush = (): void => {
    if (held !== '') early.write(held);
    held = '';
  };
  const say = (document: Document, problem: string | null, before = ''): void => {
    progress.clear();
    held += before + printText(document, options);
    if (problem === null) flush();
  };
  const show = (event: TriageEvent): void => {
    if (event.kind === 'scrape') say(scrapeDocument(target, event.scrape), event.scrape.problem);
    else if (event.kind === 'history') say(historyDocument(event.history), event.history.problem);
    else if (event.kind === 'past') say(pastDocument(event.past), event.past.problem);
    else if (event.kind === 'capture') {
      if (event.event.kind === 'taken') flush();
      if (event.event.kind === 'waiting') io.stderr.write(`saved so far in ${request.evidence}\n`);
      progress.show(event.event);
    } else if (!event.soFar.isProved) say(soFarDocument(event.soFar), null, '\n');
    else if (request.choices.untilProved) {
      progress.clear();
      io.stderr.write(`proved after set ${event.soFar.set}: no more are needed\n`);
    }
  };
  return { show, flush };
}

function textOptions({ color }: Request, io: Io): PrintOptions {
  const width = io.stdout.columns;
  return { style: styleFor(color, io), ...(width === undefined ? {} : { width }) };
}

function render({ triage: found }: TriageOutcome, request: Request, io: Io): string {
  if (request.output === 'json') return renderJson(found);
  if (request.output === 'markdown') return printMarkdown(triageDocument(found));
  return `\n${printText(triageDocument(found, { ascii: !isUtf8(io.env) }), textOptions(request, io))}`;
}

function exitCode(outcome: TriageOutcome, isStopped: boolean, { failOn, evidence }: Request, io: Io): number {
  const { triage: found, capture } = outcome;
  const message = oneLine(capture?.message ?? '');
  if (capture?.end === 'refused') return fail(io, EXIT.usage, message);
  if (capture?.end === 'cannot-write') return fail(io, EXIT.actionFailed, message);
  if (isStopped) {
    const next = found.evidence === null ? 'nothing was saved' : `the same command with --evidence ${evidence} resumes`;
    return fail(io, EXIT.interrupted, `stopped; ${next}`);
  }
  if (!isSeen(found)) return fail(io, EXIT.couldNotObserve, oneLine(found.sentence));
  return exitCodeFor(found.verdict, failOn);
}
