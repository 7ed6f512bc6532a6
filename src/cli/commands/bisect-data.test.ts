import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { memoryIo } from '../../../test/double/memory-io.ts';
import { openFolderStore } from '../watch/open-store.ts';
import { changeText } from '../../watch/incidents/phrases.ts';
import type { Bisection } from '../../judge/bisect/bisection.ts';
import { run } from '../run.ts';

const START = 1_790_000_000;
const HOURS = 72;
const CHANGED_HOURS = 30;
const MB = 1e6;

let root = '';
before(async () => {
  root = mkdtempSync(join(tmpdir(), 'oakum-bisect-data-'));
  await recordRollout(join(root, 'data'));
});
after(() => rmSync(root, { recursive: true, force: true }));

/** 24 nodes; eight of them get v1.36.0 after 30 hours, and grow by 2 MB/h from then on. */
async function recordRollout(folder: string): Promise<void> {
  const store = await openFolderStore(folder);
  for (let hour = 0; hour < HOURS; hour++) {
    for (let node = 0; node < 24; node++) {
      const name = `node/worker-${node}`;
      const hasChanged = node % 3 === 0 && hour >= CHANGED_HOURS;
      store.putTarget(name, { version: hasChanged ? 'v1.36.0' : 'v1.35.7', pool: 'ab'[node % 2], sampled: 'directly' });
      if (node % 3 === 0 && hour === CHANGED_HOURS) {
        const text = changeText({ attribute: 'version', from: 'v1.35.7', to: 'v1.36.0' });
        store.put({ kind: 'event', record: { target: name, at: START + hour * 3600, kind: 'change', text } });
      }
      for (let minute = 0; minute < 60; minute += 15) {
        const at = START + hour * 3600 + minute * 60;
        const age = hour + minute / 60 - CHANGED_HOURS;
        // Noise of its own for each node and hour.
        const noise = 0.3 * MB * Math.sin(node * 12.9 + (hour + minute / 60) * (1 + node / 40));
        store.addSample(name, at, {
          go_gc_heap_live_bytes: 60 * MB + noise + (hasChanged ? 2 * MB * age : 0),
          go_goroutines: 300 + Math.round(3 * Math.sin(node + hour)),
          kubelet_running_pods: 40,
          process_start_time_seconds: hasChanged ? START + CHANGED_HOURS * 3600 : START - 500_000,
        });
      }
    }
  }
  await store.commit();
  await store.maintain(START + HOURS * 3600);
  await store.close();
}

async function bisect(...args: string[]) {
  const io = memoryIo({ cwd: root });
  const code = await run(['bisect', ...args], io);
  return { code, out: io.out(), err: io.err() };
}

describe('oakum bisect --data', () => {
  it('reads the store of a watch that does not run, with its change log', async () => {
    const before = readdirSync(join(root, 'data'));
    const { code, out, err } = await bisect('--data', 'data', '-o', 'json', '--fail-on', 'leak');
    assert.equal(code, 1, err);
    const { sentence, culprits, changes, compared, targetCount } = JSON.parse(out) as Bisection;
    assert.equal(sentence, 'version v1.36.0 comes with a leak');
    assert.equal(targetCount, 24);
    const [culprit] = culprits;
    assert.equal(culprit.leaking.length, 8);
    assert.equal(culprit.controls, 16);
    assert.match(culprit.onset[0].sentence, /change to version v1\.36\.0 on 8 of 8 targets/);
    assert.ok(culprit.known.length > 0, 'kubelets: the catalogue knows leaks of v1.36.0');
    assert.deepEqual(
      changes.map(({ attribute, from, to, targets }) => [attribute, from, to, targets]),
      [['version', 'v1.35.7', 'v1.36.0', 8]],
    );
    assert.deepEqual(
      compared.map(({ attribute }) => attribute),
      ['pool', 'version'],
      'how watch samples is no attribute of a target',
    );
    assert.deepEqual(readdirSync(join(root, 'data')), before, 'nothing is left behind');
  });

  it('judges an earlier moment by what was known then', async () => {
    const at = new Date((START + 28 * 3600) * 1000).toISOString();
    const { sentence, changes, compared } = JSON.parse(
      (await bisect('--data', 'data', '--at', at, '-o', 'json')).out,
    ) as Bisection;
    assert.doesNotMatch(sentence, /v1\.36\.0/);
    assert.deepEqual(changes, []);
    assert.deepEqual(
      compared.map(({ attribute }) => attribute),
      ['pool'],
      'all of them had v1.35.7',
    );
  });

  it('says what is wrong, and makes nothing', async () => {
    const none = await bisect('--data', 'none');
    assert.match(none.err, /no store of oakum watch in none/);
    assert.deepEqual(readdirSync(root), ['data']);
    const store = await openFolderStore(join(root, 'data'));
    try {
      const busy = await bisect('--data', 'data');
      assert.match(busy.err, /data is in use by process \d+.*oakum bisect --watch URL/);
    } finally {
      await store.close();
    }
    assert.match((await bisect('--data', 'data', 'files')).err, /--data takes no paths/);
    assert.match((await bisect('--data', 'data', '--watch', 'http://x')).err, /--(?:data|watch)/);
  });
});
