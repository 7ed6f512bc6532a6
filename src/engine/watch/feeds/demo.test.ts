import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startSteppedDemo } from '../../../../test/watch/stepped-demo.ts';
import { openRecordedCluster } from '../../../adapters/demo/recorded-cluster.ts';
import { DEMO_PACE, demoOptions } from './demo.ts';

describe('the demo', () => {
  it('tells its story, in this order', async () => {
    const demo = await startSteppedDemo();
    const { watch, log, replay } = demo;
    await demo.runToEnd();

    const steps = [
      /node\/leak-b evidence taken \(first of life/,
      /node\/leak-b watch live heap grows/,
      /node\/leak-b evidence taken \(slope/,
      // What its heap keeps proves it from the first capture of a rise.
      /node\/leak-b confirmed as kubernetes#139823.*1\.36\.3/,
      /node\/leak-b was restarted/,
      /node\/leak-b after the restart: came back, intrinsic/,
    ];
    let from = 0;
    for (const step of steps) {
      const at = log.findIndex((line, i) => i >= from && step.test(line));
      assert.notEqual(at, -1, `${step} after line ${from} of\n${log.join('\n')}`);
      from = at + 1;
    }
    assert.ok(log.some(line => /node\/leak-a .*leak proved/.test(line)));
    assert.ok(log.some(line => /node\/fix-e no evidence could be taken/.test(line)));

    const fleet = watch.fleet(168);
    const verdicts = Object.fromEntries(fleet.rows.map(({ target, verdict }) => [target, verdict]));
    assert.equal(verdicts['node/leak-a'], 'leak');
    assert.equal(verdicts['node/leak-b'], 'leak');
    for (const healthy of ['fix-a', 'fix-b', 'fix-d', 'fix-e']) assert.equal(verdicts[`node/${healthy}`], 'healthy');
    assert.match(fleet.sentence, /^2 of 7 targets leak, all on v1\.36\.0; first limit in /);
    assert.ok(
      fleet.rows.every(({ heat, spark }) => heat.length === fleet.bins.count && spark.length === fleet.bins.count),
    );

    const incidents = watch.incidents();
    assert.deepEqual(incidents.map(({ target }) => target).sort(), ['node/leak-a', 'node/leak-b']);
    const incident = await watch.incident(incidents.find(({ target }) => target === 'node/leak-b')?.id ?? '');
    assert.match(incident?.sentence ?? '', /^Known leak kubernetes#139823, fixed in 1\.36\.3/);
    assert.equal(incident?.afterRestart?.verdict, 'came back, intrinsic');
    const kinds = incident?.timeline.map(({ kind }) => kind) ?? [];
    for (const kind of ['watch', 'leak', 'capture', 'restarted', 'after restart'] as const)
      assert.ok(kinds.includes(kind));
    assert.ok(incident?.todo.some(text => text.includes('upgrade to 1.36.3')));
    assert.ok((incident?.avoid.length ?? 0) > 0);
    assert.equal(incident?.analysis?.verdict, 'leak');

    const target = await watch.target('node/leak-b', undefined, undefined);
    assert.equal(target?.epochs.length, 2);
    assert.equal(target?.from, replay.nodes.find(({ name }) => name === 'leak-b')?.fromSeconds);
    const charted = target?.series.map(({ metric }) => metric) ?? [];
    for (const metric of ['go_goroutines', 'go_gc_heap_live_bytes', 'kubelet_running_pods', 'kubelet_pleg_age_seconds'])
      assert.ok(charted.includes(metric), metric);
    assert.ok(target?.events.some(({ kind }) => kind === 'restart'));
    assert.ok((target?.trends.length ?? 0) > 0);

    const known = watch.catalogue().leaks.filter(({ targets }) => targets.length > 0);
    assert.deepEqual(
      known.map(({ targets }) => targets),
      [['node/leak-a', 'node/leak-b']],
    );
    const bundle = await watch.bundle(incidents[0].id);
    assert.deepEqual([...(bundle ?? [])].slice(0, 2), [0x1f, 0x8b]);
    assert.match((await watch.report(incidents[0].id, 'upstream')) ?? '', /kubernetes#139823/);
    await demo.stop();
  });

  it('has a recording of everything in its story', async () => {
    const replay = await openRecordedCluster(fileURLToPath(new URL('../../../../demo', import.meta.url)));
    const { story } = demoOptions(replay, DEMO_PACE, '0.0.0');
    assert.ok(story.every(({ at }) => at >= replay.fromSeconds && at <= replay.toSeconds));
    assert.ok((replay.toSeconds - replay.fromSeconds) / DEMO_PACE < 240, 'under four minutes');
  });
});
