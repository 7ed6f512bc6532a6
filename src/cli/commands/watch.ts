/** `oakum watch`: samples, detects, keeps evidence before a kill, follows incidents; with a web UI. */
import { parseListenAddress } from '../../server/listen-address.ts';
import { parseTargetRef, type TargetRef } from '../../model/target.ts';
import { DETECTOR_OPTIONS, parseDetectorOptions } from '../options/detector.ts';
import type { Io } from '../terminal/io.ts';
import { parseDuration } from '../options/option-values.ts';
import { parseTargetOptions, TARGET_HELP, TARGET_OPTIONS } from '../options/connection.ts';
import { type Given, runRequest } from '../options/usage.ts';
import { runWatch, type WatchRequest } from '../watch/run-watch.ts';

const USAGE = `Usage: oakum watch [TARGET...] [options]

  oakum watch --demo                                a recorded cluster at speed: what it looks like, in three minutes
  oakum watch                                       all nodes of the kubeconfig's cluster
  oakum watch http://localhost:6060 apiserver       these targets only; with --nodes, the nodes too
  oakum watch --prometheus https://prom.example.com --selector 'job="kubelet"'
  oakum watch --capture --data /var/lib/oakum       also takes profiles before a kill, and keeps them there
  oakum watch --listen 0:7777 --listen-token-file token

Samples every target, judges which of them leak, and serves a web UI and an API that tell. Read-only: nothing in the
cluster is changed, and profiles are taken only with --capture. Ctrl-C ends it; the next one goes on where it ended.

      --listen HOST:PORT         where the web UI is (localhost:7777)
      --listen-token-file FILE   who comes from elsewhere must know this token; needed beyond localhost
      --data DIR                 what it remembers (~/.local/share/oakum/CLUSTER)
      --retention TIME           how long it remembers hourly figures, events and incidents (400d)
      --set-damaged-aside        begin anew where what it remembers is damaged; that is kept beside
      --interval TIME            between two samples of a target (60s)
      --config FILE              targets and settings in YAML
      --nodes                    the cluster's nodes, besides the targets given
      --capture                  take evidence when something grows or nears its limit; needs get on nodes/proxy
      --prometheus URL           read samples from there instead of asking targets
      --prometheus-token-file FILE
      --selector LABELS          of all series read from there, such as job="kubelet"
      --memory-limit BYTES       where processes are killed, if no metric and no setting tells: 512Mi
      --least-growth R=N         growth of a resource that matters: goroutines=50, 'live heap=2Mi' (6 MiB or 5 %)
      --time-scale N             of accelerated clusters, as in a lab: a leak of N hours takes one
      --demo                     a recorded cluster instead of a live one
      --pace N                   how many times faster than it was recorded (12)

${TARGET_HELP}`;

const OPTIONS = {
  ...TARGET_OPTIONS,
  listen: { type: 'string', default: 'localhost:7777' },
  'listen-token-file': { type: 'string', default: '' },
  data: { type: 'string', default: '' },
  retention: { type: 'string', default: '' },
  'set-damaged-aside': { type: 'boolean', default: false },
  interval: { type: 'string', default: '' },
  config: { type: 'string', default: '' },
  nodes: { type: 'boolean', default: false },
  capture: { type: 'boolean', default: false },
  prometheus: { type: 'string', default: '' },
  'prometheus-token-file': { type: 'string', default: '' },
  selector: { type: 'string', default: '' },
  ...DETECTOR_OPTIONS,
  demo: { type: 'boolean', default: false },
  pace: { type: 'string', default: '' },
} as const;

type Parsed = Given<typeof OPTIONS>;

const MIN_INTERVAL_SECONDS = 5;
const MAX_INTERVAL_SECONDS = 600;
const MAX_PACE = 120;

export async function runWatchCommand(argv: string[], io: Io, programName?: string): Promise<number> {
  const usage = { command: 'watch', help: USAGE, options: OPTIONS, parse: (given: Parsed) => parse(given, io) };
  return runRequest(usage, argv, io, request => runWatch(request, io), programName);
}

/** The request, or what is wrong with the command line. */
function parse({ values, positionals }: Parsed, io: Io): WatchRequest | string {
  const options = parseTargetOptions(values, io);
  if (typeof options === 'string') return options;
  const listen = parseListenAddress(values.listen);
  if ('problem' in listen) return `--listen: ${listen.problem}`;
  const targets: TargetRef[] = [];
  for (const text of positionals) {
    const ref = parseTargetRef(text, options.namespace === '' ? undefined : options.namespace);
    if (typeof ref === 'string') return ref;
    targets.push(ref);
  }
  const intervalSeconds = values.interval === '' ? undefined : parseDuration(values.interval);
  if (
    values.interval !== '' &&
    !(Number(intervalSeconds) >= MIN_INTERVAL_SECONDS && Number(intervalSeconds) <= MAX_INTERVAL_SECONDS)
  )
    return `--interval takes a time from ${MIN_INTERVAL_SECONDS}s to ${MAX_INTERVAL_SECONDS / 60}m, not ${values.interval}`;
  const retentionSeconds = values.retention === '' ? undefined : parseDuration(values.retention);
  if (values.retention !== '' && retentionSeconds === undefined)
    return `--retention takes a time such as 90d, not ${values.retention}`;
  const pace = values.pace === '' ? undefined : Number(values.pace);
  if (pace !== undefined && !(pace >= 1 && pace <= MAX_PACE))
    return `--pace takes a number from 1 to ${MAX_PACE}, not ${values.pace}`;
  if (pace !== undefined && !values.demo) return '--pace is for --demo: nothing else can be sped up';
  const detector = parseDetectorOptions(values);
  if (typeof detector === 'string') return detector;
  if (detector.timeScale < 1) return `--time-scale takes a number from 1 on, not ${values['time-scale']}`;
  if (values.prometheus !== '' && !/^https?:\/\//.test(values.prometheus))
    return `--prometheus takes a URL, not ${values.prometheus}`;
  if (values.prometheus === '' && values.selector !== '') return '--selector needs --prometheus';
  if (values.prometheus !== '' && targets.length > 0)
    return '--prometheus tells which targets there are; give no others';
  if (values.demo && (targets.length > 0 || values.prometheus !== '' || values.config !== ''))
    return '--demo plays a recording; it takes no targets';
  const isTold =
    detector.timeScale !== 1 || values['memory-limit'] !== undefined || values['least-growth'] !== undefined;
  if (values.demo && isTold) return '--demo plays a recording; what the detector is told belongs to it';
  return {
    options,
    targets,
    listen,
    listenTokenFile: values['listen-token-file'],
    data: values.data,
    retentionSeconds,
    setDamagedAside: values['set-damaged-aside'],
    intervalSeconds,
    config: values.config,
    nodes: values.nodes,
    capture: values.capture,
    prometheus: values.prometheus,
    prometheusTokenFile: values['prometheus-token-file'],
    selector: values.selector.replace(/^\{|\}$/g, ''),
    detector,
    demo: values.demo,
    pace,
  };
}
