/** Evidence for others: bundles, reports, and captures taken with kubectl alone. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type Check, saw } from '../check.ts';

/** Uses the evidence that the long triage of the leaking kubelet saved. */
export const sharingChecks: readonly Check[] = [
  {
    name: 'analyze: the evidence of the triage',
    run: async ({ oakum }) => saw(await oakum(['analyze', 'leak-a']), 0, /LEAK leak-a leaks live heap: .*?\)\./),
  },
  {
    name: 'bundle: no name of a node or pod in it',
    run: async ({ oakum, folder }) => {
      const made = await oakum(['bundle', 'leak-a', '-o', 'leak-a.tar.gz']);
      const said = saw(made, 0, /leak-a\.tar\.gz[^.]*/);
      const archive = gunzipSync(readFileSync(join(folder, 'leak-a.tar.gz'))).toString('latin1');
      assert.ok(!archive.includes('leak-a'), 'the name of the node is in the archive');
      return said;
    },
  },
  {
    name: 'bundle verify',
    run: async ({ oakum }) => saw(await oakum(['bundle', 'verify', 'leak-a.tar.gz']), 0, /\d+ .*/),
  },
  {
    name: 'analyze: the bundle',
    run: async ({ oakum }) => {
      const run = await oakum(['analyze', 'leak-a.tar.gz']);
      saw(run, 0, /kubernetes#139823 \(confirmed\)/);
      return saw(run, 0, /LEAK \S+ leaks live heap: .*?\)\./);
    },
  },
  ...(['upstream', 'provider', 'incident'] as const).map((audience): Check => ({
    name: `report: for ${audience}`,
    run: async ({ oakum }) => {
      const run = await oakum(['report', 'leak-a', '--for', audience]);
      saw(run, 0, /139823/);
      return `${run.out.split('\n').length} lines: ${saw(run, 0, /#+ [^#]{5,80}/)}`;
    },
  })),
];

export const collectChecks: readonly Check[] = [
  {
    name: 'collect-script: with kubectl alone',
    run: async ({ oakum, run, environment, folder }) => {
      const script = await oakum(['collect-script']);
      saw(script, 0, /^#!\/bin\/sh/);
      writeFileSync(join(folder, 'collect.sh'), script.out);
      const collected = await run('sh', ['collect.sh', 'leak-d'], {
        kubeconfig: environment.kubeconfigs['capture'],
        env: { GAP: '30' },
      });
      const archive = /leak-d\S*\.tar\.gz/.exec(collected.out + collected.err)?.[0] ?? '';
      assert.ok(existsSync(join(folder, archive)), collected.err.slice(-400));
      return saw(await oakum(['analyze', archive]), 0, /[A-Z]{4,} \S+: .*?\./);
    },
  },
];
