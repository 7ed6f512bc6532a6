import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { RECORDINGS } from '../../../test/places.ts';
import type { CycleReport, OomCycle } from '../../evidence/cycle/cycle.ts';
import { memoryIo } from '../../../test/double/memory-io.ts';
import { run } from '../run.ts';

const LAB = join(RECORDINGS, 'lab');

const KILL =
  'Memory cgroup out of memory: Killed process 989 (kubelet) total-vm:9kB, anon-rss:1000000kB, file-rss:0kB, shmem-rss:0kB';

async function cyclesIn(...argv: string[]): Promise<readonly OomCycle[]> {
  const io = memoryIo({ cwd: LAB });
  assert.equal(await run(['cycle', ...argv, '-o', 'json'], io), 0, io.err());
  return (JSON.parse(io.out()) as CycleReport).cycles;
}

describe('oakum cycle on the recorded cluster', () => {
  /** When a kubelet was really killed, from the recorder's own note. */
  const killedAt = (node: string): number => {
    const lines = readFileSync(join(LAB, 'timeline.jsonl'), 'utf8').split('\n');
    const line = lines.find(text => text.includes('"kubelet-restart"') && text.includes(`"${node}"`));
    return (JSON.parse(line ?? '{}') as { killed_at: number }).killed_at;
  };

  for (const node of ['leak-b', 'fix-d']) {
    it(`${node}: killed, a storm of some 50 s, recovered; no OOM and no reboot`, async () => {
      const [cycle, ...rest] = (await cyclesIn(node, 'control-plane')).filter(({ target }) => target === node);
      assert.deepEqual(rest, []);
      assert.equal(cycle.stage, 'recovered');
      assert.deepEqual(
        cycle.deaths.map(({ cause }) => cause),
        ['unknown'],
      );
      const of = (stage: string) => cycle.timeline.find(event => event.stage === stage);
      const seconds = (of('killed')?.atSeconds ?? 0) - killedAt(node);
      assert.ok(seconds >= 0 && seconds < 10, `told ${seconds} s after the kill`);
      const storm = of('storm');
      assert.match(storm?.text ?? '', /1,7\d\d API requests in (?:48|49)s \(58\/s at most, 0\.1\/s before\)/);
      assert.match(cycle.reasons.join('\n'), /1 restart of the kubelet alone: the node did not reboot/);
    });
  }

  it('the nodes that kept running are healthy, whatever they leak', async () => {
    const nodes = ['leak-a', 'leak-d', 'fix-a', 'fix-b', 'fix-e', 'xctl-fl'];
    const cycles = await cyclesIn(...nodes);
    assert.deepEqual(
      cycles.map(({ target }) => target),
      [...nodes].sort(),
    );
    for (const { stage, target } of cycles) assert.equal(stage, 'healthy', target);
  });

  it('events alone show the restarts, too', async () => {
    const cycles = await cyclesIn('control-plane/end/events.json.gz');
    const restarted = cycles.filter(({ deaths }) => deaths.length > 0).map(({ target }) => target);
    assert.deepEqual(restarted.sort(), ['fix-d', 'leak-b']);
  });
});

describe('oakum cycle', () => {
  const withFile = async (content: string, run: (path: string) => Promise<void>): Promise<void> => {
    const folder = await mkdtemp(join(tmpdir(), 'oakum-cycle-'));
    try {
      await writeFile(join(folder, 'kern.log'), content);
      await run(join(folder, 'kern.log'));
    } finally {
      await rm(folder, { recursive: true });
    }
  };

  it('reads stdin as -', async () => {
    const io = memoryIo({ stdin: `2026-11-15T07:12:25+0000 worker-17 kernel: ${KILL}\n` });
    assert.equal(await run(['cycle', '-'], io), 0);
    assert.match(
      io.out(),
      /^KILLED {5}worker-17: the kubelet was OOM-killed at 2026-11-15T07:12:25Z \(memcg OOM, pid 989/,
    );
    assert.match(io.out(), /\[-:1\]/);
  });

  it('--zone and --target', async () => {
    await withFile(`Nov 15 09:12:25 worker-17 kernel: ${KILL}\n`, async path => {
      const io = memoryIo();
      assert.equal(await run(['cycle', path, '--zone', '+02:00', '--target', 'node/worker-17'], io), 0);
      assert.match(io.out(), /T07:12:25Z/);
      const none = memoryIo();
      assert.equal(await run(['cycle', path, '--target', 'worker-18'], none), 2);
      assert.match(none.err(), /no target worker-18: the targets are worker-17/);
    });
  });

  it('exits 3 with a message if nothing shows a cycle, and names a missing file', async () => {
    await withFile('all is well\n', async path => {
      const io = memoryIo();
      assert.equal(await run(['cycle', path, `${path}.gone`], io), 3);
      assert.equal(io.out(), '');
      assert.match(io.err(), /kern\.log\.gone: no such file/);
      assert.match(io.err(), /nothing here shows an OOM cycle/);
    });
  });

  it('explains wrong arguments', async () => {
    for (const [argv, problem] of [
      [[], /no files given/],
      [['x', '-o', 'yaml'], /--output takes text or json, not yaml/],
      [['x', '--zone', 'CEST'], /--zone takes an offset such as \+02:00, not CEST/],
      [['x', '--color', 'pink'], /--color takes/],
      [['x', '--process', ''], /--process takes a name, not ""/],
    ] as const) {
      const io = memoryIo();
      assert.equal(await run(['cycle', ...argv], io), 2);
      assert.match(io.err(), problem);
    }
  });

  it('text from logs cannot move the cursor', async () => {
    const io = memoryIo({
      stdin: `2026-11-15T07:12:25Z h\x1b[31m kernel: ${KILL.replace('kubelet', 'a\x1b[2J\u202eb')}\n`,
    });
    assert.equal(await run(['cycle', '-'], io), 0);
    assert.doesNotMatch(io.out(), /[\x1b\u202e]/);
  });
});
