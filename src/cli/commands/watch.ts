import { defineCommand, type Command } from '../options/command.ts';
import { CONNECTION_OPTIONS, TARGET_FORMS, TARGET_OPERANDS, targetOptions, targetsOf } from '../options/connection.ts';
import { DETECTOR_OPTIONS } from '../options/detector.ts';
import { duration, file, flag, folder, httpUrl, text } from '../options/kinds.ts';
import { profilerOptions, profilerRequest, profilesSince } from '../options/profiler.ts';
import { PROMETHEUS_HEADER, PROMETHEUS_TOKEN_FILE, prometheusUrl, SELECTOR } from '../options/prometheus.ts';
import { NO_GC } from '../options/shared.ts';
import {
  ALERTMANAGER,
  CLUSTERS,
  DEMO,
  INTERVAL,
  LISTEN,
  PACE,
  plainAlertmanager,
  REPLICA_OPTIONS,
  WATCH_EXAMPLES,
} from '../options/watch.ts';
import { storeOptions } from '../options/store.ts';
import { ACTION_OPTIONS, actionsOf } from '../options/watch-actions.ts';
import { type Environment, isS3Url, parseS3Url } from '../../store/io/s3/s3-place.ts';
import { type Option, shown } from '../options/option.ts';
import { PAST_MOMENTS } from '../../live/past-profiles.ts';
import { Failure } from '../../base/errors.ts';

/** Where the files of captures are kept. */
const EVIDENCE_OPTIONS: {
  readonly evidence: Option<string>;
  readonly evidenceEndpoint: Option<string | undefined>;
} = {
  evidence: text({
    placeholder: 's3://BUCKET/PREFIX',
    default: '',
    help: 'keep the files of captures there instead of in the data folder; credentials as for other tools of AWS',
  }),
  evidenceEndpoint: httpUrl({ needs: ['evidence'], help: 'the S3 server, if it is not AWS' }),
};

export const command: Command = defineCommand({
  name: 'watch',
  summary: 'watch a cluster: sample, detect, save evidence before a kill; with a web UI',
  usage: ['[TARGET...] [options]'],
  examples: WATCH_EXAMPLES,
  about: `Samples every target, judges which of them leak, and serves a web UI and an API with the results. Read-only: nothing in the cluster is changed unless you say --allow-actions or --node-condition, and profiles are taken only with --capture. Ctrl-C stops it; the next run resumes where it stopped.\n\n${TARGET_FORMS}`,
  operands: TARGET_OPERANDS,
  options: {
    listen: LISTEN,
    listenTokenFile: file({ default: '', help: 'the token that clients must present; required beyond localhost' }),
    data: folder({ default: '', defaultNote: '~/.local/share/oakum/CLUSTER', help: 'where to keep its data' }),
    ...storeOptions('keep it in a database instead; profiles stay in the data folder, or in --evidence'),
    ...EVIDENCE_OPTIONS,
    retention: duration({ defaultNote: '400d', help: 'how long to keep hourly figures, events and incidents' }),
    setDamagedAside: flag({ help: 'if the data is damaged, move it aside and start afresh' }),
    interval: INTERVAL,
    config: file({ default: '', help: 'targets and settings in YAML' }),
    attributes: file({
      default: '',
      help: 'what targets are, as CSV (target,pool,owner) or JSON, beside what metrics and the API server say',
    }),
    nodes: flag({ help: "the cluster's nodes, in addition to the targets given" }),
    clusters: CLUSTERS,
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
    alertmanager: ALERTMANAGER,
    ...ACTION_OPTIONS,
    ...REPLICA_OPTIONS,
    ...DETECTOR_OPTIONS,
    demo: DEMO,
    pace: PACE,
    ...CONNECTION_OPTIONS,
  },
  request: (values, operands, io) => {
    const options = targetOptions(values, io);
    const targets = targetsOf(operands, options);
    if (values.timeScale < 1)
      throw new Failure('usage', `--time-scale takes a number from 1 on, not ${values.timeScale}`);
    if (values.prometheus !== '' && targets.length > 0)
      throw new Failure('usage', '--prometheus determines the targets; give no others');
    if (values.demo && targets.length > 0) throw new Failure('usage', '--demo plays a recording; it takes no targets');
    const { memoryLimit: memoryLimitBytes, leastGrowth, timeScale } = values;
    return {
      options,
      targets,
      clusters: values.clusters,
      listen: values.listen,
      listenTokenFile: values.listenTokenFile,
      data: values.data,
      evidence: evidenceUrl(values, io.env),
      store: values.store,
      storeFile: values.storeFile,
      replica: values.replica,
      replicaId: values.replicaId,
      replicaNamespace: values.replicaNamespace,
      retentionSeconds: values.retention,
      setDamagedAside: values.setDamagedAside,
      intervalSeconds: values.interval,
      config: values.config,
      attributes: values.attributes,
      nodes: values.nodes,
      capture: values.capture,
      gc: !values.noGc,
      prometheus: values.prometheus,
      prometheusTokenFile: values.prometheusTokenFile,
      prometheusHeader: values.prometheusHeader,
      selector: values.selector.replace(/^\{|\}$/g, ''),
      profiler: profilerRequest(values),
      alertmanagers: values.alertmanager.map(plainAlertmanager),
      actions: actionsOf(values),
      nodeCondition: values.nodeCondition,
      detector: { memoryLimitBytes, leastGrowth, timeScale },
      demo: values.demo,
      pace: values.pace,
    };
  },
  run: async (request, io) => (await import('../watch/run-watch.ts')).runWatch(request, io),
});

/** As one URL. Throws a Failure. */
function evidenceUrl({ evidence, evidenceEndpoint }: EvidenceValues, env: Environment): string {
  if (evidence === '') return '';
  if (!isS3Url(evidence)) throw new Failure('usage', `--evidence takes s3://BUCKET/PREFIX, not ${shown(evidence)}`);
  const mark = evidence.includes('?') ? '&' : '?';
  const url =
    evidenceEndpoint === undefined ? evidence : `${evidence}${mark}endpoint=${encodeURIComponent(evidenceEndpoint)}`;
  parseS3Url(url, env);
  return url;
}

interface EvidenceValues {
  readonly evidence: string;
  readonly evidenceEndpoint: string | undefined;
}
