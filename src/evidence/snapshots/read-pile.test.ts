import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import { packTar } from 'modern-tar';
import { gzipSync } from 'node:zlib';
import { RECORDINGS } from '../../../test/places.ts';
import { readPileFiles } from '../io/pile.ts';
import type { Snapshot, SnapshotKind } from './snapshot.ts';
import { type Pile, readPile } from './read-pile.ts';

const LAB = join(RECORDINGS, 'lab');
const CAPTURES = join(RECORDINGS, 'captures');

const read = (...paths: string[]): Promise<Pile> => readPile(readPileFiles(paths), { keepStacks: false });

/** What each file of the recordings is, by the names their makers gave them. */
function expectedKind(path: string): SnapshotKind {
  const name = basename(path);
  if (/\/(?:http|src)\//.test(path)) return 'unknown';
  if (/\.prom\.gz$|^stats-summary/.test(name)) return 'metrics';
  if (/\.jsonl?(?:\.gz)?$/.test(name)) return 'events';
  if (/sigquit/.test(path)) return 'goroutine';
  if (/^goroutineleak\.debug2/.test(name)) return 'goroutine';
  const word = /(?:^|-)(heapgc|heap|allocs|goroutineleak|goroutine|cpu|profile|block|mutex|threadcreate)[-.]/.exec(
    name,
  );
  if (word === null || name === 'README.md') return 'unknown';
  return word[1] === 'profile' ? 'cpu' : word[1] === 'heapgc' ? 'heap' : (word[1] as SnapshotKind);
}

/** A restart of a node's kubelet, in unix seconds. */
const RESTARTS: Readonly<Record<string, number>> = { 'leak-b': 1794772840, 'fix-d': 1794773019 };
const VERSIONS: Readonly<Record<string, string>> = { leak: 'v1.36.0', fix: 'v1.36.3', xctl: 'v1.36.3' };

function show(snapshot: Snapshot): string {
  const { path, kind, format, takenAtSeconds, truncated, isDelta, process } = snapshot;
  const { key, ...rest } = process;
  const name = path.replace(/^.*?\/(?=profiles|once|[^/]*$)/, '');
  return JSON.stringify([name, kind, format, takenAtSeconds, truncated, isDelta, key, rest]);
}

describe('piles', () => {
  it('assigns every file of the recorded cluster', async () => {
    const { snapshots, unread } = await read(LAB);
    assert.deepEqual(unread, []);
    const nodes = readdirSync(LAB).filter(name => /^(?:leak|fix|xctl)-/.test(name));
    for (const snapshot of snapshots) {
      const { path, kind, takenAtSeconds = 0, takenAtFrom, process } = snapshot;
      assert.equal(kind, expectedKind(path), path);
      if (kind === 'unknown' || kind === 'events') continue;
      const named = /-(\d{10})\./.exec(basename(path));
      if (named !== null) assert.ok(Math.abs(takenAtSeconds - Number(named[1])) < 4, `${path}: ${takenAtSeconds}`);
      if (takenAtFrom !== 'file') assert.ok(takenAtSeconds > 1794771900 && takenAtSeconds < 1794774200, path);
      const node = nodes.find(name => path.includes(`/${name}/`));
      if (node === undefined) continue;
      assert.equal(process.target, node);
      assert.equal(process.version, VERSIONS[node.split('-')[0]]);
      assert.equal(process.goVersion, 'go1.26.7');
    }
    for (const node of nodes) {
      const own = snapshots.filter(
        ({ process, kind }) => process.target === node && kind !== 'events' && kind !== 'unknown',
      );
      const lives = [...new Set(own.map(snapshot => snapshot.process.key))];
      const restart = RESTARTS[node];
      assert.equal(lives.length, restart === undefined ? 1 : 2, `${node}: ${lives.join(' ')}`);
      for (const { takenAtSeconds = 0, takenAtFrom, process, path } of own) {
        if (restart === undefined || takenAtFrom === 'file') continue;
        assert.equal(process.key, lives[takenAtSeconds < restart ? 0 : 1], path);
      }
    }
    const etcd = snapshots.filter(({ path }) => path.includes('/etcd-'));
    assert.deepEqual(
      [...new Set(etcd.map(({ process }) => `${process.target} ${process.startTimeSeconds}`))],
      ['etcd 1794771896.65'],
    );
  });

  it('assigns every capture: rounds of one program together, programs apart', async () => {
    const { snapshots, unread, viewGroups } = await read(CAPTURES);
    assert.deepEqual(unread, []);
    for (const { path, kind, isDelta } of snapshots) {
      assert.equal(kind, expectedKind(path), path);
      assert.equal(isDelta, /-delta-/.test(path), path);
    }
    const lives = (part: string): string[] => {
      const own = snapshots.filter(({ path, kind }) => path.includes(part) && kind !== 'unknown');
      return [...new Set(own.map(snapshot => snapshot.process.key))];
    };
    for (const part of ['etcd', 'leaker', 'go1.19/', 'go1.23/', 'go1.26/', 'go1.26-leakexp', 'go1.27/', 'tsgo']) {
      assert.equal(lives(part).length, 1, part);
    }
    assert.equal(lives('programs/kubectl').length, 6, 'six runs of kubectl are six processes');
    assert.equal(lives('/sigquit/').length, 4, 'four programs in one folder');
    const demo = snapshots.find(({ path }) => path.includes('leakdemo/go1.23/t2/goroutine.debug2'));
    assert.equal(demo?.process.goVersion, 'go1.23');
    assert.ok(demo?.takenAtFrom === 'content' && demo.notes.some(note => note.includes('goroutine.debug0.pb.gz')));

    const [leakdemo] = lives('go1.27/');
    const seen = viewGroups.filter(group => group.processKey === leakdemo && group.kind === 'goroutine');
    assert.deepEqual(
      seen.map(group => [group.views.length, group.counted.format]),
      [...Array.from({ length: 5 }, () => [4, 'pprof']), [1, 'debug2']],
    );
  });

  it('reads a folder and its archives alike', async () => {
    const folder = join(LAB, 'fix-d');
    const files = ['profiles', 'once'].flatMap(name => readdirSync(join(folder, name)).map(file => `${name}/${file}`));
    const entries = [...files, 'metrics.prom.gz'].map(name => {
      const body = readFileSync(join(folder, name));
      return {
        header: {
          name: `fix-d/${name}`,
          size: body.length,
          type: 'file' as const,
          mtime: statSync(join(folder, name)).mtime,
        },
        body,
      };
    });
    const scratch = mkdtempSync(join(tmpdir(), 'oakum-read-'));
    try {
      writeFileSync(join(scratch, 'a.tar.gz'), gzipSync(await packTar(entries)));
      const [archived, plain] = [await read(join(scratch, 'a.tar.gz')), await read(folder)];
      const dated = (pile: Pile): string[] =>
        pile.snapshots.filter(one => /profiles|once|\/metrics\.prom/.test(one.path)).map(show);
      assert.deepEqual(dated(archived).sort(), dated(plain).sort());
      assert.ok(dated(plain).length > 40);
    } finally {
      rmSync(scratch, { recursive: true });
    }
  });

  it('skips files that it cannot read and keeps the rest of a cut file', async () => {
    const scratch = mkdtempSync(join(tmpdir(), 'oakum-read-'));
    try {
      const heap = readFileSync(join(CAPTURES, 'programs/etcd/after-load-released/heap.pb.gz'));
      const dump = readFileSync(join(CAPTURES, 'programs/etcd/after-load-released/goroutine.debug2.txt'));
      writeFileSync(join(scratch, 'heap-1.pb.gz'), heap);
      writeFileSync(join(scratch, 'heap-2.pb.gz'), heap.subarray(0, heap.length / 2));
      writeFileSync(join(scratch, 'goroutine-d2.txt.gz'), gzipSync(dump).subarray(0, 3000));
      writeFileSync(join(scratch, 'empty.txt'), '');
      writeFileSync(join(scratch, 'kubelet.log'), 'I1115 19:45:22.123456    1 kubelet.go:1] started\n'.repeat(3));
      const { snapshots, unread } = await read(scratch, join(scratch, 'missing'));
      assert.deepEqual(snapshots.map(({ path, kind }) => `${basename(path)} ${kind}`).sort(), [
        'goroutine-d2.txt.gz goroutine',
        'heap-1.pb.gz heap',
        'kubelet.log events',
      ]);
      assert.ok(snapshots.find(({ kind }) => kind === 'goroutine')?.truncated !== undefined);
      assert.deepEqual(unread.map(({ path }) => basename(path)).sort(), ['empty.txt', 'heap-2.pb.gz', 'missing']);
      for (const { message } of unread) assert.ok(message.length > 0 && !message.includes('\n'), message);
    } finally {
      rmSync(scratch, { recursive: true });
    }
  });
});
