/** `oakum triage` on kubelets that leak, that are healthy, and that expose little. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Triage } from '../../../src/live/triage/triage.ts';
import { type Check, type CheckContext, saw } from '../check.ts';
import type { Run } from '../installation.ts';

/** Ten minutes: four profiles show what sampling hides in two, and ten minutes of scrapes show a trend. */
const LONG = ['--sets', '4', '--gap', '205s'];

/** Both start first and take as long as all other checks together. */
export const longTriages: readonly Check[] = [
  {
    name: 'triage: leaking 1.36.0 kubelet',
    run: async context => {
      const run = await triage(context, ['node/leak-a', ...LONG, '--evidence', 'leak-a', '--memory-limit', '4Gi']);
      saw(run, 0, /LIMIT .* until 4 GiB/);
      saw(run, 0, /SAVED leak-a: \d+ files/);
      saw(run, 0, /kubernetes#139823 \(confirmed\)/);
      return saw(run, 0, /LEAK leak-a leaks live heap: .*?\)\./);
    },
  },
  {
    name: 'triage: fixed 1.36.3 kubelet',
    run: async context => {
      const run = await triage(context, ['node/fix-a', ...LONG, '--evidence', 'fix-a']);
      saw(run, 0, /nothing needs to be done/);
      return saw(run, 0, /HEALTHY fix-a: .*?\./);
    },
  },
];

export const triageChecks: readonly Check[] = [
  {
    name: 'triage: first answer within 5 s',
    run: async context => {
      const run = await triage(context, ['node/leak-a', '--metrics-only']);
      saw(run, 0, /the Go runtime holds .* live heap, .* unused, .* stacks, .* profiler buckets, .* unreturned/);
      assert.ok(run.firstSeconds < 5, `it took ${run.firstSeconds.toFixed(1)} s`);
      return `${saw(run, 0, /node\/leak-a kubelet v1\.36\.0.* goroutines/)} (${run.firstSeconds.toFixed(1)} s)`;
    },
  },
  {
    name: 'triage: as a kubectl plugin',
    run: async context => {
      const { run, environment } = context;
      const args = ['oakum', 'triage', 'node/fix-b', '--metrics-only'];
      const done = await run('kubectl', args, { kubeconfig: environment.kubeconfigs['capture'] });
      saw(done, 0, /NEXT kubectl oakum triage node\/fix-b/);
      return saw(done, 0, /UNKNOWN node\/fix-b: .*?\./);
    },
  },
  {
    name: 'triage: handlers off (405)',
    run: async context => {
      const run = await triage(context, ['node/fix-e', '--gap', '20s', '--sets', '2', '--evidence', 'fix-e']);
      saw(run, 0, /UNKNOWN fix-e/);
      return saw(run, 0, /which code it is: the kubelet of fix-e has its debugging handlers switched off[^;]*/);
    },
  },
  {
    name: 'triage: metrics only, at the kubelet',
    run: async context => {
      const args = [
        'node/fix-b',
        '--direct',
        '--insecure-skip-tls-verify',
        '--gap',
        '20s',
        '--sets',
        '2',
        '--evidence',
        'fix-b-metrics',
      ];
      const run = await triage(context, args, 'metrics-only');
      return saw(run, 0, /which code it is: .*? - /);
    },
  },
  {
    name: 'triage: no rights',
    run: async context => {
      const run = await triage(context, ['node/leak-a', '--evidence', 'nobody'], 'nobody');
      assert.ok(!existsSync(join(context.folder, 'nobody')), 'a folder was left behind');
      return saw(run, 3, /oakum: node\/leak-a could not be observed: .*/);
    },
  },
  {
    name: 'triage: Ctrl-C in the gap',
    run: async context => {
      const kubeconfig = context.environment.kubeconfigs['admin'];
      const run = await context.oakum(['triage', 'node/leak-d', '--evidence', 'stopped'], {
        kubeconfig,
        onProgress: (err, child) => {
          if (!child.killed && err.includes('waiting')) child.kill('SIGINT');
        },
      });
      saw(run, 130, /SAVED stopped: \d+ files/);
      return saw(run, 130, /stopped; the same command with --evidence stopped resumes/);
    },
  },
  {
    name: 'triage: JSON for scripts',
    run: async context => {
      const run = await triage(context, ['node/leak-d', '--metrics-only', '-o', 'json']);
      const { schema, verdict, scrape } = JSON.parse(run.out) as Triage;
      return `${schema}: ${verdict}, ${scrape?.goroutines} goroutines`;
    },
  },
];

function triage(
  { oakum, environment }: CheckContext,
  args: readonly string[],
  user: 'admin' | 'metrics-only' | 'nobody' = 'admin',
): Promise<Run> {
  return oakum(['triage', ...args], { kubeconfig: environment.kubeconfigs[user] });
}
