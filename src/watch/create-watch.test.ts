import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { kubelet, NODE, PROFILES, scripted, steady } from '../../test/watch/scripted-node.ts';
import { process, T0, watchBench, type WatchBench } from '../../test/watch/watch-bench.ts';
import { memoryStore } from './io/memory-store.ts';
import { openFolderStore } from '../cli/watch/open-store.ts';
import { encodeText } from '../base/text.ts';
import type { Verdict } from '../judge/verdict.ts';
import type { WatchStore } from '../store/ports.ts';
import { CAPTURE_POLICY } from './state/capture-policy.ts';
import { SELF } from './state/watched-target.ts';
import { withMethods } from '../base/with-methods.ts';

const MIB = 1024 * 1024;
const HOUR = 3600;

const kindsOf = async ({ watch }: WatchBench, id: string): Promise<string[]> =>
  (await watch.incident(id))?.timeline.map(({ kind }) => kind) ?? [];

describe('watch', () => {
  it('keeps samples, says which targets are silent and why, and watches itself', async () => {
    const background = scripted(() => 'unknown');
    const bench = watchBench({ background });
    const { watch, clock, store } = bench;
    await watch.start();
    watch.addTarget({ name: NODE, connection: process(NODE, clock, steady), attributes: { pool: 'x' } });
    watch.addTarget({ name: 'node/dead', connection: process('node/dead', clock, () => undefined), attributes: {} });
    await bench.run(600);
    assert.deepEqual((await store.targets()).map(({ target }) => target).sort(), [NODE, 'node/dead', SELF]);
    const [series] = await store.query({ target: NODE, metrics: ['go_goroutines'], from: 0, to: 2e9, maxPoints: 100 });
    assert.ok(series.times.length >= 9, `${series.times.length} samples in ten minutes`);
    const [own] = await store.query({
      target: SELF,
      metrics: ['process_resident_memory_bytes'],
      from: 0,
      to: 2e9,
      maxPoints: 100,
    });
    assert.equal(own.values[0], 5e7);
    assert.ok(background.rows >= 18);
    const status = watch.status();
    // Without Oakum itself.
    assert.deepEqual([status.targetCount, status.silent.length, status.capturesAllowed], [2, 1, false]);
    assert.match((await watch.fleet(168)).sentence, /^1 targets? answers?; |^\d of 2 /);
    assert.equal(status.missingRights[0].why, 'off');
    assert.match(status.silent[0].why, /refused|listens/);
    assert.match(status.missingRights[0].command, /--capture/);
    assert.match(watch.metrics(), /^oakum_silent_targets 1$/m);
    assert.match(watch.metrics(), /^oakum_samples_total \d+$/m);
    const row = (await watch.fleet(168)).rows.find(({ target }) => target === NODE);
    assert.deepEqual([row?.attributes['pool'], row?.verdict, row?.stale], ['x', 'unknown', null]);
    await watch.stop();
  });

  it('logs once that its store cannot write, and once that it can again', async () => {
    let degraded: string | null = null;
    const kept = memoryStore();
    const store: WatchStore = withMethods(kept, { status: () => ({ ...kept.status(), degraded }) });
    const bench = watchBench({ store, background: scripted(() => 'healthy') });
    await bench.watch.start();
    for (const waiting of [1, 2, 3]) {
      degraded = `Nothing can be written to data: the disk is full. ${waiting} samples wait in memory.`;
      await bench.run(60);
    }
    degraded = null;
    await bench.run(60);
    assert.deepEqual(
      bench.log.filter(line => line.startsWith('store: ')).map(line => line.replace(/\d+/, 'N')),
      [
        'store: Nothing can be written to data: the disk is full. N samples wait in memory.',
        'store: everything is kept again',
      ],
    );
    await bench.watch.stop();
  });

  it('opens an incident on watch, promotes it on leak, closes it when nothing grows for a day', async () => {
    let verdict: Verdict = 'healthy';
    const bench = watchBench({ background: scripted(() => verdict), options: { intervalSeconds: 300 } });
    const { watch, clock } = bench;
    await watch.start();
    watch.addTarget({ name: NODE, connection: process(NODE, clock, steady), attributes: {} });
    await bench.run(600);
    assert.deepEqual(watch.incidents(), []);
    verdict = 'watch';
    await bench.run(600);
    const [{ id }] = watch.incidents();
    assert.deepEqual(await kindsOf(bench, id), ['slope', 'watch']);
    verdict = 'leak';
    await bench.run(600);
    assert.deepEqual(await kindsOf(bench, id), ['slope', 'watch', 'leak']);
    assert.match(watch.incidents()[0].sentence, /^Live heap grows 1 MiB\/h since .* No evidence saved yet\.$/);
    const view = await watch.incident(id);
    assert.match(view?.todo[0] ?? '', /oakum capture node\/a/);
    assert.deepEqual(await watch.bundle(id), { refused: 'no profile was captured during it' });
    assert.deepEqual(await watch.report(id, 'upstream'), { refused: 'no profile was captured during it' });
    assert.equal(await watch.bundle('none'), undefined);
    verdict = 'healthy';
    await bench.run(23 * HOUR);
    assert.equal(watch.incidents()[0].closedAt, null);
    await bench.run(2 * HOUR);
    assert.notEqual(watch.incidents()[0].closedAt, null);
    assert.equal(watch.incidents()[0].verdict, 'leak', 'what it was');
    assert.equal((await watch.fleet(1)).rows[0].incidentId, null);
    const events = (await watch.target(NODE, undefined, undefined))?.events.map(({ kind }) => kind);
    assert.deepEqual(events, ['verdict', 'note', 'verdict', 'verdict', 'note']);
    assert.ok(bench.events.some(event => event.kind === 'incident' && event.id === id));
    await watch.stop();
  });

  it('takes evidence within cooldown and budget, and never without permission', async () => {
    let verdict: Verdict = 'healthy';
    const background = scripted(() => verdict, [10, 20]);
    const options = { capturesAllowed: true, policy: { ...CAPTURE_POLICY, perHour: 4 } };
    const bench = watchBench({ background, options });
    const { watch, clock } = bench;
    await watch.start();
    const connection = process(NODE, clock, steady, PROFILES);
    watch.addTarget({ name: NODE, connection, attributes: {} });
    await bench.run(HOUR);
    const taken = (): string[] => bench.log.flatMap(line => /evidence taken \((.*?):/.exec(line)?.[1] ?? []);
    assert.deepEqual(taken(), ['first of life']);
    verdict = 'watch';
    await bench.run(2 * HOUR);
    assert.deepEqual(taken(), ['first of life', 'slope', 'slope']);
    const [incident] = watch.incidents();
    const view = await watch.incident(incident.id);
    assert.equal(view?.captures.length, 3, 'with the one from before');
    assert.ok(view?.captures.every(({ files }) => files.some(({ kind }) => kind === 'heap')));
    assert.ok(connection.requests.includes('/debug/pprof/heap?gc=1'));
    const capture = watch.capture(view?.captures[0].id ?? '');
    const heap = capture?.files.find(({ kind }) => kind === 'heap');
    assert.deepEqual(await watch.profile(heap?.sha256 ?? ''), PROFILES['/debug/pprof/heap?gc=1']);
    const captured = await watch.captureNow(NODE);
    assert.ok(captured !== undefined && 'captureId' in captured);
    assert.match(JSON.stringify(await watch.captureNow(NODE)), /taken just now/);
    assert.equal(await watch.captureNow('node/none'), undefined);
    await watch.stop();

    const quiet = watchBench({ background: scripted(() => 'leak', [1, 2]) });
    await quiet.watch.start();
    const untouched = process(NODE, quiet.clock, steady, PROFILES);
    quiet.watch.addTarget({ name: NODE, connection: untouched, attributes: {} });
    await quiet.run(2 * HOUR);
    assert.deepEqual([...new Set(untouched.requests)], ['/metrics', '/metrics/cadvisor', '/configz']);
    assert.match(JSON.stringify(await quiet.watch.captureNow(NODE)), /--capture/);
    await quiet.watch.stop();
  });

  it('says what it may not capture until it may', async () => {
    const bench = watchBench({ options: { capturesAllowed: true, intervalSeconds: 60 } });
    const { watch, clock } = bench;
    await watch.start();
    let isForbidden = true;
    const allowed = process(NODE, clock, steady, PROFILES);
    const denial = encodeText('Forbidden (user=mary, verb=get, resource=nodes, subresource(s)=[proxy])');
    const connection = {
      ...allowed,
      get: async (...args: Parameters<typeof allowed.get>) => {
        const reply = await allowed.get(...args);
        if (!isForbidden || args[0] === '/metrics' || reply.kind !== 'answer') return reply;
        return { ...reply, status: 403, body: denial };
      },
    };
    watch.addTarget({ name: NODE, connection, attributes: {} });
    await bench.run(300);
    const missing = (): string[] => watch.status().missingRights.map(({ what }) => what);
    assert.match(missing().join(), /^no evidence can be taken: .*mary.*nodes\/proxy/);
    isForbidden = false;
    await watch.captureNow(NODE);
    assert.deepEqual(missing(), []);
    await watch.stop();
  });

  it('captures several targets in the same second', async () => {
    const real = memoryStore();
    // A slow disk.
    const addCapture: typeof real.addCapture = async capture => {
      await new Promise(resolve => setImmediate(resolve));
      return real.addCapture(capture);
    };
    const bench = watchBench({ store: withMethods(real, { addCapture }), options: { capturesAllowed: true } });
    const { watch, clock } = bench;
    await watch.start();
    const names = ['node/a', 'node/b', 'node/c'];
    for (const name of names)
      watch.addTarget({ name, connection: process(name, clock, steady, PROFILES), attributes: {} });
    await bench.run(120);
    const taken = await Promise.all(names.map(name => watch.captureNow(name)));
    const ids = taken.map(answer =>
      answer !== undefined && 'captureId' in answer ? answer.captureId : answer?.refused,
    );
    assert.equal(new Set(ids).size, 3, ids.join(', '));
    assert.deepEqual(
      ids.map(id => watch.capture(id ?? '')?.target),
      names,
    );
    await watch.stop();
  });

  for (const [what, slopeAfter, expected] of [
    ['comes back', MIB, 'came back, intrinsic'],
    ['is gone', 0, 'cleared, external trigger'],
  ] as const) {
    it(`after a restart says that a leak ${what}`, async () => {
      const restartAt = T0 + 30 * HOUR;
      const metrics = kubelet(
        now => (now < restartAt ? T0 - 100 * HOUR : restartAt),
        now => (now < restartAt ? MIB : slopeAfter),
      );
      const bench = watchBench({
        background: scripted(() => 'leak'),
        options: { intervalSeconds: 600, evaluateSeconds: 1800, commitSeconds: 600 },
      });
      const { watch, clock } = bench;
      await watch.start();
      watch.addTarget({ name: NODE, connection: process(NODE, clock, metrics), attributes: {} });
      const standing = () => watch.nodeStandings().map(one => [one.node, one.verdict, one.isOfThisLife]);
      await bench.run(29 * HOUR);
      assert.deepEqual(standing(), [['a', 'leak', true]]);
      await bench.run(2 * HOUR);
      const [{ id }] = watch.incidents();
      assert.equal((await watch.incident(id))?.afterRestart?.verdict, 'too early');
      // The detector still tells of the process before.
      assert.deepEqual(standing(), [['a', 'leak', false]]);
      await bench.run(20 * HOUR);
      assert.equal((await watch.incident(id))?.afterRestart?.verdict, 'too early');
      await bench.run(15 * HOUR);
      const view = await watch.incident(id);
      assert.equal(view?.afterRestart?.verdict, expected);
      const { at, now } = view?.afterRestart ?? {};
      assert.ok(typeof at === 'number' && at > restartAt);
      // The slope of the detector, of a target that is still watched for it.
      assert.equal(now !== null, slopeAfter > 0);
      if (slopeAfter > 0) assert.deepEqual(standing(), [['a', 'leak', true]]);
      const kinds = view?.timeline.map(({ kind }) => kind) ?? [];
      assert.deepEqual(kinds.slice(0, 4), ['slope', 'leak', 'restarted', 'after restart']);
      assert.equal(view?.closedAt !== null, slopeAfter === 0);
      await watch.stop();
    });
  }

  it('says that a leak which was proved before a restart must be proved again', async () => {
    const restartAt = T0 + 30 * HOUR;
    const metrics = kubelet(
      now => (now < restartAt ? T0 - 100 * HOUR : restartAt),
      () => MIB,
    );
    let verdict: 'leak' | 'watch' = 'watch';
    const bench = watchBench({
      background: scripted(() => verdict),
      options: { intervalSeconds: 600, evaluateSeconds: 1800, commitSeconds: 600 },
    });
    const { watch, clock } = bench;
    await watch.start();
    watch.addTarget({ name: NODE, connection: process(NODE, clock, metrics), attributes: {} });
    await bench.run(10 * HOUR);
    assert.equal((await watch.fleet(168)).sentence, 'No leak is proved; 1 of 1 to watch.');
    verdict = 'leak';
    await bench.run(19 * HOUR);
    verdict = 'watch';
    await bench.run(2 * HOUR);
    assert.equal(
      (await watch.fleet(168)).sentence,
      `No leak is proved again since ${NODE} was restarted; 1 of 1 to watch.`,
    );
    await watch.stop();
  });

  it('notes each kill and condition of its node once', async () => {
    const bench = watchBench({ background: scripted(() => 'leak') });
    const { watch, clock } = bench;
    await watch.start();
    watch.addTarget({ name: NODE, connection: process(NODE, clock, steady), attributes: {} });
    await bench.run(600);
    const kill = {
      process: 'kubelet',
      pid: 7,
      scope: 'global',
      limitCgroup: '',
      processCgroup: '',
      invokedBy: '',
    } as const;
    const unknown = { limitBytes: undefined, residentBytes: undefined, oomScoreAdj: undefined };
    for (let i = 0; i < 3; i++) {
      watch.addObservation(NODE, {
        kind: 'kube-event',
        atSeconds: T0 + 500,
        lastSeconds: T0 + 500,
        source: 'API server',
        reason: 'SystemOOM',
        message: 'System OOM encountered, victim process: kubelet, pid: 7',
        component: 'kubelet',
        count: 1,
        objectKind: 'Node',
        kill: { ...kill, ...unknown },
      });
      watch.addObservation(NODE, {
        kind: 'condition',
        atSeconds: T0 + 510 + i,
        sinceSeconds: T0 + 510,
        source: 'API server',
        type: 'Ready',
        status: 'False',
        reason: 'KubeletNotReady',
        message: 'PLEG is not healthy',
      });
    }
    // Until they are committed.
    await bench.run(120);
    const view = await watch.target(NODE, undefined, undefined);
    assert.deepEqual(
      view?.events.filter(({ kind }) => kind === 'oom' || kind === 'condition').map(({ text }) => text),
      [
        'SystemOOM: System OOM encountered, victim process: kubelet, pid: 7',
        'Ready is False (KubeletNotReady: PLEG is not healthy)',
      ],
    );
    assert.ok((await kindsOf(bench, watch.incidents()[0].id)).includes('killed'));
    await watch.stop();
  });

  it('resumes from its file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'oakum-watch-'));
    const open = (): Promise<WatchStore> => openFolderStore(folder, {});
    const options = { hourSeconds: 30, intervalSeconds: 10, evaluateSeconds: 60 };
    const leaking = kubelet(
      () => T0 - 7200,
      () => 400 * MIB,
    );
    const first = watchBench({ store: await open(), options });
    await first.watch.start();
    first.watch.addTarget({ name: NODE, connection: process(NODE, first.clock, leaking), attributes: { pool: 'x' } });
    await first.run(2 * HOUR);
    const before = (await first.watch.fleet(168)).rows[0];
    assert.equal(before.verdict, 'leak');
    await first.watch.stop();

    const second = watchBench({ store: await open(), options, fromSeconds: first.clock.now() + 30 });
    await second.watch.start();
    second.watch.addTarget({ name: NODE, connection: process(NODE, second.clock, leaking), attributes: {} });
    await second.run(120);
    const [after] = (await second.watch.fleet(168)).rows;
    assert.equal(after.verdict, 'leak', 'without watching for hours again');
    assert.equal(after.incidentId, before.incidentId);
    assert.deepEqual(
      second.watch.incidents().map(({ id }) => id),
      [before.incidentId],
    );
    assert.match(after.heat, /^[-uh]+.*l{40,}/);
    await second.watch.stop();
    rmSync(folder, { recursive: true });
  });

  it('forgets removed targets', async () => {
    const bench = watchBench({ background: scripted(() => 'leak') });
    const { watch, clock } = bench;
    await watch.start();
    watch.addTarget({ name: NODE, connection: process(NODE, clock, steady), attributes: {} });
    await bench.run(600);
    watch.removeTarget(NODE);
    assert.equal(await watch.target(NODE, undefined, undefined), undefined);
    assert.notEqual(watch.incidents()[0].closedAt, null);
    await bench.run(600);
    assert.deepEqual(
      (await watch.fleet(1)).rows.map(({ target }) => target),
      [SELF],
    );
    await watch.stop();
  });
});
