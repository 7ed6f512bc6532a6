import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { DueQueue } from './due-queue.ts';
import { offsetOf, Sampler } from './sampler.ts';
import { SimulatedClock } from '../../../../test/double/simulated-clock.ts';

const OPTIONS = { intervalSeconds: 60, concurrency: 10 };

async function sample(
  names: readonly string[],
  seconds: number,
  ask: (name: string, clock: SimulatedClock) => Promise<boolean>,
  options = OPTIONS,
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
