/** Who holds a lock, on dumps of a program that holds one in every wrong way (test/fixtures/captures/locks). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { familiesOf } from '../../evidence/snapshots/families-of.ts';
import { encodeText } from '../../base/text.ts';
import { readPile } from '../../evidence/snapshots/read-pile.ts';
import type { Analysis, Finding } from '../analysis.ts';
import type { PileItem } from '../../evidence/pile.ts';
import { analyzePile } from './analyze-pile.ts';

const CAPTURES = new URL('../../../test/fixtures/captures/locks/', import.meta.url);

async function analyze(bytes: Uint8Array): Promise<Analysis> {
  async function* items(): AsyncGenerator<PileItem> {
    yield { kind: 'member', path: 'locks/goroutine', bytes, mtimeSeconds: undefined, damage: undefined };
  }
  return analyzePile(await readPile(items(), { families: familiesOf }), { catalogue: [] });
}

const capture = (name: string): Promise<Analysis> => {
  const bytes = readFileSync(new URL(name, CAPTURES));
  return analyze(new Uint8Array(name.endsWith('.gz') ? gunzipSync(bytes) : bytes));
};

function locksOf({ findings }: Analysis, name: string, count: number): Finding {
  const found = findings.filter(
    ({ family, count: n }) =>
      family.frames[1] === `main.(*${name}` && family.frames[0].startsWith('sync.') && n === count,
  );
  assert.equal(found.length, 1, name);
  return found[0];
}

describe('the holder of a lock', () => {
  for (const format of ['debug0.pb.gz', 'debug2.txt']) {
    it(`${format}: is past Lock in the same type, and waits for something else`, async () => {
      const { lock } = locksOf(await capture(`goroutine.${format}`), 'Server).handle', 30);
      assert.equal(lock?.kind, 'holder');
      assert.match(
        lock.sentences[1],
        /^likely holder: main\.\(\*Server\)\.flush at locks\/main\.go:25, in chan send \[g-/,
      );
    });
  }

  for (const format of ['debug0.pb.gz', 'debug1.txt', 'debug2.txt']) {
    it(`${format}: is the goroutine itself, another one in a ring, or nobody`, async () => {
      const analysis = await capture(`goroutine.${format}`);
      const sentences = (name: string, count: number): string =>
        locksOf(analysis, name, count).lock?.sentences.join('; ') ?? '';
      const behind = sentences('Cache).get', 3);
      assert.match(
        behind,
        /likely holder: main\.\(\*Cache\)\.refresh .*; deadlocks itself: main\.\(\*Cache\)\.refresh/,
      );
      assert.match(
        sentences('Owner).note', 1),
        /holder: main\.\(\*Owner\)\.close .*; deadlock: that waits for the lock of main\.\(\*Account\), which main\.\(\*Account\)\.pay/,
      );
      assert.match(
        sentences('Index).find', 1),
        /behind a writer: main\.\(\*Index\)\.add .*; deadlock: that waits for the lock of main\.\(\*Index\), which main\.\(\*Index\)\.list/,
      );
      assert.match(sentences('Gate).enter', 4), /the holder returned without unlocking/);
    });
  }

  it('is not guessed where the format does not show what goroutines wait for', async () => {
    const { lock } = locksOf(await capture('goroutine.debug1.txt'), 'Server).handle', 30);
    assert.deepEqual([lock?.kind, lock?.isElsewhere], ['unknown', true]);
  });

  it('was there before the first that waits, and waiting for minutes is suspicious', async () => {
    const analysis = await capture('goroutine-old.debug2.txt.gz');
    assert.equal(analysis.verdict, 'watch');
    const { lock, ledger } = locksOf(analysis, 'Server).handle', 30);
    assert.match(lock?.sentences[1] ?? '', /flush at locks\/main\.go:25, in chan send for \dm/);
    assert.match(ledger.entries[0].sentence, /^they have waited for a lock for \dm/);
    assert.equal(locksOf(analysis, 'Cache).get', 1).lock?.kind, 'self');
  });

  it('is found in time among thousands of stacks of one type', async () => {
    const goroutine = (i: number): string =>
      `goroutine ${i} [sync.Mutex.Lock]:\nsync.(*Mutex).Lock(...)\n\t/go/mutex.go:1 +0x1\nmain.(*T).f${i}()\n\t/t.go:${i} +0x1\nmain.(*T).g${i}()\n\t/t.go:1 +0x1\n`;
    const { findings } = await analyze(encodeText(Array.from({ length: 3000 }, (_, i) => goroutine(i + 1)).join('\n')));
    assert.ok(findings.length > 0);
  });

  it('is not the goroutine that waits for the other lock of the same type', async () => {
    const goroutine = (id: number, state: string, ...calls: readonly string[]): string =>
      [
        `goroutine ${id} [${state}]:`,
        ...calls.flatMap(call => [`${call}(...)`, `\t/src/store/${call.length}.go:7 +0x1`]),
      ].join('\n');
    const { findings } = await analyze(
      encodeText(
        [
          goroutine(1, 'chan receive', 'main.(*Cache).Flush'),
          goroutine(2, 'sync.RWMutex.RLock', 'sync.(*RWMutex).RLock', 'main.(*Cache).refresh', 'main.(*Cache).Update'),
          ...[3, 4].map(id => goroutine(id, 'sync.Mutex.Lock', 'sync.(*Mutex).Lock', 'main.(*Cache).Get')),
          ...[5, 6].map(id => goroutine(id, 'sync.RWMutex.RLock', 'sync.(*RWMutex).RLock', 'main.(*Cache).Peek')),
        ].join('\n\n'),
      ),
    );
    const waiting = findings.filter(({ lock }) => lock !== null);
    const chains = waiting.map(({ family, lock }) => [
      family.frames[1]?.slice('main.(*Cache).'.length),
      lock?.links.map(link => `${link.role} ${link.function.slice('main.(*Cache).'.length)}`),
    ]);
    // What deadlocks itself is listed although it is only one, and comes first, because others wait for it.
    assert.deepEqual(chains, [
      ['refresh', ['self Update']],
      ['Get', ['possible Flush']],
      ['Peek', ['holder Update', 'self Update']],
    ]);
  });
});
