import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resource, steady } from '../../../test/watch/scripted-node.ts';
import { process, realBackground, watchBench, type WatchBench } from '../../../test/watch/watch-bench.ts';
import type { CohortVerdict } from '../../judge/cohorts/cohort-model.ts';
import type { Background } from '../background.ts';
import type { Verdict } from '../../judge/verdict.ts';
import { memoryStore } from '../io/memory-store.ts';

const HOUR = 3600;
const NODES = ['node/a', 'node/b', 'node/c', 'node/d', 'node/e'];
/** a, b and c have the new version; c does not grow. */
const NEW = new Set(['node/a', 'node/b', 'node/c']);

function cohort(verdict: Verdict): CohortVerdict {
  return {
    attribute: 'version',
    value: 'v2',
    resource: 'live heap',
    unit: 'bytes',
    verdict,
    ratePerHour: [9e5, 1e6, 1.1e6],
    spreadPerHour: 0,
    targets: 3,
    observed: 3,
    leaking: ['node/a', 'node/b'],
    against: [{ target: 'node/c', ratePerHour: 0, differs: ['kernel 6.1, not 6.8'] }],
    controls: 2,
    controlsLeaking: 0,
    equalAges: false,
    sinceSeconds: undefined,
    windowHours: 12,
    chance: 1e-6,
    leastChance: 1e-9,
    vetoes: [],
    alternatives: [],
    onset: [],
    hoursForOne: 9,
    sentence: 'version v2: live heap grows',
  };
}

/** Targets leak by themselves if `leaking` names them; the cohort has the verdict that `say` returns. */
function fleet(leaking: ReadonlySet<string>, say: () => Verdict): Background {
  return {
    ...realBackground(1),
    observe: () => {},
    evaluate: async () =>
      NODES.map(target => {
        const verdict = leaking.has(target) ? 'leak' : 'healthy';
        return { target, verdict, resources: [resource(verdict, leaking.has(target) ? [20, 30] : undefined)] };
      }),
    cohorts: async () => [cohort(say())],
  };
}

async function started(background: Background, store = memoryStore()): Promise<WatchBench> {
  const options = { intervalSeconds: 600, evaluateSeconds: 600, commitSeconds: 60 };
  const bench = watchBench({ background, store, options });
  await bench.watch.start();
  for (const name of NODES) {
    const attributes = { version: NEW.has(name) ? 'v2' : 'v1' };
    bench.watch.addTarget({ name, connection: process(name, bench.clock, steady), attributes });
  }
  return bench;
}

describe('incidents of cohorts', () => {
  it('have the incidents of their targets folded into them, and are counted once', async () => {
    let verdict: Verdict = 'watch';
    const bench = await started(fleet(new Set(['node/a', 'node/b', 'node/e']), () => verdict));
    const { watch } = bench;
    await bench.run(700);
    assert.deepEqual(
      watch.incidents().map(({ cohort: of, partOf }) => [of, partOf]),
      [
        [null, null],
        [null, null],
        [null, null],
      ],
      'nothing is blamed before the proof',
    );
    verdict = 'leak';
    await bench.run(HOUR);
    const [whole] = watch.incidents().filter(({ cohort: of }) => of !== null);
    assert.equal(whole.sentence, 'v2 leaks on 2 of 3 nodes, 0 of 2 elsewhere: stop the rollout.');
    assert.deepEqual(whole.cohort, { attribute: 'version', value: 'v2', folded: 2, open: 2 });
    const folded = watch.incidents().filter(({ partOf }) => partOf === whole.id);
    assert.deepEqual(folded.map(({ target }) => target).sort(), ['node/a', 'node/b']);
    assert.equal(watch.incidents().find(({ target }) => target === 'node/e')?.partOf, null, 'of another version');
    assert.match(watch.metrics(), /^oakum_incidents_open 2$/m);
    assert.match(watch.metrics(), /^oakum_incidents_folded 2$/m);
    assert.match(
      (await watch.fleet(24)).sentence,
      /^v2 leaks on 2 of 3 nodes, 0 of 2 elsewhere: stop the rollout\. 1 other/,
    );
    assert.equal(bench.log.filter(line => line.includes('stop the rollout')).length, 1);
    const view = await watch.cohortIncident(whole.id);
    assert.deepEqual(
      view?.members.map(({ target, role }) => `${target} ${role}`),
      ['node/a grows', 'node/b grows', 'node/c against'],
    );
    assert.deepEqual(view?.members[2].differs, ['kernel 6.1, not 6.8']);
    assert.ok(view?.todo.some(step => step.startsWith('stop the rollout of v2')));
    assert.ok(
      view?.todo.some(step => step.startsWith('restart node/a first')),
      view?.todo.join('\n'),
    );
    assert.deepEqual(await watch.bundle(whole.id), { refused: 'no profile was captured during it' });
    const cohorts = await watch.cohorts();
    assert.deepEqual(
      cohorts.incidents.map(({ id }) => id),
      [whole.id],
    );
    await watch.stop();
  });

  it('are acknowledged for all of their targets', async () => {
    const { watch, run } = await started(fleet(new Set(['node/a']), () => 'leak'));
    await run(700);
    const [whole] = watch.incidents().filter(({ cohort: of }) => of !== null);
    assert.ok(watch.annotate(whole.id, { by: 'kim', text: 'rolling back', acknowledges: true }));
    const all = watch.incidents();
    assert.deepEqual(
      all.map(({ acknowledged }) => acknowledged?.by),
      all.map(() => 'kim'),
    );
    const view = await watch.cohortIncident(whole.id);
    assert.equal(view?.timeline.at(-1)?.text, 'by kim: rolling back');
    await watch.stop();
  });

  it('end when no target has the value any more, or when nothing grows for a day', async () => {
    let verdict: Verdict = 'leak';
    const back = await started(fleet(new Set(['node/a']), () => verdict));
    await back.run(700);
    verdict = 'healthy';
    await back.run(HOUR);
    const open = (bench: WatchBench): number =>
      bench.watch.incidents().filter(({ cohort: of, closedAt }) => of !== null && closedAt === null).length;
    assert.equal(open(back), 1, 'not yet');
    for (const name of NEW) back.watch.describe(name, { version: 'v1' });
    await back.run(HOUR);
    assert.equal(open(back), 0);
    const [rolledBack] = back.watch.incidents().filter(({ cohort: of }) => of !== null);
    assert.equal(rolledBack.sentence, 'v2 leaked on 2 of 3 nodes, 0 of 2 elsewhere; it is over.');
    await back.watch.stop();

    verdict = 'leak';
    const quiet = await started(fleet(new Set(), () => verdict));
    await quiet.run(700);
    assert.equal(open(quiet), 1);
    verdict = 'healthy';
    await quiet.run(26 * HOUR);
    assert.equal(open(quiet), 0);
    await quiet.watch.stop();
  });

  it('survive a restart of Oakum', async () => {
    const store = memoryStore();
    const background = (): Background => fleet(new Set(['node/a']), () => 'leak');
    const first = await started(background(), store);
    await first.run(700);
    const [{ id }] = first.watch.incidents().filter(({ cohort: of }) => of !== null);
    await first.run(700);
    const again = await started(background(), store);
    await again.run(700);
    const found = again.watch.incidents().filter(({ cohort: of }) => of !== null);
    assert.deepEqual(
      found.map(one => one.id),
      [id],
    );
    assert.equal(found[0].cohort?.folded, 2, 'the cohort proves node/b');
    await again.watch.stop();
  });
});

describe('the rollout', () => {
  it('counts who had which value when, against growth', async () => {
    const bench = await started(fleet(new Set(), () => 'healthy'));
    const { watch, clock } = bench;
    await bench.run(10 * HOUR);
    watch.describe('node/d', { version: 'v2' });
    await bench.run(10 * HOUR);
    const view = await watch.rollout('version', 20, undefined);
    assert.deepEqual(
      view.values.map(({ value }) => value),
      ['v2', 'v1'],
    );
    const [v2, v1] = view.values;
    assert.deepEqual([v2.targets[10], v2.targets.at(-1)], [3, 4]);
    assert.deepEqual([v1.targets[10], v1.targets.at(-1)], [2, 1]);
    assert.ok(view.values.every(({ growth }) => growth.every(value => value === null || Math.abs(value) < 1)));
    assert.equal(view.at, clock.now());
    assert.deepEqual((await watch.rollout('pool', 20, undefined)).values, []);
    await watch.stop();
  });
});
