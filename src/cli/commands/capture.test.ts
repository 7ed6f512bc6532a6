import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { filePile } from '../../evidence/io/pile.ts';
import { readPile } from '../../evidence/snapshots/read-pile.ts';
import type { CaptureManifest } from '../../evidence/capture.ts';
import { type ClusterDouble, startCluster } from '../../../test/double/cluster-double.ts';
import { hang, slowDrip } from '../../../test/double/faults.ts';
import { memoryIo } from '../../../test/double/memory-io.ts';
import { OAKUM } from '../../../test/places.ts';
import { until } from '../../../test/until.ts';
import { run } from '../run.ts';
import { EXIT } from '../../base/errors.ts';

const folder = mkdtempSync(join(tmpdir(), 'oakum-capture-'));
let cluster: ClusterDouble;

before(async () => {
  cluster = await startCluster();
});
after(async () => {
  await cluster.close();
  rmSync(folder, { recursive: true, force: true });
});

function manifestOf(dir: string): CaptureManifest {
  return JSON.parse(readFileSync(join(folder, dir, 'MANIFEST.json'), 'utf8')) as CaptureManifest;
}

/** Connects to the kubelet itself: a child process starts sooner without a kubeconfig. */
function kubeletArgs(dir: string): string[] {
  const credentials = ['--token-file', cluster.tokenFile('admin'), '--certificate-authority', cluster.caFile];
  // A machine under load may be slow; a request that hangs must not end before the test has seen it.
  const patience = ['--request-timeout', '1h'];
  return ['capture', cluster.kubelet, '-o', join(folder, dir), '--gap', '0', ...credentials, ...patience];
}

describe('oakum capture', () => {
  it('writes files that match the manifest in size and digest, and that analyze reads', async () => {
    const io = memoryIo({ cwd: folder });
    const args = ['node/worker-17', '-o', 'whole', '--gap', '1s', '--kubeconfig', cluster.kubeconfig('admin')];
    assert.equal(await run(['capture', ...args], io), EXIT.done, io.err());
    assert.match(io.err(), /^Plan for node\/worker-17, through the API server/);
    assert.match(io.out(), /9 files.*\nFILE/);
    const { entries, processStartSeconds } = manifestOf('whole');
    assert.equal(entries.length, 9);
    for (const { file, bytes, sha256 } of entries) {
      const content = readFileSync(join(folder, 'whole', file ?? ''));
      assert.equal(content.length, bytes);
      assert.equal(createHash('sha256').update(content).digest('hex'), sha256);
    }
    assert.equal(processStartSeconds[0], processStartSeconds[1]);

    const { snapshots } = await readPile(filePile({ limits: { maxBytes: 2 ** 28 } }).read([join(folder, 'whole')]));
    const observed = snapshots.filter(({ kind }) => kind !== 'events');
    assert.deepEqual([...new Set(observed.map(({ process }) => process.key))].length, 1, 'all of one process');
    for (const { process, takenAtSeconds } of observed) {
      assert.deepEqual([process.target, process.version], ['worker-17', 'v1.36.0']);
      // By the target's clock, even if it differs from ours.
      assert.ok(takenAtSeconds !== undefined && Math.abs(takenAtSeconds - 1_794_773_190) < 1000, `${takenAtSeconds}`);
    }
    const analysis = memoryIo({ cwd: folder });
    assert.equal(await run(['analyze', 'whole'], analysis), EXIT.done);
    assert.match(analysis.out(), /worker-17 leaks live heap[^]*kubernetes#139823,\s+confirmed/);
  });

  it('prints the plan and requests nothing with --dry-run', async () => {
    const io = memoryIo({ cwd: folder });
    const before = cluster.requests.length;
    assert.equal(await run(['capture', 'node/worker-17', '-o', 'dry', '--dry-run', '--cpu', '10'], io), EXIT.done);
    assert.match(io.out(), /cpu +\/debug\/pprof\/profile\?seconds=10 +100 samples a second/);
    assert.match(io.out(), /and again after 5m: metrics, goroutine, goroutine-d1, heap/);
    assert.equal(cluster.requests.length, before);
    assert.ok(!existsSync(join(folder, 'dry')));
  });

  it('explains wrong arguments', async () => {
    const cases: readonly (readonly [string[], RegExp])[] = [
      [[], /no target given/],
      [['worker-17'], /did you mean node\/worker-17\?/],
      [['node/a', '--gap', 'soon'], /--gap takes a time such as 5m, or 0, not soon/],
      [['node/a', '--cpu', '60'], /--cpu above 30 s needs --force/],
      [['node/a', '--also', 'cmdline'], /--also takes one or more of .*, not cmdline/],
      [['node/a', '--direct', '--as', 'bob'], /a kubelet does not know --as/],
      [['http://a', '--direct'], /--direct is for nodes/],
    ];
    for (const [args, problem] of cases) {
      const io = memoryIo({ cwd: folder });
      assert.equal(await run(['capture', ...args], io), EXIT.usage, args.join(' '));
      assert.match(io.err(), problem);
    }
  });
});

describe('a capture in its own process', () => {
  it('keeps what was taken on Ctrl-C, and the same command resumes', async () => {
    cluster.fault('/debug/pprof/heap', slowDrip());
    const child = start(kubeletArgs('stopped'));
    await untilTaken('stopped', 3);
    child.process.kill('SIGINT');
    assert.equal(await child.exit, EXIT.interrupted, child.err());
    assert.match(child.err(), /stopped; 3 files were kept, and the same command with -o .*stopped resumes/);
    assert.deepEqual(kinds('stopped'), ['goroutine', 'goroutine-d1', 'metrics']);
    cluster.fault('/debug/pprof/heap', undefined);
    const again = start(kubeletArgs('stopped'));
    assert.equal(await again.exit, EXIT.done, again.err());
    assert.match(again.err(), /resuming: 3 files are already there/);
    assert.deepEqual(kinds('stopped'), ['goroutine', 'goroutine-d1', 'goroutine-d2', 'heap', 'metrics']);
  });

  it('keeps what was taken when it is killed, and no other capture writes there meanwhile', async () => {
    cluster.fault('/debug/pprof/heap', hang());
    const child = start(kubeletArgs('killed'));
    await untilTaken('killed', 3);
    const second = memoryIo({ cwd: folder });
    assert.equal(await run(kubeletArgs('killed'), second), EXIT.usage);
    assert.match(second.err(), /killed is being written to by process \d+/);
    child.process.kill('SIGKILL');
    await child.exit;
    cluster.fault('/debug/pprof/heap', undefined);
    assert.equal(manifestOf('killed').endedAtSeconds, undefined);
    const again = start(kubeletArgs('killed'));
    assert.equal(await again.exit, EXIT.done, again.err());
    assert.match(again.err(), /resuming: 3 files/);
    assert.deepEqual(kinds('killed'), ['goroutine', 'goroutine-d1', 'goroutine-d2', 'heap', 'metrics']);
  });

  it('keeps what was taken when the disk is full', async test => {
    const disk = smallDisk();
    if (disk === undefined) return test.skip('only root can mount a small file system');
    try {
      const [command, target, , , ...rest] = kubeletArgs('');
      const child = start([command, target, '-o', join(disk, 'out'), ...rest]);
      assert.equal(await child.exit, EXIT.actionFailed, child.err());
      assert.match(child.err(), /the disk is full; free some space.*; 3 files were kept/);
      const files = readdirSync(join(disk, 'out'));
      assert.equal(files.length, 4, `three files and the manifest, not ${files.join(' ')}`);
    } finally {
      execFileSync('umount', [disk]);
    }
  });

  /** Room for 64 KiB: the heap profile is larger. */
  function smallDisk(): string | undefined {
    const path = join(folder, 'disk');
    mkdirSync(path);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', path], { stdio: 'ignore' });
      return path;
    } catch {
      return undefined;
    }
  }

  function kinds(dir: string): string[] {
    return manifestOf(dir)
      .entries.map(({ kind }) => kind)
      .sort();
  }

  async function untilTaken(dir: string, count: number): Promise<void> {
    const path = join(folder, dir, 'MANIFEST.json');
    await until(() => existsSync(path) && manifestOf(dir).entries.length >= count);
  }

  interface Child {
    readonly process: ChildProcess;
    readonly exit: Promise<number | null>;
    readonly err: () => string;
  }

  function start(args: readonly string[]): Child {
    const child = spawn(process.execPath, [OAKUM, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
    let text = '';
    child.stderr.on('data', chunk => (text += String(chunk)));
    return { process: child, exit: new Promise(resolve => child.on('close', resolve)), err: () => text };
  }
});
