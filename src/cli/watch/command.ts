/** The command line of `oakum watch`. */
import { defineCommand, type Command, commandLine } from '../options/command.ts';
import { CONNECTION_OPTIONS, TARGET_FORMS, TARGET_OPERANDS, targetOptions, targetsOf } from '../options/connection.ts';
import { DETECTOR_OPTIONS, NO_GC } from '../options/shared.ts';
import {
  duration,
  file,
  flag,
  folder,
  httpUrl,
  text,
  choice,
  custom,
  isNamespace,
  isReplicaId,
  parseDuration,
} from '../options/kinds.ts';
import {
  profilerOptions,
  profilerRequest,
  profilesSince,
  PROMETHEUS_HEADER,
  PROMETHEUS_TOKEN_FILE,
  prometheusUrl,
  SELECTOR,
  storeOptions,
} from '../options/sources.ts';
import { type Environment, isS3Url, parseS3Url } from '../../store/io/s3-place.ts';
import { shown, type ValuesOf } from '../options/option.ts';
import { PAST_MOMENTS } from '../../live/past-profiles.ts';
import { withoutBraces } from '../../base/matcher-text.ts';
import { Failure } from '../../base/errors.ts';
import { ACTION_OPTIONS, actionsOf } from '../options/acting.ts';
import { type ListenAddress, parseListenAddress } from '../../watch/server/listen-address.ts';
import type { WatchRequest } from './watch-request.ts';

const MIN_INTERVAL_SECONDS = 5;
const MAX_INTERVAL_SECONDS = 600;
const MAX_PACE = 120;

const section = 'Replicas';

const REPLICA_OPTIONS = {
  replica: choice(['auto', 'postgres', 'lease'])({
    section,
    help: 'share the targets with other watches over the same --store; they know of each other by its rows, or by Leases of the cluster (auto: Leases inside the cluster that it watches)',
  }),
  replicaId: custom(
    'NAME',
    'a name of at most 63 letters, digits, dots and dashes',
    replicaId,
  )({
    section,
    needs: ['replica'],
    defaultNote: 'the name of the host',
    help: 'of this replica; each has its own',
  }),
  replicaNamespace: custom(
    'NAME',
    'a namespace',
    namespaceOfLeases,
  )({
    section,
    needs: ['replica'],
    defaultNote: 'that of the pod, or oakum',
    help: 'of the Leases',
  }),
};

/** Where the files of captures are kept. */
const EVIDENCE_OPTIONS = {
  evidence: text({
    placeholder: 's3://BUCKET/PREFIX',
    default: '',
    help: 'keep the files of captures there instead of in the data folder; credentials as for other tools of AWS',
  }),
  evidenceEndpoint: httpUrl({ needs: ['evidence'], help: 'the S3 server, if it is not AWS' }),
};

const line = commandLine({
  name: 'watch',
  usage: ['[TARGET...] [options]'],
  examples: [
    ['oakum watch --demo', 'a recorded cluster played fast: see it in three minutes'],
    ['oakum watch', "all nodes of the kubeconfig's cluster"],
    ['oakum watch http://localhost:6060 apiserver', 'only these targets; with --nodes, the nodes too'],
    [`oakum watch --prometheus https://prom.example.com --selector 'job="kubelet"'`],
    ['oakum watch --capture --data /var/lib/oakum', 'also take profiles before a kill, and keep them there'],
    ['oakum watch --pyroscope http://pyroscope:4040', 'compares what is suspected with its past'],
    [
      'oakum watch --store postgres://oakum@db/oakum --replica auto',
      'several of these share the targets, and any may die',
    ],
    ["oakum watch --clusters 'prod-*'", 'all contexts of the kubeconfig that match; or a folder of kubeconfigs'],
    ['oakum watch --listen 0:7777 --listen-token-file token'],
    [
      'oakum watch --allow-actions --actions-token-file people',
      'plans can be applied on the page of an incident, by these people',
    ],
  ],
  about: `Samples every target, judges which of them leak, and serves a web UI and an API with the results. Read-only: nothing in the cluster is changed unless you say --allow-actions or --node-condition, and profiles are taken only with --capture. Ctrl-C stops it; the next run resumes where it stopped.\n\n${TARGET_FORMS}`,
  operands: TARGET_OPERANDS,
  options: {
    listen: custom(
      'HOST:PORT',
      'an address such as localhost:7777',
      listenAddress,
    )({
      default: 'localhost:7777',
      help: 'where to serve the web UI',
    }),
    listenTokenFile: file({ default: '', help: 'the token that clients must present; required beyond localhost' }),
    data: folder({ default: '', defaultNote: '~/.local/share/oakum/CLUSTER', help: 'where to keep its data' }),
    ...storeOptions('keep it in a database instead; profiles stay in the data folder, or in --evidence'),
    ...EVIDENCE_OPTIONS,
    retention: duration({ defaultNote: '400d', help: 'how long to keep hourly figures, events and incidents' }),
    setDamagedAside: flag({ help: 'if the data is damaged, move it aside and start afresh' }),
    interval: custom(
      'TIME',
      'a time from 5s to 10m',
      interval,
    )({
      defaultNote: '60s',
      help: 'time between two samples of a target',
    }),
    config: file({ default: '', help: 'targets and settings in YAML' }),
    attributes: file({
      default: '',
      help: 'what targets are, as CSV (target,pool,owner) or JSON, beside what metrics and the API server say',
    }),
    nodes: flag({ help: "the cluster's nodes, in addition to the targets given" }),
    /** Values between commas, or the option given several times. */
    clusters: {
      placeholder: 'WHAT,...',
      help: 'several clusters at once: a folder of kubeconfigs, or contexts of the kubeconfig, such as prod-*',
      repeats: true,
      completes: 'folders',
      excludes: ['context', 'prometheus'],
      read: (texts, flag) => {
        const all = texts.flatMap(text => text.split(',').map(item => item.trim()));
        if (all.includes('')) throw new Failure('usage', `${flag} takes a folder of kubeconfigs or names of contexts`);
        return all;
      },
    },
    capture: flag({
      help: 'take profiles when something is suspected or nears its limit, and a heap profile every 6 hours; needs get on nodes/proxy',
    }),
    noGc: NO_GC,
    prometheus: prometheusUrl('read samples from there instead of from the targets'),
    prometheusTokenFile: PROMETHEUS_TOKEN_FILE,
    prometheusHeader: PROMETHEUS_HEADER,
    selector: SELECTOR,
    ...profilerOptions('only processes with these labels too, such as service_name="kubelet"'),
    since: profilesSince(PAST_MOMENTS),
    alertmanager: {
      placeholder: 'URL',
      help: 'post incidents there as alerts; give every member of a cluster. --config has more ways',
      repeats: true,
      read: (texts, flag) => texts.map(text => httpUrl({ help: '' }).read([text], flag) ?? ''),
    },
    ...ACTION_OPTIONS,
    ...REPLICA_OPTIONS,
    ...DETECTOR_OPTIONS,
    demo: flag({
      excludes: [
        'prometheus',
        'config',
        'clusters',
        'pyroscope',
        'parca',
        'store',
        'storeFile',
        'replica',
        'evidence',
        'alertmanager',
        'allowActions',
        'nodeCondition',
        'memoryLimit',
        'leastGrowth',
        'timeScale',
      ],
      help: 'play a recorded cluster instead of watching a live one',
    }),
    pace: custom(
      'N',
      `a number from 1 to ${MAX_PACE}`,
      pace,
    )({
      needs: ['demo'],
      defaultNote: '12',
      help: 'how many times faster than recorded',
    }),
    ...CONNECTION_OPTIONS,
  },
  request: (values, operands, io): WatchRequest => {
    const options = targetOptions(values, io);
    const targets = targetsOf(operands, options);
    if (values.timeScale < 1)
      throw new Failure('usage', `--time-scale takes a number from 1 on, not ${values.timeScale}`);
    if (values.prometheus !== '' && targets.length > 0)
      throw new Failure('usage', '--prometheus determines the targets; give no others');
    if (values.demo && targets.length > 0) throw new Failure('usage', '--demo plays a recording; it takes no targets');
    const { memoryLimit: memoryLimitBytes, leastGrowth, timeScale } = values;
    return {
      ...values,
      options,
      targets,
      evidence: evidenceUrl(values, io.env),
      retentionSeconds: values.retention,
      intervalSeconds: values.interval,
      gc: !values.noGc,
      selector: withoutBraces(values.selector),
      profiler: profilerRequest(values),
      alertmanagers: values.alertmanager.map(plainAlertmanager),
      actions: actionsOf(values),
      detector: { memoryLimitBytes, leastGrowth, timeScale },
    };
  },
});

export const command: Command = defineCommand(line, async (request, io) =>
  (await import('./run-watch.ts')).runWatch(request, io),
);

/** Without credentials. */
function plainAlertmanager(url: string): {
  readonly url: string;
  readonly tokenFile: string;
  readonly certificateAuthority: string;
  readonly insecure: boolean;
} {
  return { url, tokenFile: '', certificateAuthority: '', insecure: false };
}

function listenAddress(given: string): ListenAddress {
  const address = parseListenAddress(given);
  if ('problem' in address) throw new Failure('usage', `--listen: ${address.problem}`);
  return address;
}

function interval(given: string): number | undefined {
  const seconds = parseDuration(given) ?? 0;
  return seconds >= MIN_INTERVAL_SECONDS && seconds <= MAX_INTERVAL_SECONDS ? seconds : undefined;
}

function pace(given: string): number | undefined {
  const times = given.trim() === '' ? NaN : Number(given);
  return times >= 1 && times <= MAX_PACE ? times : undefined;
}

function replicaId(text: string): string {
  if (!isReplicaId(text))
    throw new Failure('usage', `--replica-id takes a name of at most 63 letters, digits, dots and dashes, not ${text}`);
  return text;
}

function namespaceOfLeases(text: string): string {
  if (!isNamespace(text)) throw new Failure('usage', `--replica-namespace: ${text} is not a namespace`);
  return text;
}

/** As one URL. Throws a Failure. */
function evidenceUrl({ evidence, evidenceEndpoint }: ValuesOf<typeof EVIDENCE_OPTIONS>, env: Environment): string {
  if (evidence === '') return '';
  if (!isS3Url(evidence)) throw new Failure('usage', `--evidence takes s3://BUCKET/PREFIX, not ${shown(evidence)}`);
  const mark = evidence.includes('?') ? '&' : '?';
  const url =
    evidenceEndpoint === undefined ? evidence : `${evidence}${mark}endpoint=${encodeURIComponent(evidenceEndpoint)}`;
  parseS3Url(url, env);
  return url;
}
