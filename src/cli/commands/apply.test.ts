import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { memoryIo } from '../../../test/double/memory-io.ts';
import { smallPlan } from '../../../test/double/small-plan.ts';
import { planFile } from '../../act/plan/plan-file.ts';
import { run } from '../run.ts';
import { askYes } from '../commands/apply.ts';

describe('oakum apply and verify', () => {
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'oakum-apply-'));
    const plan = smallPlan();
    writeFileSync(join(folder, 'plan.yaml'), JSON.stringify(planFile(plan)));
    writeFileSync(join(folder, 'changed.yaml'), JSON.stringify({ ...planFile(plan), summary: 'Restart everything.' }));
    writeFileSync(join(folder, 'other.yaml'), 'hello: world\n');
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const said = async (...argv: string[]): Promise<[number, string]> => {
    const io = memoryIo({ cwd: folder, env: { HOME: folder } });
    return [await run(argv, io), io.err()];
  };

  it('say what is wrong with the command line or the plan, before any cluster is asked', async () => {
    const cases: readonly [string[], number, RegExp][] = [
      [['apply'], 2, /no plan given: apply -f plan\.yaml/],
      [['verify'], 2, /no plan given/],
      [['apply', 'node/worker-1', '-f', 'plan.yaml'], 2, /apply takes a plan with -f, not node\/worker-1/],
      [['apply', '-f', 'absent.yaml', '--yes'], 3, /absent\.yaml: no such file/],
      [['apply', '-f', 'other.yaml', '--yes'], 3, /other\.yaml: not a plan/],
      [['apply', '-f', 'changed.yaml', '--yes'], 4, /changed\.yaml: the plan was changed after it was written/],
      [['verify', '-f', 'changed.yaml'], 4, /was changed/],
      [['apply', '-f', 'plan.yaml'], 2, /no terminal to ask on: give --yes, or --dry-run/],
      [['apply', '-f', 'plan.yaml', '--yes'], 3, /there is no kubeconfig/],
    ];
    for (const [argv, code, message] of cases) {
      const [exit, err] = await said(...argv);
      assert.deepEqual([exit, message.test(err)], [code, true], `${argv.join(' ')}: ${exit} ${err}`);
    }
  });

  it('take only the whole word yes for a yes', async () => {
    for (const [typed, expected] of [
      ['yes\n', true],
      ['y\n', false],
      ['', false],
      ['no\nyes\n', false],
    ] as const)
      assert.equal(await askYes('Apply?', memoryIo({ stdin: typed })), expected, typed);
  });
});
