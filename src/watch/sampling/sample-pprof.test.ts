import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { T0, watchBench } from '../../../test/watch/watch-bench.ts';
import { encodeText } from '../../base/text.ts';
import type { Reply } from '../../live/reply.ts';
import type { TargetConnection } from '../../live/ports.ts';

const DAEMON = 'http://daemon:6060';
const MIB = 1024 * 1024;
const HOUR = 3600;

interface Moment {
  readonly goroutines: number;
  readonly heapBytes: number;
  readonly startSeconds: number;
}

/** A Go daemon with net/http/pprof and nothing else; collects every two minutes. */
function daemon(
  clock: { now(): number },
  at: (now: number) => Moment,
  more: (path: string) => string | undefined = () => undefined,
): TargetConnection & { readonly asked: { path: string; at: number }[] } {
  const asked: { path: string; at: number }[] = [];
  return {
    asked,
    target: DAEMON,
    via: 'http',
    address: DAEMON,
    get: async (path): Promise<Reply> => {
      const now = clock.now();
      asked.push({ path, at: now });
      const text = more(path) ?? textOf(path, at(now), now);
      const common = { headers: {}, cut: undefined, headAtSeconds: now, dateSeconds: undefined, tookSeconds: 0 };
      const body = encodeText(text ?? '404 page not found\n');
      return { kind: 'answer', status: text === undefined ? 404 : 200, body, ...common };
    },
  };
}

function textOf(path: string, { goroutines, heapBytes, startSeconds }: Moment, now: number): string | undefined {
  if (path === '/debug/pprof/goroutine?debug=1')
    return `goroutine profile: total ${goroutines}\n${goroutines} @ 0x1\n#\t0x1\tmain.wait+0x1\t/main.go:7\n\n`;
  if (!path.startsWith('/debug/pprof/heap?')) return undefined;
  const collections = 1 + Math.floor((now - startSeconds) / 120);
  const ends = Array.from({ length: 256 }, (_, i) =>
    i < collections ? BigInt(Math.round(startSeconds + 120 * i)) * 1_000_000_000n : 0n,
  );
  return `heap profile: 0: 0 [0: 0] @ heap/1048576

# runtime.MemStats
# HeapAlloc = ${Math.round(heapBytes)}
# HeapInuse = ${Math.round(heapBytes * 1.2)}
# Stack = 1048576 / 1048576
# LastGC = ${BigInt(Math.round(now)) * 1_000_000_000n}
# PauseEnd = [${ends.join(' ')}]
# NumGC = ${collections}
`;
}

const steady = (now: number): Moment => ({ goroutines: 5529, heapBytes: 50 * MIB + (now % 7), startSeconds: T0 - 600 });

describe('a daemon with /debug/pprof and without /metrics', () => {
  it('is sampled every 5 minutes, and the watch says so', async () => {
    const bench = watchBench();
    const { watch, clock, store, log } = bench;
    await watch.start();
    const connection = daemon(clock, steady);
    watch.addTarget({ name: DAEMON, connection, attributes: {} });
    await bench.run(HOUR);
    const times = connection.asked.filter(({ path }) => path.startsWith('/debug/pprof/heap')).map(({ at }) => at);
    assert.ok(times.length >= 12 && times.length <= 13, `${times.length} samples in an hour`);
    assert.equal(connection.asked.filter(({ path }) => path === '/metrics').length, times.length);
    assert.ok(connection.asked.some(({ path }) => path === '/debug/pprof/heap?gc=1&debug=1'));
    const view = await watch.target(DAEMON, undefined, undefined);
    assert.match(view?.sentence ?? '', /It has no \/metrics: sampled from \/debug\/pprof every 5m\.$/);
    assert.equal(view?.attributes['sampled'], '/debug/pprof every 5m');
    assert.equal(log.filter(line => /has no \/metrics/.test(line)).length, 1);
    const metrics = ['go_goroutines', 'go_gc_heap_live_bytes'];
    const [goroutines, heap] = await store.query({ target: DAEMON, metrics, from: 0, to: 2e9, maxPoints: 9 });
    assert.deepEqual([goroutines?.values[0], Math.round((heap?.values[0] ?? 0) / MIB)], [5529, 50]);
    await watch.stop();
  });

  it('is judged: a leak of goroutines is found', async () => {
    const bench = watchBench();
    const { watch, clock } = bench;
    await watch.start();
    const leaking = (now: number): Moment => ({
      ...steady(now),
      goroutines: 500 + Math.floor(0.5 * Math.max(0, now - T0 - 6 * HOUR)),
      startSeconds: T0 - 20 * HOUR,
    });
    watch.addTarget({ name: DAEMON, connection: daemon(clock, leaking), attributes: {} });
    await bench.run(12 * HOUR);
    const row = (await watch.fleet(24)).rows.find(({ target }) => target === DAEMON);
    assert.ok(row?.verdict === 'leak' || row?.verdict === 'watch', `${row?.verdict}: ${row?.reason}`);
    assert.equal(row.resource, 'goroutines');
    await watch.stop();
  });

  it('is known to be restarted by its collections, which begin anew', async () => {
    const bench = watchBench();
    const { watch, clock } = bench;
    await watch.start();
    const start = (now: number): number => (now < T0 + HOUR ? T0 - 600 : T0 + HOUR);
    watch.addTarget({
      name: DAEMON,
      connection: daemon(clock, now => ({ ...steady(now), startSeconds: start(now) })),
      attributes: {},
    });
    await bench.run(2 * HOUR);
    const { epochs = [], events = [] } = (await watch.target(DAEMON, undefined, undefined)) ?? {};
    assert.deepEqual(
      epochs.map(({ from }) => from),
      [T0 - 600, T0 + HOUR],
    );
    assert.equal(events.filter(({ kind }) => kind === 'restart').length, 1);
    await watch.stop();
  });

  it('collects no garbage where that was refused or the heap is very large', async () => {
    for (const [options, heapBytes] of [
      [{ gc: false }, 50 * MIB],
      [{}, 3000 * MIB],
    ] as const) {
      const bench = watchBench({ options });
      const { watch, clock, store } = bench;
      await watch.start();
      const connection = daemon(clock, now => ({ ...steady(now), heapBytes }));
      watch.addTarget({ name: DAEMON, connection, attributes: {} });
      await bench.run(HOUR);
      const last = connection.asked.findLast(({ path }) => path.startsWith('/debug/pprof/heap'));
      assert.equal(last?.path, '/debug/pprof/heap?debug=1');
      const metrics = ['go_memstats_heap_alloc_bytes'];
      const [heap] = await store.query({ target: DAEMON, metrics, from: 0, to: 2e9, maxPoints: 9 });
      assert.equal(Math.round((heap?.values.at(-1) ?? 0) / MIB), heapBytes / MIB);
      await watch.stop();
    }
  });

  it('goes back to metrics when there are some', async () => {
    const bench = watchBench();
    const { watch, clock } = bench;
    await watch.start();
    const connection = daemon(clock, steady, path =>
      path === '/metrics' && clock.now() > T0 + HOUR ? 'go_goroutines 7\n' : undefined,
    );
    watch.addTarget({ name: DAEMON, connection, attributes: {} });
    await bench.run(2 * HOUR);
    const last = connection.asked.slice(-5).map(({ path }) => path);
    assert.deepEqual(new Set(last), new Set(['/metrics']));
    assert.equal((await watch.target(DAEMON, undefined, undefined))?.attributes['sampled'], undefined);
    await watch.stop();
  });

  it('is silent, with both reasons, where it has no profiles either; nodes are never asked for profiles', async () => {
    const bench = watchBench();
    const { watch, clock } = bench;
    await watch.start();
    const connection = daemon(clock, steady, path => (path.startsWith('/debug') ? '<html>' : undefined));
    const node = { ...daemon(clock, steady), target: 'node/a' };
    watch.addTarget({ name: DAEMON, connection, attributes: {} });
    watch.addTarget({ name: 'node/a', connection: node, attributes: {} });
    await bench.run(600);
    const why = watch.status().silent.find(({ target }) => target === DAEMON)?.why;
    assert.match(why ?? '', /does not serve \/metrics; .*not with a profile/);
    assert.deepEqual(new Set(node.asked.map(({ path }) => path)), new Set(['/metrics']));
    await watch.stop();
  });
});
