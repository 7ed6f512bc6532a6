/** `oakum detect`: which targets leak, from recorded metrics alone. */
import { withoutBraces } from '../../base/matcher-text.ts';
import { detectionOf } from '../../judge/detect/detect-recording.ts';
import type { Detection } from '../../judge/detect/recorded-detection.ts';
import { renderReplay, renderDetection } from '../../report/detect-text.ts';
import { exitCodeFor, COLOR, FAIL_ON, outputFormat, DETECTOR_OPTIONS } from '../options/shared.ts';
import { type Io, isUtf8, styleFor } from '../io.ts';
import { readFleet } from '../connect/read-fleet.ts';
import { renderDetectionJson } from '../../report/json.ts';
import { defineCommand, type Command, commandLine, type RequestOf } from '../options/command.ts';
import { choice, duration, file, flag, name, time } from '../options/kinds.ts';
import {
  PROMETHEUS_HEADER,
  PROMETHEUS_TOKEN_FILE,
  prometheusAccess,
  prometheusUrl,
  SELECTOR,
} from '../options/sources.ts';
import { someOf } from '../options/option.ts';
import { Failure } from '../../base/errors.ts';

const line = commandLine({
  name: 'detect',
  usage: ['PATH... [options]', '--prometheus URL [options]'],
  examples: [
    ['oakum detect ./scrapes/', 'folders of scrapes, recordings, .gz, .tar.gz'],
    ['oakum detect goroutines.json heap.json pods.json', 'answers of /api/v1/query_range, one metric each'],
    ['oakum detect fleet.json --by node --only watch', 'one target per node; only those that may leak'],
    ['oakum detect ./scrapes/ --replay --every 6h', 'when each verdict would have appeared'],
    [`oakum detect --prometheus http://localhost:9090 --selector 'job="kubelet"'`, 'a whole fleet, by the hour'],
    ['curl -sG $PROM/api/v1/query_range -d step=300 -d start=$(date -d -7days +%s) -d end=$(date +%s) \\'],
    ['  -d query=\'{__name__=~"go_goroutines|go_gc_heap_live_bytes|kubelet_running_pods"}\' | oakum detect -'],
  ],
  about:
    'Reads Prometheus text, OpenMetrics, answers of the Prometheus API, and the output of promtool. A verdict needs two days or more of samples, at least one every ten minutes. Pods, churn and restarts are taken into account where their metrics are present.',
  operands: { completes: 'files' },
  options: {
    output: outputFormat(['text', 'wide', 'json']),
    by: name({
      placeholder: 'LABEL',
      help: 'the label that tells targets apart',
      defaultNote: 'node, else instance, else the folder',
    }),
    attributes: file({
      help: 'what targets are, as CSV (target,version,pool) or JSON, beside what their metrics say',
    }),
    prometheus: prometheusUrl('the history of a fleet, in hourly values, instead of files'),
    prometheusTokenFile: PROMETHEUS_TOKEN_FILE,
    prometheusHeader: PROMETHEUS_HEADER,
    selector: SELECTOR,
    since: duration({ default: '14d', needs: ['prometheus'], help: 'how far back' }),
    at: time({ help: 'judge as of this time, such as 2026-08-04T06:00Z', defaultNote: 'the last sample' }),
    replay: flag({ help: 'judge along the way too, and show when each verdict would have appeared' }),
    every: duration({ needs: ['replay'], help: 'how often --replay judges', defaultNote: '6h' }),
    only: choice(['leak', 'watch'])({
      placeholder: 'VERDICT',
      help: 'show only targets with that verdict or a worse one',
    }),
    failOn: FAIL_ON,
    ...DETECTOR_OPTIONS,
    ascii: flag({ help: 'print ASCII only' }),
    color: COLOR,
  },
  request: ({ replay, every, since, ...values }, operands, io) => {
    const everySeconds = replay ? (every ?? usualPace(values.timeScale)) : undefined;
    const prometheus = prometheusAccess(values, io);
    if (prometheus !== undefined && operands.length > 0) throw new Failure('usage', '--prometheus takes no paths');
    const paths = prometheus === undefined ? someOf(operands, 'no files given') : [];
    const selector = withoutBraces(values.selector);
    return { ...values, paths, everySeconds, prometheus, selector, sinceSeconds: since };
  },
});

export const command: Command = defineCommand(line, detect);

/** Six hours of the fleet. */
function usualPace(timeScale: number): number {
  return (6 * 3600) / timeScale;
}

type Request = RequestOf<typeof line>;

async function detect(request: Request, io: Io): Promise<number> {
  const { fleet, options } = await readFleet(request, io, request.everySeconds);
  const detection = detectionOf(fleet, options);
  for (const text of render(detection, request, io)) io.stdout.write(text);
  return exitCodeFor(detection.verdict, request.failOn);
}

function render(detection: Detection, request: Request, io: Io): Iterable<string> {
  const { output, only } = request;
  if (output === 'json') return renderDetectionJson(detection);
  const width = io.stdout.columns;
  const options = {
    style: styleFor(request.color, io),
    wide: output === 'wide',
    ascii: request.ascii || !isUtf8(io.env),
    only,
    ...(width === undefined ? {} : { width }),
  };
  return [request.everySeconds === undefined ? renderDetection(detection, options) : renderReplay(detection, options)];
}
