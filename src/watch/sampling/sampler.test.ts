import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { offsetOf, Sampler, type SamplerOptions } from './sampler.ts';
import { clusterOf, inCluster } from '../../evidence/target.ts';
import { SimulatedClock } from '../../../test/double/simulated-clock.ts';
import { DueQueue } from './fair-queue.ts';

const OPTIONS = { intervalSeconds: 60, concurrency: 10 };

async function sample(
  names: readonly string[],
  seconds: number,
  ask: (name: string, clock: SimulatedClock) => Promise<boolean>,
  options: SamplerOptions = OPTIONS,
): Promise<{ sampler: Sampler; scrapes: Map<string, number[]> }> {
  const clock = new SimulatedClock(1_000_000);
  const scrapes = new Map<string, number[]>();
  const random = (() => {
    let n = 0;
    return () => (n = (n + 0.37) % 1);
  })();
  const sampler = new Sampler(
    {
      clock,
      random,
      ask: name => {
        scrapes.set(name, [...(scrapes.get(name) ?? []), clock.now()]);
        return ask(name, clock);
      },
    },
    options,
  );
  for (const name of names) sampler.add(name);
  const stop = new AbortController();
  const done = sampler.run(stop.signal);
  await clock.runUntil(1_000_000 + seconds);
  stop.abort();
  await clock.runUntil(clock.now() + 100);
  await done;
  return { sampler, scrapes };
}

const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `node/worker-${i}`);

describe('sampler', () => {
  it('scrapes every target once per interval, spread over it', async () => {
    const { sampler, scrapes } = await sample(names(200), 600, async () => true);
    assert.equal(scrapes.size, 200);
    for (const times of scrapes.values()) {
      assert.ok(times.length >= 9 && times.length <= 11, `${times.length} times in ten minutes`);
      for (let i = 1; i < times.length; i++) {
        const gap = times[i] - times[i - 1];
        assert.ok(gap > 53 && gap < 67, `${gap} s between two samples`);
      }
    }
    const perTenSeconds = new Array<number>(6).fill(0);
    for (const [first] of scrapes.values()) perTenSeconds[Math.floor((first - 1_000_000) / 10) % 6]++;
    assert.ok(Math.max(...perTenSeconds) < 60, `they are not spread: ${perTenSeconds.join(' ')}`);
    assert.equal(sampler.lateCount, 0);
  });

  it('never scrapes more at once than allowed', async () => {
    let inFlight = 0;
    let most = 0;
    const stop = new AbortController();
    await sample(names(100), 300, async (_, clock) => {
      most = Math.max(most, ++inFlight);
      await clock.sleep(20, stop.signal);
      inFlight--;
      return true;
    });
    assert.equal(most, OPTIONS.concurrency);
  });

  it('scrapes silent targets less often, until they answer again', async () => {
    const { scrapes } = await sample(['node/a'], 3600, async (_, clock) => clock.now() > 1_001_800);
    const times = scrapes.get('node/a') ?? [];
    const silent = times.filter(at => at <= 1_001_800).length;
    const answering = times.filter(at => at > 1_002_100).length;
    assert.ok(silent >= 8 && silent <= 14, `${silent} of 30 while it is silent`);
    assert.ok(answering >= 24, `${answering} of 25 after`);
  });

  it('forgets a removed target, even during its scrape', async () => {
    const clock = new SimulatedClock(0);
    let count = 0;
    const sampler: Sampler = new Sampler(
      {
        clock,
        random: () => 0.5,
        ask: async name => {
          count++;
          sampler.remove(name);
          return true;
        },
      },
      OPTIONS,
    );
    sampler.add('node/a');
    const stop = new AbortController();
    const done = sampler.run(stop.signal);
    await clock.runUntil(600);
    stop.abort();
    await done;
    assert.equal(count, 1);
  });

  describe('for targets that another replica sampled', () => {
    const START = 1_000_000;

    /** `lastAt` is what is known of the others' samples, by the seconds since the start. */
    async function takeOver(
      targets: readonly string[],
      seconds: number,
      lastAt: (name: string, since: number) => number,
    ): Promise<Map<string, number[]>> {
      const clock = new SimulatedClock(START);
      const asked = new Map<string, number[]>(targets.map(name => [name, []]));
      const sampler = new Sampler(
        {
          clock,
          random: () => 0.5,
          ask: async name => asked.get(name)?.push(clock.now() - START) !== 0,
          lastSampleAt: name =>
            Math.max(START + (asked.get(name)?.at(-1) ?? -Infinity), lastAt(name, clock.now() - START)),
        },
        OPTIONS,
      );
      sampler.addAll(targets);
      const stop = new AbortController();
      const done = sampler.run(stop.signal);
      await clock.runUntil(START + seconds);
      stop.abort();
      await clock.runUntil(clock.now() + 100);
      await done;
      return asked;
    }

    /** The last time before the start at which it was its turn, in seconds; negative. */
    const lastPlace = (name: string): number => {
      const into = (offsetOf(name) * 60 - (START % 60) + 60) % 60;
      return into - 60;
    };

    it('makes up for what nobody sampled, and goes on at the usual places', async () => {
      // It died two minutes ago.
      const asked = await takeOver(names(100), 200, name => START + lastPlace(name) - 60);
      for (const [name, [first = NaN, ...later]] of asked) {
        const place = lastPlace(name);
        assert.ok(first < 3 + 3.1, `${name} is first asked after ${first} s, its last place was ${place}`);
        const all = [first, ...later];
        for (let i = 1; i < all.length; i++) {
          const apart = (all[i] ?? NaN) - (all[i - 1] ?? NaN);
          assert.ok(apart >= 0.4 * 60 - 3 && apart <= 1.4 * 60 + 3, `${name}: ${apart} s apart`);
        }
        for (const at of later)
          assert.ok(Math.abs(((at - place) % 60) - 0) < 3.1 || (at - place) % 60 > 56.9, `${name} at ${at}`);
      }
    });

    it('does not ask again for a sample that it hears of a little later', async () => {
      // It hears of each sample of the others 4 s later.
      const told = (name: string, since: number): number =>
        START + (since > lastPlace(name) + 4 ? lastPlace(name) : lastPlace(name) - 60);
      const asked = await takeOver(names(300), 60, told);
      for (const [name, [first = NaN]] of asked) {
        const place = lastPlace(name) + 60;
        // In the first 3 s the one before might do it, which it does not here.
        const expected = place < 3 ? place + 5 : place;
        assert.ok(Math.abs(first - expected) < 3.1, `${name} is asked after ${first} s`);
      }
    });

    it('does not sample beside a replica that does not know yet that it lost the target', async () => {
      // It learns that 2.4 s later, and its samples are known here after another 4 s.
      const place = (name: string): number => lastPlace(name) + 60;
      const isTwice = (name: string): boolean => place(name) < 2.4;
      const told = (name: string, since: number): number =>
        START + (isTwice(name) && since > place(name) + 4 ? place(name) : lastPlace(name));
      const asked = await takeOver(names(600), 80, told);
      assert.ok([...asked.keys()].filter(isTwice).length > 10);
      for (const [name, [first = NaN]] of asked) {
        const expected = isTwice(name) ? place(name) + 60 : place(name);
        const isLate = place(name) >= 2.4 && place(name) < 3;
        assert.ok(Math.abs(first - expected - (isLate ? 5 : 0)) < 3.1, `${name} is asked after ${first} s`);
      }
    });

    it('begins with those that have been without a sample for longest', async () => {
      // One died 14 s ago; whose turn it has been since then, was not sampled in the minute before either.
      const diedAt = -14;
      const last = (name: string): number => (lastPlace(name) < diedAt ? lastPlace(name) : lastPlace(name) - 60);
      const asked = await takeOver(names(10_000), 60, name => START + last(name));
      const gaps = Array.from(asked, ([name, [first = NaN]]) => first - last(name));
      assert.ok(Math.max(...gaps) < 60 + 14 + 3 + 8, `${Math.max(...gaps)} s`);
    });

    it('takes its time for a whole fleet', async () => {
      const asked = await takeOver(names(3000), 30, name => START + lastPlace(name) - 3600);
      const perSecond = new Array<number>(30).fill(0);
      for (const times of asked.values())
        for (const at of times) perSecond[Math.floor(at)] = (perSecond[Math.floor(at)] ?? 0) + 1;
      // 400 in a second, and those whose turn it is anyway.
      assert.ok(Math.max(...perSecond) <= 500, perSecond.join(' '));
      assert.ok(
        [...asked.values()].every(times => times.length >= 1),
        'all of them within half a minute',
      );
    });
  });

  describe('over several clusters', () => {
    const clusterOfName = (name: string): string => clusterOf(name) ?? '';
    const inClusters = (clusters: readonly string[], count: number): string[] =>
      clusters.flatMap(cluster => names(count).map(name => inCluster(name, cluster)));
    const options = { intervalSeconds: 60, concurrency: 20, groupOf: clusterOfName };
    /** One cluster hangs until each request's deadline; the others answer within a tenth of a second. */
    const oneHangs = async (name: string, clock: SimulatedClock): Promise<boolean> => {
      const hangs = clusterOf(name) === 'broken';
      await clock.sleep(hangs ? 10 : 0.1, new AbortController().signal);
      return !hangs;
    };

    it('is on time in all others while one hangs, however many targets that one has', async () => {
      const healthy = inClusters(['eu', 'us'], 50);
      const { sampler, scrapes } = await sample([...inClusters(['broken'], 500), ...healthy], 1200, oneHangs, options);
      for (const name of healthy) {
        const times = scrapes.get(name) ?? [];
        assert.ok(times.length >= 19, `${name}: ${times.length} times in twenty minutes`);
        for (let i = 1; i < times.length; i++)
          assert.ok(times[i] - times[i - 1] < 67, `${name}: ${times[i] - times[i - 1]} s between two samples`);
      }
      assert.equal(sampler.lateCount, 0);
      const asked = [...scrapes].filter(([name]) => clusterOf(name) === 'broken');
      assert.ok(asked.length > 0, 'the one that hangs is still asked');
    });

    it('gives no cluster that hangs more than its own places', async () => {
      let hanging = 0;
      let mostHanging = 0;
      await sample(
        [...inClusters(['broken'], 500), ...inClusters(['eu'], 50)],
        600,
        async (name, clock) => {
          const hangs = clusterOf(name) === 'broken';
          if (hangs) hanging++;
          // In the first seconds, nothing shows that it hangs.
          if (clock.now() > 1_000_060) mostHanging = Math.max(mostHanging, hanging);
          const answered = await oneHangs(name, clock);
          if (hangs) hanging--;
          return answered;
        },
        options,
      );
      assert.equal(mostHanging, 5);
    });

    it('lets a large cluster use the places that others do not need', async () => {
      const { sampler, scrapes } = await sample(
        [...inClusters(['large'], 1000), ...inClusters(['a', 'b', 'c', 'd'], 2)],
        600,
        async (_, clock) => {
          await clock.sleep(0.5, new AbortController().signal);
          return true;
        },
        { ...options, concurrency: 30 },
      );
      // 1,000 in a minute at half a second each need 8.4 places; its own are 3.
      assert.equal(sampler.lateCount, 0);
      assert.ok([...scrapes.values()].every(times => times.length >= 9));
    });
  });

  it('gives each name its offset', () => {
    fc.assert(
      fc.property(fc.string(), name => {
        const offset = offsetOf(name);
        assert.ok(offset >= 0 && offset < 1 && offset === offsetOf(name));
      }),
    );
  });
});

describe('due queue', () => {
  it('gives the item that is due first', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), times => {
        const queue = new DueQueue<number>();
        for (const at of times) queue.push({ at, item: at });
        const out = times.map(() => queue.pop()?.item);
        assert.deepEqual(
          out,
          [...times].sort((a, b) => a - b),
        );
        assert.equal(queue.pop(), undefined);
      }),
    );
  });
});
