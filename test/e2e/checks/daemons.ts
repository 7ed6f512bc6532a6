/** Targets other than kubelets: a socket like kcp's, a daemon over HTTP, one behind the pod proxy, the API server. */
import assert from 'node:assert/strict';
import { type Check, type CheckContext, saw } from '../check.ts';

/** Two goroutines leak each second: a minute shows it in every snapshot. */
const SHORT = ['--sets', '4', '--gap', '20s'];

export const daemonChecks: readonly Check[] = [
  leaking('a unix socket', ({ environment }) => environment.daemons.socket, 'daemon-socket'),
  leaking('a daemon over HTTP', ({ environment }) => environment.daemons.http, 'daemon-http'),
  leaking('a pod through the API server', ({ environment }) => `pod/${environment.daemons.pod}`, 'daemon-pod'),
  {
    name: 'capture: the API server’s debug socket',
    run: async ({ oakum, environment }) => {
      const target = `unix://${environment.apiserver.debugSocket}`;
      saw(await oakum(['capture', target, '--gap', '0', '-o', 'apiserver-socket']), 0, /goroutine-\d+\.pb\.gz/);
      const analysis = await oakum(['analyze', 'apiserver-socket']);
      return saw(analysis, 0, /UNKNOWN .*?: too little evidence for a verdict.*?\./);
    },
  },
];

function leaking(what: string, targetOf: (context: CheckContext) => string, evidence: string): Check {
  return {
    name: `triage: ${what}`,
    run: async context => {
      const { oakum, environment } = context;
      const kubeconfig = environment.kubeconfigs['admin'];
      const run = await oakum(['triage', targetOf(context), ...SHORT, '--evidence', evidence], { kubeconfig });
      const sentence = saw(run, 0, /LEAK \S+ leaks goroutines: .*?\. /);
      const again = await oakum(['analyze', evidence]);
      assert.match(again.out, /^LEAK /, 'analyze finds the same');
      return sentence;
    },
  };
}
