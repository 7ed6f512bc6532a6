import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { NODE, PROFILES, scripted, steady } from '../../../test/watch/scripted-node.ts';
import { process, watchBench } from '../../../test/watch/watch-bench.ts';
import type { Verdict } from '../../judge/verdict.ts';
import type { TargetEvidence } from '../../evidence/capture.ts';

const HOUR = 3600;

describe('watch --capture', () => {
  it('gives the changes of the target along with its evidence', async () => {
    const given: TargetEvidence[] = [];
    const background = {
      ...scripted(() => 'leak'),
      bundle: async (evidence: TargetEvidence) => {
        given.push(evidence);
        return new Uint8Array();
      },
    };
    const bench = watchBench({ background, options: { capturesAllowed: true } });
    const { watch, clock } = bench;
    await watch.start();
    const connection = process(NODE, clock, steady, PROFILES);
    watch.addTarget({ name: NODE, connection, attributes: { version: 'v1.35.7' } });
    await bench.run(HOUR);
    const changedAt = clock.now();
    watch.describe(NODE, { version: 'v1.36.0' }, changedAt);
    await bench.run(HOUR);
    await watch.evaluate();
    await bench.run(1);
    const [{ id }] = watch.incidents();
    await watch.bundle(id);
    const logs = given[0].captures.map(({ manifest }) => manifest.changes);
    assert.deepEqual(logs[0], [{ atSeconds: changedAt, attribute: 'version', from: 'v1.35.7', to: 'v1.36.0' }]);
    assert.ok(
      logs.slice(1).every(log => log === undefined),
      'once is enough',
    );
    await watch.stop();
  });

  it('captures a suspicion at once, and what the capture shows may prove it', async () => {
    let verdict: Verdict = 'healthy';
    const bench = watchBench({ background: scripted(() => verdict), options: { capturesAllowed: true } });
    const { watch, clock } = bench;
    await watch.start();
    const folder = new URL('../../../demo/leak-a/', import.meta.url);
    const heaps = readdirSync(folder).filter(name => name.startsWith('heap-'));
    const last = readFileSync(new URL(heaps.sort().at(-1) ?? '', folder));
    const connection = process(NODE, clock, steady, { '/debug/pprof/heap?gc=1': last });
    watch.addTarget({ name: NODE, connection, attributes: { version: 'v1.36.0' } });
    await bench.run(HOUR);
    verdict = 'watch';
    const before = bench.log.length;
    await watch.evaluate();
    await bench.run(1);
    assert.match(bench.log.slice(before).join('\n'), /evidence taken \(slope: the verdict is watch\)/);
    const [incident] = watch.incidents();
    assert.equal(incident.verdict, 'leak', 'the metrics alone say watch');
    const view = await watch.incident(incident.id);
    assert.deepEqual(
      view?.timeline.map(({ kind }) => kind).filter(kind => kind !== 'note'),
      ['slope', 'watch', 'capture', 'leak'],
    );
    const [ledger] = view?.ledgers ?? [];
    assert.equal(ledger?.verdict, 'leak');
    const kinds = ledger?.entries.map(({ kind }) => kind) ?? [];
    assert.ok(kinds.includes('retention') && kinds.includes('metric-trend'), kinds.join());
    assert.equal((await watch.fleet(1)).rows.find(({ target }) => target === NODE)?.verdict, 'leak');
    await watch.stop();
  });

  it('takes a heap profile of each target every six hours while nothing happens, and keeps four', async () => {
    const bench = watchBench({
      background: scripted(() => 'healthy'),
      options: { capturesAllowed: true, intervalSeconds: 300, evaluateSeconds: 1800, commitSeconds: 600 },
    });
    const { watch, clock } = bench;
    await watch.start();
    const connection = process(NODE, clock, steady, PROFILES);
    watch.addTarget({ name: NODE, connection, attributes: {} });
    await bench.run(48.5 * HOUR);
    const { captures = [], events = [] } = (await watch.target(NODE, undefined, undefined)) ?? {};
    const routine = captures.filter(({ trigger }) => trigger === 'routine');
    assert.equal(routine.length, 4);
    assert.deepEqual([...new Set(routine.flatMap(({ files }) => files.map(({ kind }) => kind)))], ['heap']);
    const gaps = routine.slice(1).map(({ at }, i) => (at - routine[i].at) / HOUR);
    assert.ok(
      gaps.every(hours => hours >= 6 && hours < 6.2),
      gaps.join(),
    );
    const asked = connection.requests.filter(path => path.startsWith('/debug/pprof/heap'));
    assert.equal(asked.length, 9, 'one of the first capture, then one every six hours');
    assert.equal(events.filter(({ kind }) => kind === 'capture').length, 1, 'they are not events');
    await watch.stop();
  });
});
