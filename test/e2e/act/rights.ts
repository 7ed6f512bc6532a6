/** Every right of a plan is taken away in turn: one sentence says which, and nothing is done. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { readPlan } from '../../../src/act/plan/plan-file.ts';
import type { Right } from '../../../src/act/plan/plan-step.ts';
import { saw } from '../check.ts';
import { type ActCheck, QUICK } from './acting.ts';

export const rightsChecks: readonly ActCheck[] = [
  {
    name: 'each right missing in turn',
    run: async lab => {
      const drain = ['--drain', '--delete-emptydir-data', '--evict-unmanaged'];
      const file = await lab.plan('rights', 'restart', 'node/fix-a', ...drain, ...QUICK);
      const rights = rightsIn(join(lab.folder, file));
      const before = lab.restarts('fix-a');
      const said: string[] = [];
      for (const [index, missing] of rights.entries()) {
        const user = `missing-${index}`;
        await lab.put(
          ...roleOf(
            user,
            rights.filter(right => right !== missing),
          ),
        );
        const run = await lab.apply(file, { args: ['--as', user] });
        saw(run, 4, /you may not .*; nothing was done/);
        assert.ok(
          run.err.includes(`${missing.verb} ${missing.resource}`),
          `${missing.verb} ${missing.resource}: ${run.err}`,
        );
        assert.ok(!existsSync(join(lab.folder, 'rights.log.jsonl')), 'a log was begun');
        said.push(`${missing.verb} ${missing.resource}`);
      }
      assert.equal(lab.restarts('fix-a'), before);
      assert.deepEqual(await lab.marks('fix-a'), []);
      return `${said.length} rights: ${said.join(', ')}`;
    },
  },
  {
    name: 'a right that is taken away in the middle',
    run: async lab => {
      const drain = ['--drain', '--delete-emptydir-data', '--evict-unmanaged'];
      const file = await lab.plan('taken', 'restart', 'node/fix-a', ...drain, ...QUICK);
      const rights = rightsIn(join(lab.folder, file));
      await lab.put(...roleOf('taken', rights));
      let taken: Promise<void> | undefined;
      const less = roleOf(
        'taken',
        rights.filter(({ resource }) => resource !== 'pods/eviction'),
      ).slice(0, 1);
      const run = await lab.apply(file, {
        args: ['--as', 'taken'],
        onProgress: err => {
          if (err.includes('applying')) taken ??= lab.put(...less);
        },
      });
      await taken;
      assert.deepEqual(await lab.marks('fix-a'), []);
      return saw(run, 4, /cannot create resource "pods\/eviction"/);
    },
  },
];

function rightsIn(file: string): readonly Right[] {
  const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
  return readPlan(readFileSync(file), file, sha256, { to: 'look' }).rights;
}

function roleOf(user: string, rights: readonly Right[]): Record<string, unknown>[] {
  const apiGroup = 'rbac.authorization.k8s.io';
  const rules = rights.map(({ verb, group, resource }) => ({
    apiGroups: [group],
    resources: [resource],
    verbs: [verb],
  }));
  return [
    { apiVersion: `${apiGroup}/v1`, kind: 'ClusterRole', metadata: { name: user }, rules },
    {
      apiVersion: `${apiGroup}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: user },
      roleRef: { apiGroup, kind: 'ClusterRole', name: user },
      subjects: [{ kind: 'User', apiGroup, name: user }],
    },
  ];
}
