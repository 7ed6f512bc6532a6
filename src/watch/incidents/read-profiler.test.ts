import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { demoProfiles } from '../../../test/double/profiler.ts';
import { NODE, scripted, steady } from '../../../test/watch/scripted-node.ts';
import { process, T0, watchBench } from '../../../test/watch/watch-bench.ts';
import { encodeProfile } from '../../profile/formats/pprof/encode.ts';
import type { Verdict } from '../../judge/verdict.ts';
import type { PastProfiles, PastQuery, ProfileHistory } from '../../live/ports.ts';
import { Failure } from '../../base/errors.ts';

const HOUR = 3600;
const LABELS = { service_name: 'kubelet', node: 'a' };

/** Heap profiles of the demo, the last of them at T0. */
function profiler(): ProfileHistory & { readonly queries: PastQuery[]; readonly reads: number[]; isDown: boolean } {
  const heaps = demoProfiles('leak-a', T0 - 1_794_774_072).filter(({ kind }) => kind === 'heap');
  const found: PastProfiles = {
    kind: 'heap',
    labels: LABELS,
    selector: 'service_name="kubelet",node="a"',
    atSeconds: heaps.map(({ atSeconds }) => atSeconds),
    withinSeconds: 0,
  };
  const history = {
    address: 'http://pyroscope:4040',
    queries: [] as PastQuery[],
    reads: [] as number[],
    isDown: false,
    async find(query: PastQuery) {
      history.queries.push(query);
      if (history.isDown) throw new Failure('no-answer', 'http://pyroscope:4040: it refuses connections');
      return query.accepts?.(LABELS) === false ? [] : [found];
    },
    async read(_: PastProfiles, atSeconds: number) {
      history.reads.push(atSeconds);
      const { profile } = heaps.find(one => one.atSeconds === atSeconds) ?? heaps[0];
      return { atSeconds, bytes: encodeProfile(profile) };
    },
  };
  return history;
}

const profilerOf = (history: ProfileHistory) => ({ history, selector: 'cluster="east"', sinceSeconds: 6 * HOUR });

describe('watch with a continuous profiler', () => {
  it('reads the past of what is suspected once, tells the source, and may prove it without captures of its own', async () => {
    let verdict: Verdict = 'healthy';
    const history = profiler();
    const bench = watchBench({ background: scripted(() => verdict), profiler: profilerOf(history) });
    await bench.watch.start();
    bench.watch.addTarget({ name: NODE, connection: process(NODE, bench.clock, steady), attributes: {} });
    await bench.run(600);
    assert.equal(history.queries.length, 0, 'nothing is suspected');
    verdict = 'watch';
    await bench.watch.evaluate();
    await bench.run(600);
    assert.equal(history.reads.length, 4);
    assert.equal(history.queries[0].selector, 'node="a",cluster="east"');
    const [incident] = bench.watch.incidents();
    assert.equal(incident.verdict, 'leak', 'the metrics alone say watch');
    const view = await bench.watch.incident(incident.id);
    assert.deepEqual(
      view?.captures.map(({ trigger, reason }) => [trigger, reason]),
      Array.from({ length: 4 }, () => ['profiler', 'from http://pyroscope:4040: {service_name="kubelet",node="a"}']),
    );
    const steps = view?.timeline.filter(({ kind }) => kind === 'capture').map(({ text }) => text);
    assert.deepEqual(steps, ['4 profiles of the past from http://pyroscope:4040: {service_name="kubelet",node="a"}']);
    assert.match(bench.watch.metrics(), /^oakum_past_profiles_total 4$/m);
    await bench.watch.evaluate();
    await bench.run(2 * HOUR);
    assert.equal(history.reads.length, 4, 'they are not read again');
    await bench.watch.stop();
  });

  it('says once that there are none, and asks again after an hour', async () => {
    const history = profiler();
    history.isDown = true;
    const bench = watchBench({ background: scripted(() => 'watch'), profiler: profilerOf(history) });
    await bench.watch.start();
    bench.watch.addTarget({ name: NODE, connection: process(NODE, bench.clock, steady), attributes: {} });
    await bench.run(0.9 * HOUR);
    assert.equal(history.queries.length, 1);
    history.isDown = false;
    await bench.run(HOUR);
    assert.equal(history.reads.length, 4);
    const told = bench.log.filter(line => line.includes('no profiles of the past'));
    assert.equal(told.length, 1);
    assert.match(told[0], /no profiles of the past: http:\/\/pyroscope:4040: it refuses connections$/);
    await bench.watch.stop();
  });
});
