import { defineCommand, type Command } from '../options/command.ts';
import { CONNECTION_OPTIONS, targetOptions } from '../options/connection.ts';
import { duration, durationOrZero, file, text } from '../options/kinds.ts';
import { PROMETHEUS_HEADER, PROMETHEUS_TOKEN_FILE, prometheusAccess, prometheusUrl } from '../options/prometheus.ts';
import { outputFormat } from '../options/shared.ts';
import { Failure } from '../../base/errors.ts';

export const command: Command = defineCommand({
  name: 'verify',
  summary: 'show whether what a plan did helped: cleared, came back, or too early to tell',
  usage: ['-f PLAN [options]'],
  examples: [
    ['oakum verify -f plan.yaml', 'one look'],
    ['oakum verify -f plan.yaml --for 2h', 'looks every minute until it is known'],
    [
      'oakum verify -f plan.yaml --prometheus http://localhost:9090',
      'from what it has of both lives: one look is enough',
    ],
    ['oakum verify -f plan.yaml -o json', 'for scripts'],
  ],
  about:
    'Read-only. Each look is kept beside the plan, so looking now and then for some hours is as good as --for. Exit code: 0 cleared, 1 came back, 3 could not be observed, 4 not as planned, 5 too early to tell.',
  operands: {},
  options: {
    file: file({ short: 'f', placeholder: 'PLAN', help: 'the plan, from oakum plan' }),
    output: outputFormat(['text', 'json', 'yaml']),
    for: durationOrZero({ default: '0', help: 'keep looking until it is known, at most so long' }),
    every: duration({ default: '60s', help: 'time between two looks' }),
    warmUp: durationOrZero({ help: 'time after the restart that does not count', defaultNote: "the plan's" }),
    prometheus: prometheusUrl('samples of both lives; then the hours since the restart need not be watched'),
    prometheusTokenFile: PROMETHEUS_TOKEN_FILE,
    prometheusHeader: PROMETHEUS_HEADER,
    prometheusMatch: text({
      placeholder: 'LABELS',
      default: '',
      needs: ['prometheus'],
      help: `the series of the node, such as instance="10.0.0.1:10250" (default found by the node's name and addresses)`,
    }),
    ...CONNECTION_OPTIONS,
  },
  request: ({ file: path, for: forSeconds, every, warmUp, output, prometheusMatch, ...values }, operands, io) => {
    if (path === undefined) throw new Failure('usage', 'no plan given: verify -f plan.yaml');
    if (operands.length > 0) throw new Failure('usage', `verify takes a plan with -f, not ${operands.join(' ')}`);
    const options = targetOptions(values, io);
    const prometheus = prometheusAccess({ ...values, selector: '' }, io);
    const match = prometheusMatch.replace(/^\{|\}$/g, '');
    return { file: path, forSeconds, everySeconds: every, warmUpSeconds: warmUp, output, options, prometheus, match };
  },
  run: async (task, io) => (await import('../tasks/verify.ts')).verify(task, io),
});
