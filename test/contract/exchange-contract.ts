/** The contract of every Exchange, and of the store of the leader. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { describe, it } from './counted-tests.ts';
import type { ResourceVerdict } from '../../src/judge/detect/detection.ts';
import { EMPTY_UPDATE, type ReplicaUpdate, type SentVerdict, type Exchange } from '../../src/watch/replicas/ports.ts';
import type { WatchStore } from '../../src/store/ports.ts';
import { resource } from '../watch/scripted-node.ts';

export interface ExchangeUnderTest {
  /** A new process. */
  readonly join: () => Exchange;
  /** Everything that was published is so many seconds older. */
  readonly pass: (seconds: number) => Promise<void>;
  /** Loses all updates, as a crash of the database does. */
  readonly loseNews: () => Promise<void>;
  readonly store: WatchStore;
}

export interface ExchangeImplementation {
  readonly name: string;
  readonly skip?: string | undefined;
  readonly make: (t: TestContext) => Promise<ExchangeUnderTest>;
}

const sample = (target: string, at: number, value: number) => ({ target, at, values: { go_goroutines: value } });

/** Fields that are undefined need not arrive. */
const withoutUndefined = (one: ResourceVerdict): ResourceVerdict =>
  Object.fromEntries(Object.entries(one).filter(([, value]) => value !== undefined)) as unknown as ResourceVerdict;

const VERDICT: SentVerdict = {
  target: 'node/a',
  at: 100,
  detected: {
    target: 'node/a',
    verdict: 'watch',
    resources: [withoutUndefined({ ...resource('watch', [3, Infinity]), level: NaN })],
  },
  verdict: { target: 'node/a', verdict: 'leak', resources: [withoutUndefined(resource('leak', [3, 9.5]))] },
  proved: ['live heap'],
};

const FULL: ReplicaUpdate = {
  samples: [sample('node/a', 1, 5), { target: 'node/b', at: 2, values: { x: 0.1, y: -3e300 } }, sample('node/a', 3, 6)],
  attributes: [['node/a', { version: 'v1.36.0', 'gate/X': 'on' }]],
  verdicts: [VERDICT],
  incidents: [
    { id: 'i-1', target: 'node/a', openedAt: 1, closedAt: null, version: 1, document: { notes: ['ä \u2028 "x"'] } },
  ],
  captures: [{ id: 'c-1', target: 'node/a', at: 2, trigger: 'slope', reason: 'r', processStartSeconds: 1, files: [] }],
  silent: [
    ['node/b', 'connection refused'],
    ['node/a', null],
  ],
  cohorts: [],
  requests: [{ id: 'q', target: 'node/b', reason: 'to see' }],
  answers: [{ id: 'p', captureId: 'c-1' }],
};

export function exchangeContract({ name, skip, make }: ExchangeImplementation): void {
  describe(`Exchange: ${name}`, { skip }, () => {
    it('brings everything to every other replica once, in order', async t => {
      const { join } = await make(t);
      const [a, b] = [join(), join()];
      for (const one of [a, b]) assert.deepEqual(await one.read(), { updates: [], isComplete: true });
      await a.publish(FULL);
      for (let at = 10; at < 14; at++) await a.publish({ ...EMPTY_UPDATE, samples: [sample('node/a', at, at)] });
      await b.publish({ ...EMPTY_UPDATE, samples: [sample('node/c', 1, 1)] });
      const read = await b.read();
      assert.equal(read.isComplete, true);
      assert.deepEqual(read.updates[0]?.update, FULL);
      assert.deepEqual(
        read.updates.slice(1).map(({ update }) => update.samples[0]?.at),
        [10, 11, 12, 13],
      );
      assert.deepEqual(await b.read(), { updates: [], isComplete: true });
      assert.deepEqual(
        (await a.read()).updates.map(({ update }) => update.samples[0]?.target),
        ['node/c'],
      );
    });

    it('brings to a new process what was published in the last minutes, and what follows', async t => {
      const { join, pass } = await make(t);
      const a = join();
      await a.publish({ ...EMPTY_UPDATE, samples: [sample('node/a', 1, 1)] });
      await pass(300);
      for (let at = 2; at < 5; at++) await a.publish({ ...EMPTY_UPDATE, samples: [sample('node/a', at, 1)] });
      const late = join();
      const times = async (): Promise<unknown[]> => {
        const { updates, isComplete } = await late.read();
        return [isComplete, ...updates.map(({ update }) => update.samples[0]?.at)];
      };
      assert.deepEqual(await times(), [true, 2, 3, 4]);
      await a.publish({ ...EMPTY_UPDATE, samples: [sample('node/a', 5, 1)] });
      assert.deepEqual(await times(), [true, 5]);
      assert.deepEqual(await times(), [true]);
    });

    it('says if updates are gone before they were read', async t => {
      const { join, loseNews } = await make(t);
      const [a, b] = [join(), join()];
      await a.read();
      await b.read();
      await a.publish({ ...EMPTY_UPDATE, samples: [sample('node/a', 1, 1)] });
      await loseNews();
      await a.publish({ ...EMPTY_UPDATE, samples: [sample('node/a', 2, 1)] });
      assert.equal((await b.read()).isComplete, false);
      await a.publish({ ...EMPTY_UPDATE, samples: [sample('node/a', 3, 1)] });
      const { updates, isComplete } = await b.read();
      assert.deepEqual([updates.length, isComplete], [1, true]);
    });

    it('keeps the last verdict on each target', async t => {
      const { join } = await make(t);
      const [a, b] = [join(), join()];
      await a.putVerdicts([VERDICT, { ...VERDICT, target: 'node/b' }]);
      await b.putVerdicts([{ ...VERDICT, at: 200, proved: [] }]);
      const found = (await verdictsSince(a, -Infinity)).sort((x, y) => (x.target < y.target ? -1 : 1));
      assert.deepEqual(found, [
        { ...VERDICT, at: 200, proved: [] },
        { ...VERDICT, target: 'node/b' },
      ]);
      assert.deepEqual(
        (await verdictsSince(b, 150)).map(({ target }) => target),
        [VERDICT.target],
      );
      assert.deepEqual(await verdictsSince(b, 200), []);
    });

    it('gives all verdicts of a large fleet, each once', async t => {
      const { join } = await make(t);
      const names = Array.from({ length: 1200 }, (_, i) => `node/${i}`);
      const a = join();
      await a.putVerdicts(names.map(target => ({ ...VERDICT, target })));
      assert.deepEqual((await verdictsSince(a, -Infinity)).map(({ target }) => target).sort(), names.sort());
    });

    it('lets one replica at a time take a capture of a target, until it is done or too long', async t => {
      const { join } = await make(t);
      const [a, b] = [join(), join()];
      const claims = await Promise.all([a.claimCapture('node/a', 300), b.claimCapture('node/a', 300)]);
      assert.deepEqual([...claims].sort(), [false, true]);
      const [holder, other] = claims[0] ? [a, b] : [b, a];
      assert.equal(await other.claimCapture('node/b', 300), true);
      assert.equal(await holder.claimCapture('node/a', 300), true, 'its own');
      await other.releaseCapture('node/a');
      assert.equal(await other.claimCapture('node/a', 300), false, 'only the holder releases it');
      await holder.releaseCapture('node/a');
      assert.equal(await other.claimCapture('node/a', -1), true);
      assert.equal(await holder.claimCapture('node/a', 300), true, 'the claim has run out');
    });

    it('refuses what a leader of an earlier term writes, as a whole', async t => {
      const { join, store } = await make(t);
      const [first, second] = [join().lead(3), join().lead(4)];
      const incident = { id: 'c-1', target: 'version x', openedAt: 1, closedAt: null, version: 1001, document: {} };
      const told = (value: string) => ({ kind: 'setting', record: { key: 'told', value } }) as const;
      assert.ok(first.put({ kind: 'incident', record: incident }) && first.put(told('by 3')));
      assert.equal(await first.commit(), 'committed');
      assert.equal((await store.records({ kind: 'setting', id: 'told' }))[0]?.value, 'by 3');
      assert.equal(await second.commit(), 'committed', 'it leads before it writes anything');
      first.put(told('by 3 again'));
      first.put({ kind: 'incident', record: { ...incident, id: 'c-2' } });
      first.put({ kind: 'plan-log', record: { planId: 'p', number: 1 } as never });
      assert.equal(await first.commit(), 'stale');
      assert.equal(await first.commit(), 'stale', 'now and later');
      second.put(told('by 4'));
      assert.equal(await second.commit(), 'committed');
      assert.equal((await store.records({ kind: 'setting', id: 'told' }))[0]?.value, 'by 4');
      assert.deepEqual(
        (await store.records({ kind: 'incident' })).map(({ id }) => id),
        ['c-1'],
      );
      assert.deepEqual(await store.records({ kind: 'plan-log', id: 'p' }), []);
    });
  });
}

async function verdictsSince(exchange: Exchange, since: number): Promise<SentVerdict[]> {
  const all: SentVerdict[] = [];
  for await (const some of exchange.verdicts(since)) all.push(...some);
  return all;
}
