import { Failure } from '../../base/failure.ts';
import type { ListenAddress } from '../../server/listen-address.ts';
import { defineCommand, type Command } from '../options/command.ts';
import {
  CONNECTION_OPTIONS,
  TARGET_FORMS,
  TARGET_OPERANDS,
  targetOptions,
  targetsOf,
  type ConnectionValues,
} from '../options/connection.ts';
import { DETECTOR_OPTIONS, type DetectorValues } from '../options/detector.ts';
import { duration, file, flag, folder, text } from '../options/kinds.ts';
import { PROMETHEUS_TOKEN_FILE, prometheusUrl } from '../options/prometheus.ts';
import { NO_GC } from '../options/shared.ts';
import { INTERVAL, LISTEN, PACE } from '../options/watch.ts';
import type { WatchRequest } from '../watch/watch-request.ts';

interface Values extends ConnectionValues, DetectorValues {
  readonly listen: ListenAddress;
  readonly listenTokenFile: string;
  readonly data: string;
  readonly retention: number | undefined;
  readonly setDamagedAside: boolean;
  readonly interval: number | undefined;
  readonly config: string;
  readonly nodes: boolean;
  readonly capture: boolean;
  readonly noGc: boolean;
  readonly prometheus: string;
  readonly prometheusTokenFile: string;
  readonly selector: string;
  readonly demo: boolean;
  readonly pace: number | undefined;
}

export const command: Command = defineCommand<Values, WatchRequest>({
  name: 'watch',
  summary: 'watch a cluster: sample, detect, save evidence before a kill; with a web UI',
  usage: ['[TARGET...] [options]'],
  examples: [
    ['oakum watch --demo', 'a recorded cluster played fast: see it in three minutes'],
    ['oakum watch', "all nodes of the kubeconfig's cluster"],
    ['oakum watch http://localhost:6060 apiserver', 'only these targets; with --nodes, the nodes too'],
    [`oakum watch --prometheus https://prom.example.com --selector 'job="kubelet"'`],
    ['oakum watch --capture --data /var/lib/oakum', 'also take profiles before a kill, and keep them there'],
    ['oakum watch --listen 0:7777 --listen-token-file token'],
  ],
  about: `Samples every target, judges which of them leak, and serves a web UI and an API with the results. Read-only: nothing in the cluster is changed, and profiles are taken only with --capture. Ctrl-C stops it; the next run resumes where it stopped.\n\n${TARGET_FORMS}`,
  operands: TARGET_OPERANDS,
  options: {
    listen: LISTEN,
    listenTokenFile: file({ default: '', help: 'the token that clients must present; required beyond localhost' }),
    data: folder({ default: '', defaultNote: '~/.local/share/oakum/CLUSTER', help: 'where to keep its data' }),
    retention: duration({ defaultNote: '400d', help: 'how long to keep hourly figures, events and incidents' }),
    setDamagedAside: flag({ help: 'if the data is damaged, move it aside and start afresh' }),
    interval: INTERVAL,
    config: file({ default: '', help: 'targets and settings in YAML' }),
    nodes: flag({ help: "the cluster's nodes, in addition to the targets given" }),
    capture: flag({
      help: 'take profiles when something is suspected or nears its limit, and a heap profile every 6 hours; needs get on nodes/proxy',
    }),
    noGc: NO_GC,
    prometheus: prometheusUrl('read samples from there instead of from the targets'),
    prometheusTokenFile: PROMETHEUS_TOKEN_FILE,
    selector: text({
      placeholder: 'LABELS',
      default: '',
      needs: ['prometheus'],
      help: 'only series with these labels, such as job="kubelet"',
    }),
    ...DETECTOR_OPTIONS,
    demo: flag({
      excludes: ['prometheus', 'config', 'memoryLimit', 'leastGrowth', 'timeScale'],
      help: 'play a recorded cluster instead of watching a live one',
    }),
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
      listen: values.listen,
      listenTokenFile: values.listenTokenFile,
      data: values.data,
      retentionSeconds: values.retention,
      setDamagedAside: values.setDamagedAside,
      intervalSeconds: values.interval,
      config: values.config,
      nodes: values.nodes,
      capture: values.capture,
      gc: !values.noGc,
      prometheus: values.prometheus,
      prometheusTokenFile: values.prometheusTokenFile,
      selector: values.selector.replace(/^\{|\}$/g, ''),
      detector: { memoryLimitBytes, leastGrowth, timeScale },
      demo: values.demo,
      pace: values.pace,
    };
  },
  run: async (request, io) => (await import('../watch/run-watch.ts')).runWatch(request, io),
});
