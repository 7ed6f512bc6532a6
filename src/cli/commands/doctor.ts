import { defineCommand, type Command } from '../options/command.ts';
import { CONNECTION_OPTIONS, TARGET_FORMS, TARGET_OPERANDS, targetOf, targetOptions } from '../options/connection.ts';
import { PROMETHEUS_TOKEN_FILE, prometheusUrl } from '../options/prometheus.ts';
import { COLOR, outputFormat } from '../options/shared.ts';

export const command: Command = defineCommand({
  name: 'doctor',
  summary: 'show what can be observed, what that can prove, and what is dangerous',
  usage: ['[TARGET] [options]'],
  examples: [
    ['oakum doctor', "the kubeconfig's cluster, and one of its nodes"],
    ['oakum doctor node/worker-17', 'one kubelet, through the API server'],
    ['oakum doctor node/worker-17 --direct', 'the same at its own port, where metrics need fewer rights'],
    ['oakum doctor http://localhost:6060', 'any Go daemon'],
    ['oakum doctor --prometheus http://localhost:9090', 'also check that a Prometheus has the metrics'],
  ],
  about: `Checks which rights you have, which endpoints and profiles answer, what they can prove, and what is dangerous. Takes no profiles. For everything that does not answer it says why, and what to do.\n\n${TARGET_FORMS}`,
  operands: TARGET_OPERANDS,
  options: {
    output: outputFormat(['text', 'json', 'yaml']),
    prometheus: prometheusUrl('a Prometheus to check'),
    prometheusTokenFile: PROMETHEUS_TOKEN_FILE,
    color: COLOR,
    ...CONNECTION_OPTIONS,
  },
  request: (values, operands, io) => {
    const { output, prometheus, prometheusTokenFile, color } = values;
    const options = targetOptions(values, io);
    return { ref: targetOf(operands, options), options, output, prometheus, prometheusTokenFile, color };
  },
  run: async (request, io) => (await import('../tasks/doctor.ts')).doctor(request, io),
});
