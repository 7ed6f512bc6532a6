import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { kubelet, NODE, PROFILES, steady } from '../../../test/watch/scripted-node.ts';
import { process, T0, watchBench, type WatchBench } from '../../../test/watch/watch-bench.ts';
import { memoryStore, StoreMemory } from '../io/memory-store.ts';
import type { FleetRow } from '../views/fleet.ts';
import type { WatchStore } from '../../store/ports.ts';
import type { ReplayQuery } from '../../store/records.ts';

const MIB = 1024 * 1024;
const HOUR = 3600;
const CALM = ['node/b', 'node/c', 'node/d'];
const OPTIONS = { hourSeconds: 30, intervalSeconds: 10, evaluateSeconds: 60, commitSeconds: 10, capturesAllowed: true };

/** A kubelet that leaks; it is restarted at a given time, if any. */
const leaking = (restartedAt = Infinity) =>
  kubelet(
    now => (now < restartedAt ? T0 - 2 * HOUR : restartedAt),
    () => 400 * MIB,
  );

/** A store that answers everything but questions for the past of some targets. */
function forgetful(store: WatchStore, forgets: (targets: readonly string[]) => boolean): WatchStore {
  return new Proxy(store, {
    get(from, key: keyof WatchStore) {
      if (key === 'replay')
        return (query: ReplayQuery) => {
          if (forgets(query.targets ?? [])) throw new Error('the disk is slow today');
          return from.replay(query);
        };
      const value = from[key];
      return typeof value === 'function' ? value.bind(from) : value;
    },
  });
}

/** The worst. */
async function rowOf({ watch }: WatchBench): Promise<FleetRow> {
  const [row] = (await watch.fleet(168)).rows;
  return row;
}

function addCalm({ watch, clock }: WatchBench): void {
  for (const name of CALM) watch.addTarget({ name, connection: process(name, clock, steady), attributes: {} });
}

describe('the past of targets', () => {
  async function firstRun() {
    const memory = new StoreMemory();
    const bench = watchBench({ store: memoryStore(memory), options: OPTIONS });
    const { watch, clock } = bench;
    await watch.start();
    watch.addTarget({ name: NODE, connection: process(NODE, clock, leaking(), PROFILES), attributes: { pool: 'x' } });
    await bench.run(2 * HOUR);
    return { memory, bench, endedAt: clock.now() };
  }

  it('is read while the watch runs: targets are sampled from the start, and judged once it is known', async () => {
    const { memory, bench: first, endedAt } = await firstRun();
    const before = await rowOf(first);
    assert.equal(before.verdict, 'leak');
    const taken = (await first.store.records({ kind: 'capture' })).length;
    await first.watch.stop();

    const from = endedAt + 30;
    let isForgetful = true;
    const store = forgetful(memoryStore(memory), () => isForgetful);
    const second = watchBench({ store, options: OPTIONS, fromSeconds: from });
    const { watch, clock, log } = second;
    await watch.start();
    const connection = process(NODE, clock, leaking(from + 100), PROFILES);
    watch.addTarget({ name: NODE, connection, attributes: {} });
    await second.run(300);
    const query = { target: NODE, metrics: ['go_goroutines'], from, to: clock.now(), maxPoints: 1000 };
    const [series] = await store.query(query);
    assert.ok(series.times.length >= 28, `${series.times.length} samples in 300 s`);
    const waiting = await rowOf(second);
    assert.equal((await watch.fleet(168)).sentence, '1 target answers. The past of 1 is being read.');
    const page = await watch.target(NODE, undefined, undefined);
    assert.equal(page?.sentence, 'Its past is being read; a verdict follows.');
    assert.equal(waiting.incidentId, before.incidentId, 'what was found stays');
    assert.equal(
      (await store.records({ kind: 'capture' })).length,
      taken,
      'what was captured before is not known to the triggers',
    );
    assert.equal(log.filter(line => line.includes('the disk is slow today')).length, 1, log.join('\n'));

    isForgetful = false;
    await second.run(60);
    assert.match(watch.metrics(), /^oakum_unread_targets 0$/m);
    const after = await rowOf(second);
    assert.deepEqual([after.verdict, after.incidentId], ['leak', before.incidentId]);
    assert.match(after.heat, /^[-uh]+.*l{40,}/);
    const { timeline } = (await watch.incident(before.incidentId ?? '')) ?? {};
    assert.equal(timeline?.filter(({ kind }) => kind === 'restarted').length, 1, 'the restart meanwhile, once');
    await watch.stop();
  });

  it('is read first where there is an incident, which is judged at once', async () => {
    const { memory, bench: first, endedAt } = await firstRun();
    addCalm(first);
    await first.run(300);
    await first.watch.stop();

    const store = forgetful(memoryStore(memory), targets => targets.some(name => CALM.includes(name)));
    const second = watchBench({ store, options: OPTIONS, fromSeconds: endedAt + 330 });
    const { watch, clock } = second;
    await watch.start();
    addCalm(second);
    watch.addTarget({ name: NODE, connection: process(NODE, clock, leaking(), PROFILES), attributes: {} });
    await second.run(15);
    const { sentence, rows } = await watch.fleet(168);
    assert.deepEqual([rows[0].target, rows[0].verdict], [NODE, 'leak']);
    assert.match(watch.metrics(), /^oakum_unread_targets 3$/m);
    assert.match(sentence, /^1 of 4 targets leaks.*\. The past of 3 is being read\.$/);
    await watch.stop();
  });

  it('is known again when a target comes back', async () => {
    const { bench } = await firstRun();
    const { watch, clock } = bench;
    watch.removeTarget(NODE);
    await bench.run(60);
    watch.addTarget({ name: NODE, connection: process(NODE, clock, leaking(), PROFILES), attributes: {} });
    await bench.run(60);
    assert.equal((await rowOf(bench)).verdict, 'leak', 'without watching for hours again');
    await watch.stop();
  });
});
