import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { makeSandbox, type Sandbox } from '../../../test/docs/sandbox.ts';
import { type ClusterDouble, startCluster } from '../../../test/double/cluster-double.ts';
import { memoryIo } from '../../../test/double/memory-io.ts';
import { readToAct } from '../../../test/double/small-plan.ts';
import { stepsOf } from '../../act/plan/derive-plan.ts';
import { run } from '../run.ts';

let cluster: ClusterDouble;
let sandbox: Sandbox;
before(async () => {
  cluster = await startCluster({ clock: 'ours' });
  sandbox = await makeSandbox();
});
after(async () => {
  await cluster.close();
  sandbox.remove();
});

async function plan(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  return planAs('admin', ...argv);
}

async function planAs(
  user: 'admin' | 'metrics-only',
  ...argv: string[]
): Promise<{ code: number; out: string; err: string }> {
  const io = memoryIo({ cwd: sandbox.folder });
  const code = await run(['plan', ...argv, '--kubeconfig', cluster.kubeconfig(user)], io);
  return { code, out: io.out(), err: io.err() };
}

const FROM = ['--from', './worker-17/'];

describe('oakum plan', () => {
  it('writes a plan that apply can read, from saved evidence', async () => {
    const { code, out, err } = await plan('restart', 'node/worker-17', ...FROM, '-o', 'plan.yaml');
    assert.equal(err, '');
    assert.equal(code, 0);
    assert.match(out, /^Restart|^Have the kubelet of node worker-17 restarted/);
    assert.match(out, /Upgrade first \(worker-17\): kubernetes#139823 is fixed in 1\.36\.3/);
    assert.match(out, /no pod blinks: from 1\.35 on/);
    assert.match(out, /Next: oakum apply -f plan\.yaml/);
    const made = readToAct(readFileSync(join(sandbox.folder, 'plan.yaml')));
    assert.equal(made.why[0]?.verdict, 'leak');
    assert.equal(made.why[0]?.evidence?.isReadable, true);
    assert.ok((made.why[0]?.evidence?.bytes ?? 0) > 1000);
    assert.equal(made.cluster.uid, 'c1e5ba5e-0000-4000-8000-000000000001');
    assert.doesNotMatch(out, /you may not/);
    assert.ok(made.waves[0]?.nodes[0]?.verification.before.processStartSeconds);
    assert.deepEqual(
      cluster.requests.filter(request => !/^(?:GET|POST \/apis\/auth(?:orization|entication))/.test(request)),
      [],
    );
  });

  it('asks the server about every eviction of a drain, by dry run only', async () => {
    const { code, out } = await plan('drain', 'node/worker-17', ...FROM);
    assert.equal(code, 0);
    const made = readToAct(Buffer.from(out));
    const drain = stepsOf(made).find(({ kind }) => kind === 'drain');
    assert.ok(drain?.call.kind === 'drain');
    assert.deepEqual(
      drain.call.pods.map(({ name, act, dryRun }) => `${name} ${act} ${dryRun}`),
      ['web-0 evict allowed', 'web-1 evict refused', 'cni-x leave not-asked', 'static leave not-asked'],
    );
    assert.match(
      made.warnings.join('\n'),
      /eviction of shop\/web-1 is refused now: The disruption budget web-pdb needs 2 healthy pods.*shop\/web-pdb frees when 1 more pod is Ready/,
    );
  });

  it('leaves a node out without a verdict, with evidence of another node, and without such a node', async () => {
    for (const [argv, why] of [
      [['restart', 'node/worker-17'], /worker-17 is left out: nothing says that it leaks; run oakum triage/],
      [
        ['restart', 'node/worker-17', '--from', './healthy/'],
        /left out: (?:nothing says that it leaks|its verdict is)/,
      ],
      [['restart', 'node/ghost', ...FROM], /ghost is left out: there is no such node/],
    ] as const) {
      const { code, err, out } = await plan(...argv);
      assert.match(err, why);
      assert.equal(code, 4);
      assert.equal(out, '');
    }
    const { code, out } = await plan('restart', 'node/worker-17', '--force', 'a drill');
    assert.equal(code, 0);
    assert.match(out, /forcedBecause: a drill/);
  });

  it('says which rights are missing, and writes nothing when it may not read', async () => {
    const { code, err, out } = await planAs('metrics-only', 'restart', 'node/worker-17', ...FROM);
    assert.equal(code, 3);
    assert.match(err, /the pods of worker-17 cannot be listed/);
    assert.equal(out, '');
  });

  it('plans for every leaking node of a selector', async () => {
    const { code, out } = await plan('cordon', '--all-leaking', ...FROM, '-l', 'topology.kubernetes.io/zone=eu-1a');
    assert.equal(code, 0);
    assert.match(out, /Cordon node worker-17/);
    const none = await plan('cordon', '--all-leaking', '--from', './healthy/');
    assert.match(none.err, /no node leaks, by what --from says/);
    assert.equal(none.code, 3);
  });

  it('prints a systemd drop-in, with what it does not cure', async () => {
    const { code, out } = await plan('limit', 'node/worker-17', '--memory', '2Gi', ...FROM);
    assert.equal(code, 0);
    assert.match(out, /^# \/etc\/systemd\/system\/kubelet\.service\.d\/90-oakum\.conf on worker-17/);
    assert.match(out, /\[Service\]\nEnvironment=GOMEMLIMIT=1740MiB\nMemoryMax=2048M\n/);
    assert.match(out, /# - it does not cure a leak/);
    assert.doesNotMatch(out, /^MemoryHigh/m);
  });

  for (const [argv, why] of [
    [[], /plan needs one of restart, cordon, drain, replace, limit, approve, abort/],
    [['approve'], /approve takes a plan: plan approve -f plan\.yaml/],
    [['reboot', 'node/a'], /there is no plan reboot/],
    [['restart'], /no node given/],
    [['restart', 'pod/a/b:1'], /only nodes can be planned for/],
    [['restart', 'node/a', '--command', 'ssh {node}'], /--command is for --via command/],
    [['restart', 'node/a', '--via', 'command', '--command', 'ssh x'], /it names no node/],
    [['restart', 'node/a', '--via', 'command', '--command', 'ssh {host}'], /\{host\} is not known/],
    [['restart', 'node/a', '--via', 'command', '--command', 'ssh "{node}'], /a quote is not closed/],
    [['restart', 'node/a', '--image', 'x'], /--image is for --via pod/],
    [['restart', 'node/a', '--all-leaking', '--from', 'x'], /exclude each other/],
    [['restart', 'node/a', '--force', ''], /--force takes/],
    [['limit', 'node/a'], /needs --memory/],
    [['abort'], /no plan given/],
    [['abort', 'node/a', '-f', 'p'], /abort takes a plan with -f, or --node NAME/],
    [['abort', '--node', '../x'], /is not the name of a node/],
    [['restart', 'node/a', '--node', 'b'], /--node is for plan abort/],
    [['restart', 'node/a', '-f', 'p'], /-f is for plan approve and abort/],
    [['limit', 'node/a', '--memory', '1Mi'], /needs at least 256 MiB/],
    [['restart', 'node/a', '--lock-namespace', '../x'], /is not a namespace/],
  ] as const)
    it(`refuses ${argv.join(' ') || 'nothing'}`, async () => {
      const { code, err } = await plan(...argv);
      assert.match(err, why);
      assert.equal(code, 2);
    });

  it('says what is wrong with a source', async () => {
    const { code, err } = await plan('restart', 'node/worker-17', '--from', './nowhere');
    assert.match(err, /nowhere: no such file or directory/);
    assert.equal(code, 3);
  });
});
