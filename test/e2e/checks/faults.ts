/** Kubelets and API servers that die, hang or restart during a command: its message, and the files it keeps. */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { killProcess, pauseProcess, restartProcess, resumeProcess, startLabProcess } from '../../../lab/control.ts';
import { type Check, type CheckContext, saw } from '../check.ts';

/** Checks that affect one node only. */
export const nodeFaultChecks: readonly Check[] = [
  {
    name: 'capture: kubelet restarted in the gap',
    run: async context => {
      const { lab, oakum } = context;
      let restarted: Promise<void> | undefined;
      const run = await oakum(['capture', 'node/fix-b', '--gap', '40s', '-o', 'restarted'], {
        kubeconfig: admin(context),
        onProgress: err => {
          if (err.includes('waiting')) restarted ??= restartProcess(lab, 'fix-b');
        },
      });
      await restarted;
      const note = saw(run, 0, /node\/fix-b was restarted between the sets: they are of different processes/);
      const analysis = await oakum(['analyze', 'restarted']);
      saw(analysis, 0, /life 2 of 2/);
      assert.doesNotMatch(analysis.out, /^LEAK/, 'two lives were compared');
      return note;
    },
  },
  {
    name: 'capture: hung kubelet',
    run: async context => {
      const { lab, oakum } = context;
      pauseProcess(lab, 'leak-d');
      try {
        const args = ['capture', 'node/leak-d', '--gap', '0', '--request-timeout', '8s', '-o', 'hung'];
        return saw(await oakum(args, { kubeconfig: admin(context) }), 3, /nothing could be taken: .*/);
      } finally {
        resumeProcess(lab, 'leak-d');
      }
    },
  },
  {
    name: 'triage: dead kubelet',
    run: async context => {
      const { lab, oakum } = context;
      await killProcess(lab, 'leak-d');
      try {
        const run = await oakum(['triage', 'node/leak-d', '--evidence', 'dead'], { kubeconfig: admin(context) });
        return saw(run, 3, /oakum: node\/leak-d could not be observed: .*/);
      } finally {
        startLabProcess(lab, 'leak-d');
      }
    },
  },
];

/** Checks that take down the API server. */
export const clusterFaultChecks: readonly Check[] = [
  {
    name: 'capture: API server killed in the middle',
    run: async context => {
      const { lab, oakum } = context;
      let killed: Promise<void> | undefined;
      const args = ['capture', 'node/fix-a', '--gap', '15s', '--request-timeout', '10s', '-o', 'cut'];
      const cut = await oakum(args, {
        kubeconfig: admin(context),
        onProgress: err => {
          if (err.includes('waiting')) killed ??= killProcess(lab, 'apiserver');
        },
      });
      await killed;
      const said = saw(cut, 0, /metrics FAILED: .*? next: .*?(?= set )/);
      saw(cut, 0, /\d+ files, .*in cut/);
      await restartProcess(lab, 'apiserver');
      await delay(2000);
      const again = await oakum(args, { kubeconfig: admin(context) });
      return `${said}; then ${saw(again, 0, /resuming: \d+ files are already there/)}`;
    },
  },
  {
    name: 'triage: API server dead',
    run: async context => {
      const { lab, oakum } = context;
      await killProcess(lab, 'apiserver');
      try {
        const run = await oakum(['triage', 'node/fix-a', '--evidence', 'no-apiserver'], { kubeconfig: admin(context) });
        return saw(run, 3, /oakum: node\/fix-a could not be observed: .*/);
      } finally {
        await restartProcess(lab, 'apiserver');
      }
    },
  },
];

function admin({ environment }: CheckContext): string {
  return environment.kubeconfigs['admin'];
}
