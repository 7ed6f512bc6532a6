/** Real dumps: every stack has a cause, healthy processes have benign ones, planted leaks have the right one. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { decodeProfile } from '../profile/formats/pprof/decode.ts';
import { familiesOfHeap } from '../profile/families/heap-families.ts';
import { normaliseFrame } from '../profile/families/normalise.ts';
import { keyNames } from '../profile/families/stack-key.ts';
import { RECORDINGS } from '../../test/places.ts';
import { causeOf } from './cause-of.ts';

interface Tally {
  readonly goroutines: number;
  readonly byCause: ReadonlyMap<string, number>;
  readonly notBenign: readonly string[];
}

/** A debug=2 dump, read goroutine by goroutine without the real parser. */
function tally(path: string): Tally {
  const bytes = readFileSync(path);
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  const byCause = new Map<string, number>();
  const notBenign: string[] = [];
  let goroutines = 0;
  for (const block of text.split('\n\n')) {
    const [head, ...rest] = block.split('\n');
    const header = /^goroutine \d+.*?\[([^\],]*)(?:, (\d+) minutes)?/.exec(head);
    if (header === null) continue;
    goroutines++;
    const calls = rest.filter(line => line !== '' && !line.startsWith('\t'));
    const names = calls.filter(line => !line.startsWith('created by ')).map(line => normaliseFrame(line));
    const creator = calls.find(line => line.startsWith('created by '))?.slice(11);
    const minutes = Number(header[2] ?? 0);
    const cause = causeOf({
      kind: 'goroutine',
      frames: keyNames(names),
      states: new Map([[header[1].replace(' (leaked)', ''), 1]]),
      creators: new Map(creator === undefined ? [] : [[normaliseFrame(creator.replace(/ in goroutine \d+$/, '')), 1]]),
      waitMinutes: minutes === 0 ? undefined : { median: minutes, max: minutes },
    });
    const id = cause?.id ?? '';
    byCause.set(id, (byCause.get(id) ?? 0) + 1);
    if (cause?.benign !== true) notBenign.push(`${id}: ${names.slice(0, 3).join(' < ')}`);
  }
  return { goroutines, byCause, notBenign };
}

/** The last recorded file whose name begins with `prefix`. */
function lastFile(folder: string, prefix: string): string {
  const names = readdirSync(folder).filter(name => name.startsWith(prefix));
  return join(folder, names.sort()[names.length - 1]);
}

describe('causes of real dumps', () => {
  for (const node of ['leak-a', 'leak-d', 'fix-a', 'fix-b']) {
    const path = lastFile(join(RECORDINGS, 'lab', node, 'profiles'), 'goroutine-d2-');
    it(`kubelet ${node}: goroutines follow the pods and none is a finding`, () => {
      const { goroutines, byCause, notBenign } = tally(path);
      const of = (id: string): number => byCause.get(id) ?? 0;
      assert.ok(of('pod-worker-idle') >= 40 && of('probe-worker-idle') >= 8, [...byCause].join(' '));
      assert.ok(of('watch-decoder') > 0 && of('reflector') > 0 && of('kubelet-object-cache') > 0);
      assert.ok(of('informer-handler') > 0 && of('kubelet-sync-loop') === 1 && of('pleg-loop') > 0);
      assert.ok(notBenign.length / goroutines < 0.03, notBenign.join('\n'));
    });
  }

  for (const program of ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'etcd']) {
    const path = join(RECORDINGS, 'lab/control-plane/end', `${program}-goroutine-d2.txt.gz`);
    it(`${program}: healthy, so nearly every cause is benign`, () => {
      const { goroutines, byCause, notBenign } = tally(path);
      assert.ok(notBenign.length / goroutines < 0.1, notBenign.join('\n'));
      assert.ok((byCause.get('') ?? 0) <= 2);
    });
  }

  const leaker = join(RECORDINGS, 'captures/programs/leaker/2-10k/goroutine.debug2.txt');
  it('a program with planted leaks: each has its cause', () => {
    const { byCause } = tally(leaker);
    const planted = {
      select: 3000,
      'chan-receive': 2000,
      cond: 1000,
      'chan-send': 1000,
      mutex: 1000,
      'wait-group': 1000,
      'connection-read': 1100,
      sleep: 500,
      'nil-channel': 500,
    };
    for (const [id, count] of Object.entries(planted)) {
      assert.ok((byCause.get(id) ?? 0) >= count && (byCause.get(id) ?? 0) <= count + 3, `${id} ${byCause.get(id)}`);
    }
  });

  for (const go of ['go1.19', 'go1.23', 'go1.26', 'go1.27']) {
    const path = join(RECORDINGS, 'captures/leakdemo', go, 't3/goroutine.debug2.txt');
    it(`the same program built with ${go}: the same causes`, () => {
      const { byCause } = tally(path);
      const of = (id: string): number => byCause.get(id) ?? 0;
      assert.ok(of('chan-send') >= 50 && of('select') >= 50 && of('chan-receive') >= 350, [...byCause].join(' '));
      assert.deepEqual([of('mutex'), of('wait-group'), of('cond'), of('nil-channel')], [8, 4, 4, 4]);
    });
  }

  for (const node of ['leak-a', 'leak-b', 'fix-a']) {
    const path = lastFile(join(RECORDINGS, 'lab', node, 'profiles'), 'heap-');
    it(`heap of ${node}: contexts of pod syncs ${node.startsWith('leak') ? 'dominate' : 'do not'}`, () => {
      const heap = familiesOfHeap(decodeProfile(gunzipSync(readFileSync(path))));
      let contexts = 0;
      for (const count of heap.counts) {
        const cause = causeOf({ ...count, kind: count.family.kind, frames: count.family.frames });
        if (cause?.id === 'context-pod-sync') contexts += count.bytes;
      }
      const share = contexts / heap.total;
      assert.ok(node.startsWith('leak') ? share > 0.4 : share < 0.2, `${share}`);
    });
  }
});
