/** `--via pod`: the pod as the real API server takes it, under Pod Security admission. */
import assert from 'node:assert/strict';
import { listOf, recordOf, textOf, type JsonRecord } from '../../../src/base/json.ts';
import { restartProcess } from '../../../lab/control.ts';
import { saw } from '../check.ts';
import { type ActCheck, QUICK } from './acting.ts';

export const podChecks: readonly ActCheck[] = [
  {
    name: '--via pod: privileged namespace',
    run: async lab => {
      await lab.kubectl('label', 'namespace', 'oakum', 'pod-security.kubernetes.io/enforce=privileged', '--overwrite');
      const file = await lab.plan('pod', 'restart', 'node/fix-b', '--via', 'pod', '--image', 'lab/app:1', ...QUICK);
      let seen: JsonRecord | undefined;
      let restarted: Promise<void> | undefined;
      // The runtime is a fake: what the pod would do is done for it once the pod is there.
      const act = async (): Promise<void> => {
        for (let attempt = 0; seen === undefined && attempt < 60; attempt++) {
          const [pod] = listOf((await lab.get('pods', '-n', 'oakum'))['items']).map(recordOf);
          seen = pod;
        }
        await restartProcess(lab.lab, 'fix-b');
      };
      const run = await lab.apply(file, {
        args: ['--image', 'lab/app:1'],
        onProgress: err => {
          if (err.includes('privileged pod')) restarted ??= act();
        },
      });
      await restarted;
      saw(run, 0, /is applied/);
      const spec = recordOf(seen?.['spec']);
      const [container] = listOf(spec['containers']).map(recordOf);
      assert.equal(spec['nodeName'], 'fix-b');
      assert.equal(spec['hostPID'], true);
      assert.equal(spec['restartPolicy'], 'Never');
      assert.equal(recordOf(container?.['securityContext'])['privileged'], true);
      const command = [...listOf(container?.['command']), ...listOf(container?.['args'])].map(textOf).join(' ');
      assert.match(command, /--no-block/);
      assert.deepEqual(listOf((await lab.get('pods', '-n', 'oakum'))['items']), [], 'the pod was left');
      return `${command} on ${textOf(spec['nodeName'])}; removed afterwards`;
    },
  },
  {
    name: '--via pod: restricted namespace',
    run: async lab => {
      await lab.kubectl('label', 'namespace', 'oakum', 'pod-security.kubernetes.io/enforce=privileged', '--overwrite');
      const file = await lab.plan(
        'restricted',
        'restart',
        'node/fix-b',
        '--via',
        'pod',
        '--image',
        'lab/app:1',
        ...QUICK,
      );
      await lab.kubectl('label', 'namespace', 'oakum', 'pod-security.kubernetes.io/enforce=restricted', '--overwrite');
      try {
        const said = saw(
          await lab.apply(file, { args: ['--image', 'lab/app:1'] }),
          4,
          /the namespace oakum enforces the Pod Security level restricted/,
        );
        assert.deepEqual(await lab.marks('fix-b'), []);
        return said;
      } finally {
        await lab.kubectl('label', 'namespace', 'oakum', 'pod-security.kubernetes.io/enforce-');
      }
    },
  },
];
