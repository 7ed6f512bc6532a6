/** `oakum triage`: an answer in seconds, the evidence saved, and the finding, in one run. Restarts nothing. */
import { resolve } from 'node:path';
import { filePile } from '../../adapters/files/pile.ts';
import { openPrometheus, openTarget } from '../connect/open-target.ts';
import { oneLine } from '../../base/text-layout.ts';
import { DEFAULT_CHOICES } from '../../engine/capture/capture-steps.ts';
import { runTriage, type TriageChoices, type TriageEvent, type TriageOutcome } from '../../engine/triage/run-triage.ts';
import { parseTargetRef, type TargetRef, targetText } from '../../model/target.ts';
import type { MetricsHistory } from '../../ports/metrics-history.ts';
import { renderJson } from '../../report/json.ts';
import { renderTriageMarkdown } from '../../report/triage-markdown.ts';
import { renderHistory, renderScrape, renderTriage, type TriageTextOptions } from '../../report/triage-text.ts';
import { captureFolderName } from '../connect/capture-folder-name.ts';
import { progressLine } from '../capture-progress.ts';
import { capturePorts } from '../connect/capture-ports.ts';
import { EXIT } from '../../base/exit-codes.ts';
import { fail, reportFailure } from '../terminal/report-failure.ts';
import type { Io } from '../terminal/io.ts';
import { loadCatalogue } from '../connect/load-catalogue.ts';
import { reportUnreachable } from '../connect/unreachable-target.ts';
import { parseByteSize, parseDuration } from '../options/option-values.ts';
import { readLimits } from '../connect/read-source.ts';
import { stopSignal } from '../terminal/stop-signal.ts';
import {
  parseTarget,
  parseTargetOptions,
  TARGET_HELP,
  TARGET_OPTIONS,
  type TargetOptions,
} from '../options/connection.ts';
import { styleFor } from '../terminal/style.ts';
import { type Given, runRequest } from '../options/usage.ts';

const USAGE = `Usage: oakum triage TARGET [options]

  oakum triage node/worker-17                            leak or not, which code, what is safe: 5 minutes
  oakum triage node/worker-17 --sets 4                   15 minutes: long enough to prove health, too
  oakum triage node/worker-17 --metrics-only             what one scrape says, at once
  oakum triage node/worker-17 --prometheus http://localhost:9090
  oakum triage unix:///run/kcp/debug.sock --gap 15m

Says what the metrics show within seconds, saves the evidence, and then tells what grows, whose it is, whether it is
known and fixed, and when it reaches its limit. Restarts nothing. Ctrl-C keeps what was taken and tells what is known.

  -o, --output FORMAT       text, json or markdown
      --gap TIME            between two sets of profiles (5m); 0: one set only
      --sets N              sets of profiles (2)
      --evidence DIR        where the evidence goes (./oakum-TARGET-TIME)
      --metrics-only        no profiles, nothing saved
      --prometheus URL      weeks of history: since when and how steadily it grows. Its credentials:
                            --prometheus-token-file FILE, or --prometheus-user NAME --prometheus-password-file FILE;
                            --prometheus-match 'instance="10.0.0.1:10250"' where the target is not found there by name
      --memory-limit BYTES  where the process is killed, if nothing tells: 512Mi
      --catalogue DIR       known leaks of your own, besides the bundled ones
      --fail-on VERDICT     leak or watch: exit 1 when the verdict is that or worse
      --color WHEN          auto, always or never

${TARGET_HELP}`;

const OPTIONS = {
  ...TARGET_OPTIONS,
  output: { type: 'string', short: 'o', default: 'text' },
  gap: { type: 'string', default: '5m' },
  sets: { type: 'string', default: '2' },
  evidence: { type: 'string', default: '' },
  'metrics-only': { type: 'boolean', default: false },
  prometheus: { type: 'string', default: '' },
  'prometheus-token-file': { type: 'string', default: '' },
  'prometheus-user': { type: 'string', default: '' },
  'prometheus-password-file': { type: 'string', default: '' },
  'prometheus-match': { type: 'string', default: '' },
  'memory-limit': { type: 'string' },
  catalogue: { type: 'string' },
  'fail-on': { type: 'string' },
  color: { type: 'string', default: 'auto' },
} as const;

type Parsed = Given<typeof OPTIONS>;

interface Request {
  readonly ref: TargetRef;
  readonly options: TargetOptions;
  readonly choices: TriageChoices;
  readonly evidence: string;
  readonly prometheus: MetricsHistory | undefined;
  readonly catalogue: string | undefined;
  readonly format: 'text' | 'json' | 'markdown';
  readonly failOn: 'leak' | 'watch' | undefined;
  readonly color: string;
}

export async function runTriageCommand(argv: string[], io: Io, programName = 'oakum'): Promise<number> {
  const usage = { command: 'triage', help: USAGE, options: OPTIONS, parse: (given: Parsed) => parse(given, io) };
  return runRequest(usage, argv, io, request => triage(request, io, programName), programName);
}

async function triage(request: Request, io: Io, program: string): Promise<number> {
  const { ref, options, evidence } = request;
  try {
    const { leaks, problems } = await loadCatalogue(request.catalogue, io);
    for (const problem of problems) io.stderr.write(`oakum: ${oneLine(problem)}\n`);
    if (problems.length > 0) return EXIT.couldNotObserve;
    const opened = await openTarget(ref, options);
    if (opened.kind === 'not-opened') return reportUnreachable(opened, targetText(ref), io);
    const { connection, cluster } = opened;
    const stop = stopSignal();
    try {
      const outcome = await runTriage(
        {
          ref,
          capture: capturePorts(connection, evidence, stop.signal, io),
          cluster,
          history: request.prometheus,
          readFolder: () => filePile({ limits: readLimits(io) }).read([resolve(io.cwd, evidence)]),
          catalogue: leaks,
          program,
          onEvent: event => tell(event, connection.target, request, io),
        },
        request.choices,
      );
      io.stdout.write(render(outcome, request, io));
      return exitCode(outcome, stop.signal.aborted, request, io);
    } finally {
      stop.release();
    }
  } catch (error) {
    return reportFailure(error, io);
  }
}

/** Somebody who waits reads the first answers at once; whoever asked for one document gets them on stderr. */
function tell(event: TriageEvent, target: string, request: Request, io: Io): void {
  const early = request.format === 'text' ? io.stdout : io.stderr;
  if (event.kind === 'scrape') early.write(renderScrape(target, event.scrape, textOptions(request, io)));
  else if (event.kind === 'history') early.write(renderHistory(event.history, textOptions(request, io)));
  else {
    if (event.event.kind === 'waiting') io.stderr.write(`saved so far in ${request.evidence}\n`);
    io.stderr.write(progressLine(event.event));
  }
}

function textOptions({ color }: Request, io: Io): TriageTextOptions {
  const width = io.stdout.columns;
  return { style: styleFor(color, io), ...(width === undefined ? {} : { width }) };
}

function render({ triage: found }: TriageOutcome, request: Request, io: Io): string {
  if (request.format === 'json') return renderJson(found);
  if (request.format === 'markdown') return renderTriageMarkdown(found);
  return `\n${renderTriage(found, textOptions(request, io))}`;
}

function exitCode(outcome: TriageOutcome, isStopped: boolean, { failOn, evidence }: Request, io: Io): number {
  const { triage: found, capture } = outcome;
  const message = oneLine(capture?.message ?? '');
  if (capture?.end === 'refused') return fail(io, EXIT.usage, message);
  if (capture?.end === 'cannot-write') return fail(io, EXIT.actionFailed, message);
  if (isStopped) {
    const goOn = found.evidence === null ? 'nothing was taken' : `the same command with --evidence ${evidence} goes on`;
    return fail(io, EXIT.interrupted, `stopped; ${goOn}`);
  }
  const isSeen =
    found.scrape?.problem === null || found.evidence !== null || (found.history?.detected ?? null) !== null;
  if (!isSeen) return fail(io, EXIT.couldNotObserve, oneLine(found.sentence));
  const isBad = found.verdict === 'leak' || (found.verdict === 'watch' && failOn === 'watch');
  return failOn !== undefined && isBad ? EXIT.leakFound : EXIT.done;
}

/** The request, or what is wrong with the command line. */
function parse({ values, positionals }: Parsed, io: Io): Request | string {
  const options = parseTargetOptions(values, io);
  if (typeof options === 'string') return options;
  const ref = parseTarget(positionals, options);
  if (typeof ref === 'string') return ref;
  const format = (['text', 'json', 'markdown'] as const).find(known => known === values.output);
  if (format === undefined) return `unknown format ${values.output}: text, json or markdown`;
  const gapSeconds = values.gap === '0' ? 0 : parseDuration(values.gap);
  if (gapSeconds === undefined) return `--gap takes a time such as 5m, or 0, not ${values.gap}`;
  if (!/^[1-9]\d?$/.test(values.sets)) return `--sets takes a number from 1 to 99, not ${values.sets}`;
  const limit = values['memory-limit'];
  const memoryLimitBytes = limit === undefined ? undefined : parseByteSize(limit);
  if (limit !== undefined && memoryLimitBytes === undefined)
    return `--memory-limit takes bytes such as 512Mi, not ${limit}`;
  const failOn = values['fail-on'];
  if (failOn !== undefined && failOn !== 'leak' && failOn !== 'watch') return '--fail-on takes leak or watch';
  if (!['auto', 'always', 'never'].includes(values.color)) return '--color takes auto, always or never';
  const prometheus = parsePrometheus(values, options);
  if (typeof prometheus === 'string') return prometheus;
  const capture = {
    ...DEFAULT_CHOICES,
    gapSeconds,
    sets: Number(values.sets),
    scrapeEverySeconds: SCRAPE_EVERY_SECONDS,
    requestTimeoutSeconds: options.requestTimeoutSeconds,
  };
  return {
    ref,
    options,
    choices: {
      capture: values['metrics-only'] ? undefined : capture,
      prometheusMatch: values['prometheus-match'],
      memoryLimitBytes,
    },
    evidence: values.evidence || captureFolderName(ref),
    prometheus,
    catalogue: values.catalogue,
    format,
    failOn,
    color: values.color,
  };
}

/** As often as most Prometheus servers would. */
const SCRAPE_EVERY_SECONDS = 15;

/** Undefined when none is given; what is wrong with it as a text. */
function parsePrometheus(values: Parsed['values'], options: TargetOptions): MetricsHistory | undefined | string {
  const { prometheus: url, 'prometheus-token-file': tokenFile } = values;
  const { 'prometheus-user': user, 'prometheus-password-file': passwordFile } = values;
  if (url === '') {
    const lonely = tokenFile || user || passwordFile || values['prometheus-match'];
    return lonely === '' ? undefined : '--prometheus URL is missing';
  }
  const ref = parseTargetRef(url);
  if (typeof ref === 'string' || ref.kind !== 'url') return `--prometheus ${url} is no http(s) URL without a password`;
  if ((user === '') !== (passwordFile === '')) return '--prometheus-user and --prometheus-password-file go together';
  if (user !== '' && tokenFile !== '') return 'either --prometheus-token-file or --prometheus-user, not both';
  const { certificateAuthority, insecure, cwd, env } = options;
  return openPrometheus({ url, tokenFile, user, passwordFile, certificateAuthority, insecure, cwd, env });
}
