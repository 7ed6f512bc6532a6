/** The world changes under a plan: nodes, locks, budgets, the API server. */
import assert from 'node:assert/strict';
import { killProcess, restartProcess, startLabProcess } from '../../../lab/control.ts';
import { recordOf } from '../../../src/base/json.ts';
import { until } from '../../until.ts';
import { saw } from '../check.ts';
import { type Acting, type ActCheck, QUICK } from './acting.ts';

const ALL = ['node/fix-a', 'node/fix-b', 'node/fix-c', 'node/fix-d'];

export const faultChecks: readonly ActCheck[] = [
  {
    name: 'a node that someone cordons',
    run: async lab => {
      const file = await lab.plan('cordoned', 'restart', 'node/fix-b', ...QUICK);
      await lab.kubectl('cordon', 'fix-b');
      try {
        const before = lab.restarts('fix-b');
        const said = saw(await lab.apply(file), 4, /fix-b is cordoned, and not by Oakum/);
        assert.equal(lab.restarts('fix-b'), before);
        assert.deepEqual(await lab.marks('fix-b'), ['cordoned'], 'the cordon of another was touched');
        return said;
      } finally {
        await lab.kubectl('uncordon', 'fix-b');
      }
    },
  },
  {
    name: 'a kubelet that someone restarts',
    run: async lab => {
      const file = await lab.plan('restarted', 'restart', 'node/fix-b', ...QUICK);
      await restartProcess(lab.lab, 'fix-b');
      await ready(lab, 'fix-b', true);
      const said = saw(await lab.apply(file), 4, /the kubelet of fix-b was restarted since the plan was written/);
      assert.deepEqual(await lab.marks('fix-b'), []);
      return said;
    },
  },
  {
    name: 'a node that kured reboots',
    run: async lab => {
      const file = await lab.plan('kured', 'restart', 'node/fix-b', ...QUICK);
      await lab.kubectl('annotate', 'node', 'fix-b', 'weave.works/kured-reboot-in-progress=now');
      try {
        return saw(await lab.apply(file), 4, /kured is rebooting fix-b/);
      } finally {
        await lab.kubectl('annotate', 'node', 'fix-b', 'weave.works/kured-reboot-in-progress-');
      }
    },
  },
  {
    name: 'a lost lock',
    run: async lab => {
      const file = await lab.plan('lost', 'restart', ...ALL, ...QUICK, '--canary-wait', '40s');
      let stolen: Promise<string> | undefined;
      const patch = '{"spec":{"holderIdentity":"someone-else"}}';
      const run = await lab.apply(file, {
        onProgress: err => {
          if (err.includes('before the next node'))
            stolen ??= lab.kubectl('patch', 'lease', '-n', 'oakum', 'oakum-actions', '--type=merge', '-p', patch);
        },
      });
      await stolen;
      const said = saw(run, 4, /the lock is lost: someone-else took it/);
      await lab.kubectl('delete', 'lease', '-n', 'oakum', 'oakum-actions');
      for (const node of ['fix-a', 'fix-b', 'fix-c', 'fix-d']) assert.deepEqual(await lab.marks(node), []);
      return said;
    },
  },
  {
    name: 'two an hour, of four nodes',
    run: async lab => {
      const kubectl = ['annotate', 'nodes', '--all', 'oakum.dev/last-restart-'];
      await lab.kubectl(...kubectl);
      const quick = ['--cool-down', '0', '--max-per-hour', '2', '--canary-wait', '0'];
      const file = await lab.plan('hourly', 'restart', ...ALL, ...quick);
      const count = (): number => ALL.reduce((sum, node) => sum + lab.restarts(node.slice(5)), 0);
      const before = count();
      const said = saw(await lab.apply(file), 4, /2 kubelets were restarted in the last hour.*? UTC/);
      assert.equal(count() - before, 2);
      for (const node of ALL) assert.deepEqual(await lab.marks(node.slice(5)), [], `${node} waits with marks`);
      return said;
    },
  },
  {
    name: 'one restart an hour per node',
    run: async lab => {
      const file = await lab.plan('cooling', 'restart', 'node/fix-d', '--max-per-hour', '1000', '--cool-down', '0');
      saw(await lab.apply(file), 0, /is applied/);
      const again = await lab.oakum(
        ['plan', 'restart', 'node/fix-d', '--force', 'test', '--max-per-hour', '1000', '-o', 'again.yaml'],
        { kubeconfig: lab.environment.kubeconfigs['admin'] },
      );
      if (again.code !== 0) return `plan: ${saw(again, again.code, /fix-d.*restarted.*?(?:ago|hour|min)/)}`;
      return saw(await lab.apply('again.yaml'), 4, /fix-d was restarted by plan-\S+ .*? ago/);
    },
  },
  {
    name: 'a fifth of the nodes not Ready',
    run: async lab => {
      const file = await lab.plan('sick', 'restart', 'node/fix-a', '--cool-down', '0', '--max-per-hour', '1000');
      await killProcess(lab.lab, 'fix-d');
      try {
        await ready(lab, 'fix-d', false);
        const before = lab.restarts('fix-a');
        const said = saw(await lab.apply(file), 4, /1 of 5 nodes are not Ready \(fix-d\)/);
        assert.equal(lab.restarts('fix-a'), before);
        return said;
      } finally {
        startLabProcess(lab.lab, 'fix-d');
        await ready(lab, 'fix-d', true);
      }
    },
  },
  {
    name: 'abort uncordons, and says what cannot be undone',
    run: async lab => {
      const drain = ['--delete-emptydir-data', '--evict-unmanaged'];
      const file = await lab.plan('aborted', 'restart', 'node/fix-d', '--drain', ...drain, ...QUICK);
      const run = await lab.apply(file, {
        onProgress: (err, child) => {
          if (!child.killed && err.includes('fix-d/drain: ')) child.kill('SIGINT');
        },
      });
      saw(run, 130, /stopped at fix-d\/\S+: .*the same command resumes/);
      assert.ok((await lab.marks('fix-d')).includes('cordoned'));
      const aborted = await lab.oakum(['plan', 'abort', '-f', file], {
        kubeconfig: lab.environment.kubeconfigs['admin'],
      });
      assert.deepEqual(await lab.marks('fix-d'), []);
      return saw(aborted, 0, /fix-d\/drain: CANNOT BE UNDONE: .* fix-d\/cordon: undone/);
    },
  },
];

/** Nothing else may be at work: it takes the API server away from everyone. */
export const serverCheck: ActCheck = {
  name: 'an API server that dies in the middle',
  run: async lab => {
    const file = await lab.plan('dying', 'restart', 'node/fix-b', ...QUICK);
    const before = lab.restarts('fix-b');
    let killed: Promise<void> | undefined;
    const run = await lab.apply(file, {
      onProgress: err => {
        if (err.includes('waits until fix-b is Ready')) killed ??= killProcess(lab.lab, 'apiserver');
      },
    });
    await killed;
    const said = saw(run, 4, /the API server does not answer.*the same command resumes/);
    await restartProcess(lab.lab, 'apiserver');
    await ready(lab, 'fix-b', true);
    saw(await lab.apply(file), 0, /is applied/);
    assert.equal(lab.restarts('fix-b') - before, 1);
    assert.deepEqual(await lab.marks('fix-b'), []);
    // Nodes whose kubelets could not report are marked some time after the server is back; plans stop at one of five.
    for (const node of ['fix-a', 'fix-c', 'fix-d', 'leak-a']) await ready(lab, node, true);
    return `${said.slice(0, 60)}; then resumed, one restart`;
  },
};

async function ready(lab: Acting, node: string, wanted: boolean): Promise<void> {
  await until(async () => {
    const { status } = await lab.get('node', node).catch(() => ({ status: {} }));
    const conditions = (recordOf(status)['conditions'] ?? []) as { type: string; status: string }[];
    return conditions.some(one => one.type === 'Ready' && (one.status === 'True') === wanted);
  });
}
