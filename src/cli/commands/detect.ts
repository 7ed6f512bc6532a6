/** `oakum detect`: which targets leak, from recorded metrics alone. */
import { createFleetDetector } from '../../analysis/detect/fleet-detector.ts';
import { readRecording } from '../../evidence/recording/read-recording.ts';
import { runDetection } from '../../diagnosis/detection/detect-recording.ts';
import { oneLine } from '../../base/text-layout.ts';
import type { Detection } from '../../model/recorded-detection.ts';
import { renderDetectionJson } from '../../report/detect-json.ts';
import { renderReplay } from '../../report/detect-replay-text.ts';
import { renderDetection } from '../../report/detect-text.ts';
import { DETECTOR_OPTIONS, type DetectorChoices, parseDetectorOptions } from '../options/detector.ts';
import { EXIT } from '../../base/exit-codes.ts';
import { fail, reportFailure } from '../terminal/report-failure.ts';
import type { Io } from '../terminal/io.ts';
import { parseDuration, parseTime } from '../options/option-values.ts';
import { readPaths } from '../connect/read-paths.ts';
import { isUtf8, styleFor } from '../terminal/style.ts';
import { type Given, runRequest } from '../options/usage.ts';

const USAGE = `Usage: oakum detect PATH... [options]

  oakum detect ./scrapes/                            folders of scrapes, recordings, .gz, .tar.gz
  oakum detect goroutines.json heap.json pods.json   answers of /api/v1/query_range, a metric each
  oakum detect fleet.json --by node --only watch     what a target is, and only what may leak
  oakum detect ./scrapes/ --replay --every 6h        when each verdict would have appeared
  curl -sG $PROM/api/v1/query_range -d step=300 -d start=$(date -d -7days +%s) -d end=$(date +%s) \\
    -d query='{__name__=~"go_goroutines|go_gc_heap_live_bytes|kubelet_running_pods"}' | oakum detect -

Reads Prometheus text, OpenMetrics, answers of the Prometheus API, and what promtool prints. A verdict needs two days or
more of samples, at least every ten minutes; pods, churn and restarts are taken into account where their metrics are there.

  -o, --output FORMAT       text, wide or json
      --by LABEL            the label that says what a target is (node, else instance, else the folder)
      --at TIME             judge as of then: 2026-08-04T06:00Z, or unix seconds (the last sample)
      --replay              judge on the way too, and tell when each verdict would have appeared
      --every DURATION      how often --replay judges (6h)
      --only VERDICT        leak or watch: only targets with that verdict or a worse one
      --fail-on VERDICT     leak or watch: exit 1 when a target has that verdict or a worse one
      --memory-limit BYTES  where the process is killed, if no metric tells: 512Mi
      --least-growth R=N    growth of a resource that matters: goroutines=50, 'live heap=2Mi' (6 MiB or 5 %)
      --time-scale N        of accelerated recordings: every hour of the detector lasts 1/N hours
      --ascii               no characters beyond ASCII
      --color WHEN          auto, always or never
`;

const OPTIONS = {
  output: { type: 'string', short: 'o', default: 'text' },
  by: { type: 'string' },
  at: { type: 'string' },
  replay: { type: 'boolean', default: false },
  every: { type: 'string' },
  only: { type: 'string' },
  'fail-on': { type: 'string' },
  ...DETECTOR_OPTIONS,
  ascii: { type: 'boolean', default: false },
  color: { type: 'string', default: 'auto' },
} as const;

const DEFAULT_EVERY_SECONDS = 6 * 3600;

interface Request extends DetectorChoices {
  readonly paths: readonly string[];
  readonly format: 'text' | 'wide' | 'json';
  readonly by: string | undefined;
  readonly atSeconds: number | undefined;
  readonly everySeconds: number | undefined;
  readonly only: 'leak' | 'watch' | undefined;
  readonly failOn: 'leak' | 'watch' | undefined;
  readonly ascii: boolean;
  readonly color: string;
}

export async function runDetect(argv: string[], io: Io, programName?: string): Promise<number> {
  const usage = { command: 'detect', help: USAGE, options: OPTIONS, parse };
  return runRequest(usage, argv, io, request => detect(request, io), programName);
}

async function detect(request: Request, io: Io): Promise<number> {
  const { by, atSeconds, everySeconds, memoryLimitBytes, leastGrowth, timeScale } = request;
  try {
    const recording = await readRecording(readPaths(request.paths, io), { by });
    for (const { path, message } of recording.unread) io.stderr.write(`oakum: ${oneLine(path)}: ${oneLine(message)}\n`);
    if (recording.targets.length === 0) {
      for (const note of recording.notes) io.stderr.write(`oakum: ${oneLine(note)}\n`);
      const given = oneLine(request.paths.join(' '));
      return fail(
        io,
        EXIT.couldNotObserve,
        `no metrics in ${given}: /metrics text or answers of query_range are needed`,
      );
    }
    const limit = memoryLimitBytes === undefined ? {} : { memoryLimitBytes };
    const detector = createFleetDetector({ timeScale, leastGrowth, ...limit });
    const detection = runDetection(recording, { detector, atSeconds, everySeconds, timeScale });
    io.stdout.write(render(detection, request, io));
    return isAtLeast(detection, request.failOn) ? EXIT.leakFound : EXIT.done;
  } catch (error) {
    return reportFailure(error, io);
  }
}

function render(detection: Detection, request: Request, io: Io): string {
  const { format, only } = request;
  if (format === 'json') return renderDetectionJson(detection);
  const width = io.stdout.columns;
  const options = {
    style: styleFor(request.color, io),
    wide: format === 'wide',
    ascii: request.ascii || !isUtf8(io.env),
    only,
    ...(width === undefined ? {} : { width }),
  };
  return request.everySeconds === undefined ? renderDetection(detection, options) : renderReplay(detection, options);
}

function isAtLeast({ verdict }: Detection, asked: 'leak' | 'watch' | undefined): boolean {
  return asked !== undefined && (verdict === 'leak' || verdict === asked);
}

/** The request, or what is wrong with the command line. */
function parse({ values, positionals }: Given<typeof OPTIONS>): Request | string {
  if (positionals.length === 0) return 'no files given';
  const format = (['text', 'wide', 'json'] as const).find(known => known === values.output);
  if (format === undefined) return `unknown format ${values.output}: text, wide or json`;
  if (!['auto', 'always', 'never'].includes(values.color)) return '--color takes auto, always or never';
  for (const name of ['only', 'fail-on'] as const) {
    if (!['leak', 'watch', undefined].includes(values[name])) return `--${name} takes leak or watch`;
  }
  const atSeconds = values.at === undefined ? undefined : parseTime(values.at);
  if (values.at !== undefined && atSeconds === undefined)
    return `--at takes a time such as 2026-08-04T06:00Z or unix seconds, not ${values.at}`;
  const every = values.every === undefined ? undefined : parseDuration(values.every);
  if (values.every !== undefined && every === undefined)
    return `--every takes a duration such as 6h, not ${values.every}`;
  if (values.every !== undefined && !values.replay) return '--every goes with --replay';
  const choices = parseDetectorOptions(values);
  if (typeof choices === 'string') return choices;
  if (values.by === '') return '--by takes the name of a label';
  return {
    paths: positionals,
    format,
    by: values.by,
    atSeconds,
    everySeconds: values.replay ? (every ?? DEFAULT_EVERY_SECONDS / choices.timeScale) : undefined,
    only: values.only as Request['only'],
    failOn: values['fail-on'] as Request['failOn'],
    ...choices,
    ascii: values.ascii,
    color: values.color,
  };
}
