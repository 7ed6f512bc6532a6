/** `oakum triage` on kubelets that leak, that are sound, and that show little. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Triage } from '../../../src/model/triage.ts';
import { type Check, type E2eWorld, saw } from '../check.ts';
import type { Run } from '../installation.ts';

/** Ten minutes: four profiles tell what samples hide in two, and scrapes of ten minutes tell a trend. */
const LONG = ['--sets', '4', '--gap', '205s'];

/** Both begin at once and last as long as all other checks together. */
export const longTriages: readonly Check[] = [
  {
    name: 'triage: leaking 1.36.0 kubelet',
    run: async world => {
      const run = await triage(world, ['node/leak-a', ...LONG, '--evidence', 'leak-a', '--memory-limit', '4Gi']);
      saw(run, 0, /LIMIT .* until 4 GiB/);
      saw(run, 0, /SAVED leak-a: \d+ files/);
      saw(run, 0, /kubernetes#139823 \(confirmed\)/);
      return saw(run, 0, /LEAK leak-a leaks live heap: .*?\)\./);
    },
  },
  {
    name: 'triage: fixed 1.36.3 kubelet',
    run: async world => {
      const run = await triage(world, ['node/fix-a', ...LONG, '--evidence', 'fix-a']);
      saw(run, 0, /nothing needs to be done/);
      return saw(run, 0, /HEALTHY fix-a: .*?\./);
    },
  },
];

export const triageChecks: readonly Check[] = [
  {
    name: 'triage: first answer within 5 s',
    run: async world => {
      const run = await triage(world, ['node/leak-a', '--metrics-only']);
      saw(run, 0, /the Go runtime holds .* live heap, .* unused, .* stacks, .* profiler buckets, .* unreturned/);
      assert.ok(run.firstSeconds < 5, `it took ${run.firstSeconds.toFixed(1)} s`);
      return `${saw(run, 0, /node\/leak-a kubelet v1\.36\.0.* goroutines/)} (${run.firstSeconds.toFixed(1)} s)`;
    },
  },
  {
    name: 'triage: as a kubectl plugin',
    run: async world => {
      const { run, environment } = world;
      const args = ['oakum', 'triage', 'node/fix-b', '--metrics-only'];
      const done = await run('kubectl', args, { kubeconfig: environment.kubeconfigs['capture'] });
      saw(done, 0, /NEXT kubectl oakum triage node\/fix-b/);
      return saw(done, 0, /UNKNOWN node\/fix-b: .*?\./);
    },
  },
  {
    name: 'triage: handlers off (405)',
    run: async world => {
      const run = await triage(world, ['node/fix-e', '--gap', '20s', '--sets', '2', '--evidence', 'fix-e']);
      saw(run, 0, /UNKNOWN fix-e/);
      return saw(run, 0, /which code it is: the kubelet of fix-e has its debugging handlers switched off[^;]*/);
    },
  },
  {
    name: 'triage: metrics only, at the kubelet',
    run: async world => {
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
      const run = await triage(world, args, 'metrics-only');
      return saw(run, 0, /which code it is: .*? - /);
    },
  },
  {
    name: 'triage: no rights',
    run: async world => {
      const run = await triage(world, ['node/leak-a', '--evidence', 'nobody'], 'nobody');
      assert.ok(!existsSync(join(world.folder, 'nobody')), 'a folder was left behind');
      return saw(run, 3, /oakum: node\/leak-a could not be observed: .*/);
    },
  },
  {
    name: 'triage: Ctrl-C in the gap',
    run: async world => {
      const kubeconfig = world.environment.kubeconfigs['admin'];
      const run = await world.oakum(['triage', 'node/leak-d', '--evidence', 'stopped'], {
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
    run: async world => {
      const run = await triage(world, ['node/leak-d', '--metrics-only', '-o', 'json']);
      const { schema, verdict, scrape } = JSON.parse(run.out) as Triage;
      return `${schema}: ${verdict}, ${scrape?.goroutines} goroutines`;
    },
  },
];

function triage(
  { oakum, environment }: E2eWorld,
  args: readonly string[],
  user: 'admin' | 'metrics-only' | 'nobody' = 'admin',
): Promise<Run> {
  return oakum(['triage', ...args], { kubeconfig: environment.kubeconfigs[user] });
}
