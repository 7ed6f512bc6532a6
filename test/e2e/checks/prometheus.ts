/** `--prometheus` with a real Prometheus that scrapes the kubelets, and has days of made-up history as well. */
import { type Check, saw } from '../check.ts';
import type { RunningPrometheus } from '../prometheus.ts';

export function prometheusChecks(prometheus: RunningPrometheus | undefined): readonly Check[] {
  const check = (name: string, more: readonly string[], says: RegExp): Check => ({
    name: `triage --prometheus: ${name}`,
    run: async ({ oakum, environment }) => {
      if (prometheus === undefined) return 'left out: no prometheus and promtool on this machine';
      const args = ['triage', 'node/leak-a', '--metrics-only', '--prometheus', prometheus.url, ...more];
      return saw(await oakum(args, { kubeconfig: environment.kubeconfigs['admin'] }), 0, says);
    },
  });
  return [
    check(
      'minutes of real scrapes',
      ['--prometheus-match', 'job="kubelet",node="leak-a"'],
      /UNKNOWN [a-z ]+: .*? too few to judge/,
    ),
    check(
      'days of made history',
      ['--prometheus-match', 'job="made",node="leak-a"', '--memory-limit', '1Gi'],
      /LEAK live heap .*?(?= LEAK node)/,
    ),
    check('two that may be it', [], /2 of its targets may be node\/leak-a \(.*?--prometheus-match/),
  ];
}
