import { defineCommand, type Command } from '../options/command.ts';
import { DETECTOR_OPTIONS } from '../options/detector.ts';
import { duration, file, flag, folder, httpUrl, name, time } from '../options/kinds.ts';
import { profilerOptions, profilerRequest } from '../options/profiler.ts';
import {
  PROMETHEUS_HEADER,
  PROMETHEUS_TOKEN_FILE,
  prometheusAccess,
  prometheusUrl,
  SELECTOR,
} from '../options/prometheus.ts';
import { CATALOGUE, COLOR, FAIL_ON, OPERATIONS, outputFormat } from '../options/shared.ts';
import { storeOptions } from '../options/store.ts';
import { Failure } from '../../base/errors.ts';

export const command: Command = defineCommand({
  name: 'bisect',
  summary: 'find which version, setting or change a leak came with',
  usage: [
    'PATH... [options]',
    '--prometheus URL [options]',
    '--watch URL',
    '--data DIR',
    '--store URL',
    '--versions DIR DIR... [options]',
  ],
  examples: [
    ['oakum bisect ./scrapes/', 'which attribute separates what grows from what does not'],
    ['oakum bisect ./scrapes/ --attributes nodes.csv', 'with what you know: target,pool,owner'],
    [`oakum bisect --prometheus https://prom.example.com --selector 'job="kubelet"' --since 30d`],
    [
      'oakum bisect --prometheus https://prom.example.com --pyroscope http://pyroscope:4040',
      'with what the profiles of its targets prove',
    ],
    ['oakum bisect --watch http://localhost:7777', 'what a running oakum watch has found'],
    ['oakum bisect --data ./oakum-data', 'what one that does not run had recorded'],
    ['oakum bisect --versions v1.35/ v1.36/ v1.37/ --operations 500', 'captures of the same churn on each version'],
  ],
  about:
    'Compares targets that share an attribute value (version, Go release, feature gate, job, or what --attributes says) with those that lack it: how much more they grow, how sure that is, which of them do not, what changed when they began to grow, and what to try next. With --versions, each folder has captures of the same churn on one version: growth per operation, the first bad version, the family that appeared, and what to read.',
  operands: { completes: 'files' },
  options: {
    output: outputFormat(['text', 'json', 'markdown']),
    versions: flag({
      excludes: ['prometheus', 'watch', 'data', 'store', 'storeFile', 'attributes'],
      help: 'each path has captures of one version',
    }),
    operations: { ...OPERATIONS, needs: ['versions'] },
    attributes: file({ help: 'what targets are, as CSV (target,version,pool) or JSON' }),
    by: name({
      placeholder: 'LABEL',
      help: 'the label that tells targets apart',
      defaultNote: 'node, else instance, else the folder',
    }),
    at: time({ help: 'judge as of this time', defaultNote: 'the last sample' }),
    prometheus: prometheusUrl('the history of a fleet, in hourly values'),
    prometheusTokenFile: PROMETHEUS_TOKEN_FILE,
    prometheusHeader: PROMETHEUS_HEADER,
    selector: SELECTOR,
    since: duration({ default: '14d', help: 'how far back to ask Prometheus and the profiler' }),
    ...profilerOptions('which processes are its targets: labels such as service_name="kubelet"', ['versions', 'watch']),
    watch: httpUrl({ excludes: ['prometheus'], help: 'ask a running oakum watch' }),
    watchTokenFile: file({ default: '', needs: ['watch'], help: 'its token' }),
    data: folder({
      default: '',
      excludes: ['prometheus', 'watch'],
      help: 'the data folder of an oakum watch that does not run',
    }),
    ...storeOptions('the database of an oakum watch', ['prometheus', 'watch', 'data']),
    ...DETECTOR_OPTIONS,
    catalogue: CATALOGUE,
    failOn: FAIL_ON,
    color: COLOR,
  },
  request: ({ since, watch, ...values }, operands, io) => {
    const prometheus = prometheusAccess(values, io);
    const others = [
      prometheus !== undefined && '--prometheus',
      watch !== undefined && '--watch',
      values.data !== '' && '--data',
      values.store !== '' && '--store',
      values.storeFile !== '' && '--store-file',
    ].filter(Boolean);
    if (others.length > 0 && operands.length > 0) throw new Failure('usage', `${others.join(', ')} takes no paths`);
    if (others.length === 0 && operands.length === 0) throw new Failure('usage', 'no files given');
    if (values.versions && operands.length < 2) throw new Failure('usage', '--versions takes two folders or more');
    const selector = values.selector.replace(/^\{|\}$/g, '');
    const profiler = profilerRequest({ ...values, since });
    return { ...values, selector, prometheus, profiler, paths: operands, sinceSeconds: since, watch: watch ?? '' };
  },
  run: async (request, io) => (await import('../tasks/bisect.ts')).bisect(request, io),
});
