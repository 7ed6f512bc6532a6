/** Drains against real budgets and controllers. */
import assert from 'node:assert/strict';
import { recordOf } from '../../../src/base/json.ts';
import { until } from '../../until.ts';
import { saw } from '../check.ts';
import { type Acting, type ActCheck, budgetFor, guardedPod, podsOn, QUICK } from './acting.ts';

const DRAIN = ['--delete-emptydir-data', '--evict-unmanaged', '--drain-timeout', '60s', ...QUICK];

export const drainChecks: readonly ActCheck[] = [
  {
    name: 'restart with a drain',
    run: async lab => {
      const before = await podsOn(lab, 'fix-c');
      const file = await lab.plan('drained', 'restart', 'node/fix-c', '--drain', ...DRAIN);
      const run = await lab.apply(file);
      saw(run, 0, /is applied/);
      assert.deepEqual(await lab.marks('fix-c'), []);
      await until(async () => (await podsOn(lab, 'fix-c')).length >= before.length);
      const after = await podsOn(lab, 'fix-c');
      assert.ok(!after.some(pod => before.includes(pod)), 'a pod was not evicted');
      return saw(run, 0, /fix-c\/drain: \d+ pods evicted/);
    },
  },
  {
    name: 'a PodDisruptionBudget that blocks',
    run: async lab => {
      const [deployment, budget] = guardedPod('guarded', 'fix-c');
      await lab.put(deployment);
      await lab.kubectl('rollout', 'status', '-n', 'lab', 'deployment/guarded', '--timeout=60s');
      const file = await lab.plan('blocked', 'drain', 'node/fix-c', ...DRAIN, '--drain-timeout', '20s');
      await lab.put(budget);
      await observed(lab, 'guarded');
      const run = await lab.apply(file);
      const said = saw(run, 4, /the PodDisruptionBudget guarded refused it for .*? has 1 currently/);
      assert.ok((await lab.marks('fix-c')).includes('cordoned'), 'it is half drained, and not cordoned');
      const kubeconfig = lab.environment.kubeconfigs['admin'];
      saw(await lab.oakum(['plan', 'abort', '--node', 'fix-c'], { kubeconfig }), 0, /uncordoned/);
      assert.deepEqual(await lab.marks('fix-c'), []);
      assert.ok((await podsOn(lab, 'fix-c')).some(pod => pod.startsWith('guarded-')));
      await lab.kubectl('delete', '-n', 'lab', 'deployment/guarded', 'pdb/guarded');
      return said;
    },
  },
  {
    name: 'a pod that returns elsewhere under its name',
    run: async lab => {
      const pod = (node: string): Record<string, unknown> => ({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'mover', namespace: 'lab', labels: { app: 'mover' } },
        spec: { nodeName: node, terminationGracePeriodSeconds: 1, containers: [{ name: 'app', image: 'lab/app:1' }] },
      });
      await lab.put(pod('fix-c'));
      await lab.kubectl('wait', '-n', 'lab', '--for=condition=Ready', 'pod/mover', '--timeout=60s');
      // A plan is refused by a budget that never allows a disruption.
      const file = await lab.plan('moved', 'drain', 'node/fix-c', ...DRAIN);
      await lab.put(budgetFor('mover'));
      await observed(lab, 'mover');
      let moved: Promise<void> | undefined;
      const move = async (): Promise<void> => {
        await lab.kubectl('delete', 'pod', '-n', 'lab', 'mover', '--force', '--grace-period=0');
        await lab.put(pod('fix-d'));
        await lab.kubectl('wait', '-n', 'lab', '--for=condition=Ready', 'pod/mover', '--timeout=60s');
        await lab.kubectl('delete', 'pdb', '-n', 'lab', 'mover');
      };
      const run = await lab.apply(file, {
        onProgress: err => {
          if (err.includes('waits for the PodDisruptionBudget mover')) moved ??= move();
        },
      });
      await moved;
      assert.ok(moved !== undefined, run.err);
      const said = saw(run, 0, /lab\/mover (?:gone|replaced): .*?(?= \d\d:)/);
      const { spec, metadata } = await lab.get('pod', '-n', 'lab', 'mover');
      assert.equal(recordOf(spec)['nodeName'], 'fix-d');
      assert.equal(recordOf(metadata)['deletionTimestamp'], undefined);
      await lab.kubectl('delete', 'pod', '-n', 'lab', 'mover');
      await lab.kubectl('uncordon', 'fix-c');
      await lab.kubectl('annotate', 'node', 'fix-c', 'oakum.dev/cordoned-by-');
      return `${said}; mover lives on fix-d`;
    },
  },
];

async function observed(lab: Acting, budget: string): Promise<void> {
  await until(async () => {
    const { status } = await lab.get('pdb', '-n', 'lab', budget);
    return recordOf(status)['currentHealthy'] === 1;
  });
}
