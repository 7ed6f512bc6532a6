/** Plan, apply and verify: on a healthy node, and on one that leaks. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { saw } from '../check.ts';
import { type ActCheck, QUICK } from './acting.ts';

export const cureChecks: readonly ActCheck[] = [
  {
    name: 'restart in place, verified: healthy node',
    run: async lab => {
      const file = await lab.plan('healthy', 'restart', 'node/fix-a', ...QUICK);
      const before = lab.restarts('fix-a');
      const run = await lab.apply(file);
      saw(run, 0, /is applied/);
      assert.equal(lab.restarts('fix-a') - before, 1);
      assert.deepEqual(await lab.marks('fix-a'), []);
      const events = await lab.kubectl('get', 'events.events.k8s.io', '-n', 'default');
      assert.ok(events.includes('KubeletRestartSucceeded'), 'no Event of the restart');
      // One for each step that matters.
      assert.ok(!events.includes('AnnounceSucceeded') && !events.includes('KubeletRestartStarting'), events);
      const log = readFileSync(join(lab.folder, 'healthy.log.jsonl'), 'utf8');
      assert.match(log, /"kind":"verified"/);
      saw(await lab.apply(file), 0, /is already applied/);
      assert.equal(lab.restarts('fix-a') - before, 1);
      const verified = await lab.oakum(['verify', '-f', file], { kubeconfig: lab.environment.kubeconfigs['admin'] });
      saw(verified, 5, /ok ready Ready again/);
      return saw(verified, 5, /UNKNOWN fix-a ok restart .*? s/);
    },
  },
  {
    name: 'a plan that was changed',
    run: async lab => {
      const file = await lab.plan('changed', 'restart', 'node/fix-a', ...QUICK);
      const path = join(lab.folder, file);
      const { writeFileSync } = await import('node:fs');
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll('maxPerHour: 1000', 'maxPerHour: 999'));
      return saw(await lab.apply(file), 4, /the plan was changed after it was written/);
    },
  },
];

export const leakCheck: ActCheck = {
  name: 'restart of a leak: came back, intrinsic',
  run: async lab => {
    const kubeconfig = lab.environment.kubeconfigs['admin'];
    const args = [
      'triage',
      'node/leak-a',
      '--sets',
      '3',
      '--gap',
      '150s',
      '--evidence',
      'leak-a',
      '--memory-limit',
      '4Gi',
    ];
    saw(await lab.oakum(args, { kubeconfig }), 0, /LEAK/);
    // Others apply plans at the same time, under another lock.
    await lab.kubectl('create', 'namespace', 'oakum-leak');
    const lock = ['--lock-namespace', 'oakum-leak'];
    const file = await lab.plan('leak', 'restart', 'node/leak-a', '--from', 'leak-a', ...lock, ...QUICK);
    saw(await lab.apply(file), 0, /is applied/);
    const early = await lab.oakum(['verify', '-f', file], { kubeconfig });
    saw(early, 5, /TOO EARLY leak-a .* known at about \d{4}-\d\d-\d\d \d\d:\d\d UTC/);
    const long = ['verify', '-f', file, '--for', '20m', '--every', '5s', '--warm-up', '90s'];
    return saw(
      await lab.oakum(long, { kubeconfig }),
      1,
      /CAME BACK, INTRINSIC leak-a .* slope came back, intrinsic: .*/,
    );
  },
};
