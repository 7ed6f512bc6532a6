import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startSteppedDemo } from '../../../test/watch/stepped-demo.ts';
import { NATIVE_MEMORY } from '../../evidence/metric-names.ts';
import { isGzip } from '../../base/sniff.ts';
import { openRecordedCluster } from '../io/recorded-cluster.ts';
import { DEMO_PACE } from './demo.ts';

describe('the demo', () => {
  it('tells its story, in this order', async () => {
    const demo = await startSteppedDemo();
    const { watch, log, replay } = demo;
    await demo.runToEnd();

    const steps = [
      /node\/leak-b evidence taken \(first of life/,
      /node\/leak-b watch: live heap grows/,
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

    // The pages tell what the log tells, and nothing before it was concluded.
    const { story } = watch.status();
    const clock = (at: number): string => new Date(at * 1000).toISOString().slice(11, 19);
    assert.deepEqual(
      story.map(({ at, target, text }) => [clock(at), ...(target === null ? [] : [target]), text].join(' ')),
      log,
    );
    assert.deepEqual(
      story.map(({ at }) => at),
      story.map(({ at }) => at).sort((a, b) => a - b),
    );
    const headlines = story.filter(({ target }) => target === null).map(({ text }) => text);
    assert.match(headlines[0] ?? '', /^3 targets answer; too little is known/);
    assert.ok(headlines.some(text => /^2 of 7 targets leak, all on v1\.36\.0/.test(text)));
    const end = story.at(-1);
    assert.equal(end?.kind, 'end');
    assert.match(end?.text ?? '', /^The recording is over\. 2 of 7 targets leak/);
    assert.equal(end?.incidentId, watch.incidents().find(({ target }) => target === 'node/leak-b')?.id);
    assert.ok(
      story.some(
        ({ target, text }) => target === 'node/fix-b' && /^healthy: goroutines follow pods: 8 → \d\d$/.test(text),
      ),
    );

    const fleet = await watch.fleet(168);
    const causes = Object.fromEntries(fleet.rows.map(({ target, cause }) => [target, cause?.text]));
    assert.equal(causes['node/leak-a'], 'kubernetes#139823, fixed in 1.36.3, 1.37.0');
    assert.equal(causes['node/fix-b'], 'goroutines follow pods: 8 → 82');
    assert.match(causes['node/leak-d'] ?? '', /^live heap rises \d\.\d\d MiB\/h, too little to judge yet$/);
    const doubtful = fleet.rows.find(({ target }) => target === 'node/leak-d');
    assert.equal(doubtful?.verdict, 'unknown');
    assert.match(doubtful.reason, /^Live heap rises .*; v1\.36\.0 has a known leak of live heap: kubernetes#139823\.$/);
    const verdicts = Object.fromEntries(fleet.rows.map(({ target, verdict }) => [target, verdict]));
    assert.equal(verdicts['node/leak-a'], 'leak');
    assert.equal(verdicts['node/leak-b'], 'leak');
    for (const healthy of ['fix-a', 'fix-b', 'fix-d', 'fix-e']) assert.equal(verdicts[`node/${healthy}`], 'healthy');
    assert.match(fleet.sentence, /^2 of 7 targets leak, all on v1\.36\.0; first limit in /);
    assert.ok(
      fleet.rows.every(({ heat, spark }) => heat.length === fleet.bins.count && spark.length === fleet.bins.count),
    );

    const shown = await watch.target('node/leak-a', undefined, undefined);
    const native = shown?.series.find(({ metric }) => metric === NATIVE_MEMORY);
    const resident = shown?.series.find(({ metric }) => metric === 'process_resident_memory_bytes');
    assert.ok(native !== undefined && resident !== undefined && native.times.length > 10);
    assert.ok(native.values.every((value, i) => value >= 0 && value < (resident.values[i] ?? 0)));
    const ofNative = shown?.resources.find(({ resource }) => resource === 'memory outside the Go heap');
    assert.ok(ofNative?.history.some(value => value !== null && value > 0));

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
    assert.ok(bundle instanceof Uint8Array && isGzip(bundle));
    assert.match(String(await watch.report(incidents[0].id, 'upstream')), /kubernetes#139823/);

    const id = incidents[0].id;
    const note = watch.annotate(id, { by: 'kim', text: 'see #42', acknowledges: true });
    assert.equal(note?.by, 'kim');
    const annotated = await watch.incident(id);
    assert.deepEqual(annotated?.notes, [note]);
    assert.equal(annotated?.acknowledged?.by, 'kim');
    assert.deepEqual(annotated?.timeline.at(-1), {
      at: note?.at,
      kind: 'acknowledged',
      text: 'by kim: see #42',
      captureId: null,
    });
    await watch.settle();
    const events = (await watch.target(incidents[0].target, undefined, undefined))?.events ?? [];
    assert.ok(events.some(({ kind, text }) => kind === 'note' && text === 'acknowledged by kim: see #42'));
    assert.match(String(await watch.report(id, 'incident')), /\n## Notes\n\n- \S+Z kim: acknowledged: see/);
    assert.doesNotMatch(String(await watch.report(id, 'upstream')), /kim|## Notes/, 'notes do not leave');
    assert.equal(watch.annotate('i-0', { by: 'kim', text: 'x', acknowledges: false }), undefined);
    await demo.stop();
  });

  it('is over within three minutes', async () => {
    const replay = await openRecordedCluster(fileURLToPath(new URL('../../../demo', import.meta.url)));
    assert.ok((replay.toSeconds - replay.fromSeconds) / DEMO_PACE < 150, 'with half a minute for a slow machine');
  });
});
