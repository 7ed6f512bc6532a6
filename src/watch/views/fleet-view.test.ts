import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgedFleet } from '../../../test/watch/judged-fleet.ts';
import type { CohortVerdict } from '../../judge/cohorts/cohort-model.ts';
import type { Verdict } from '../../judge/verdict.ts';
import type { Watch } from '../watch-service.ts';
import { suspectedAttributes } from './fleet-view.ts';

const namesOf = async (watch: Watch, asked: Parameters<Watch['fleet']>[1]): Promise<string[]> =>
  (await watch.fleet(1, asked)).rows.map(({ target }) => target);

it('attributes that come with growth are those to look at first', () => {
  const cohort = (attribute: string, verdict: Verdict): CohortVerdict => ({ attribute, verdict }) as CohortVerdict;
  const cohorts = [
    cohort('kernel', 'watch'),
    cohort('pool', 'healthy'),
    cohort('gate/A', 'leak'),
    cohort('kernel', 'leak'),
  ];
  assert.deepEqual(suspectedAttributes({ cohorts }), ['gate/A', 'kernel']);
});

describe('the view of a fleet', () => {
  const oneLeaks = (index: number): Verdict => (index === 7 ? 'leak' : index === 3 ? 'watch' : 'healthy');

  it('has the rows of the window only, and what is known about all', async () => {
    const { watch } = await judgedFleet(20, oneLeaks);
    const view = await watch.fleet(1, { offset: 1, limit: 2, is: [['pool', 'odd']], find: 'node/n9' });
    assert.deepEqual(
      view.rows.map(({ target }) => target),
      ['node/n3', 'node/n1'],
    );
    assert.deepEqual([view.total, view.matching, view.offset], [20, 10, 1]);
    assert.deepEqual(view.counts, { leak: 1, watch: 1, healthy: 18, unknown: 0 });
    assert.deepEqual([view.found?.index, view.found?.row.target], [9, 'node/n9']);
    assert.match(view.leaking[0].reason, /^Live heap grows/);
    assert.deepEqual(
      view.leaking.map(({ target }) => target),
      ['node/n7'],
    );
    assert.equal(view.sentence, '1 of 20 targets leaks; 1 more to watch; first limit in 8h to 16h.');
    assert.equal(view.rows[0].spark.filter(value => value !== null).at(-1), 55_600_000);
  });

  it('counts the values of the attribute that was asked for, a gate only if it comes with growth', async () => {
    const { watch } = await judgedFleet(6, oneLeaks);
    const { attributes, cohorts } = await watch.fleet(1);
    assert.deepEqual(attributes, ['pool']);
    assert.deepEqual(
      cohorts?.values.map(({ value, total }) => [value, total]),
      [
        ['even', 3],
        ['odd', 3],
      ],
    );
    assert.equal((await watch.fleet(1, { by: 'gate/Fast' })).cohorts?.attribute, 'pool');
    assert.deepEqual(await namesOf(watch, { is: [['gate/Fast', 'on']] }), ['node/n3', 'node/n0']);
  });

  it('has no rows beyond the last, and nothing of a target that does not match', async () => {
    const { watch } = await judgedFleet(3, oneLeaks);
    assert.deepEqual(await namesOf(watch, { offset: 3 }), []);
    assert.deepEqual(await namesOf(watch, { offset: 1000 }), []);
    assert.deepEqual(await namesOf(watch, { limit: 0 }), []);
    assert.equal((await watch.fleet(1, { find: 'node/n1', search: 'n2' })).found, null);
    assert.equal((await watch.fleet(1, { find: 'node/other' })).found, null);
  });

  it('is the same in pages as in one answer, in a large fleet, too', async () => {
    const { watch } = await judgedFleet(1200, index => (index % 9 === 0 ? 'leak' : 'healthy'));
    for (const asked of [{}, { sort: 'name' as const }, { search: 'n1', sort: 'level' as const }]) {
      const whole = await namesOf(watch, asked);
      const paged: string[] = [];
      for (let offset = 0; offset < whole.length; offset += 250)
        paged.push(...(await namesOf(watch, { ...asked, offset, limit: 250 })));
      assert.deepEqual(paged, whole);
      assert.equal(new Set(paged).size, whole.length);
    }
  });

  it('follows verdicts at once, and what has no event within seconds, in a large fleet', async () => {
    let leaking = 5;
    const { watch, clock } = await judgedFleet(1001, index => (index === leaking ? 'leak' : 'healthy'));
    assert.deepEqual(await namesOf(watch, { limit: 1 }), ['node/n5']);
    leaking = 900;
    await watch.evaluate(clock.now());
    assert.deepEqual(await namesOf(watch, { limit: 1 }), ['node/n900']);
    assert.equal((await watch.fleet(1, { find: 'node/n5' })).found?.row.verdict, 'healthy');
    watch.addTarget({ name: 'node/new', connection: undefined, attributes: { pool: 'fresh' } });
    watch.removeTarget('node/n900');
    await clock.runUntil(clock.now() + 11, async () => {});
    const { total, rows } = await watch.fleet(1, { limit: 2 });
    assert.deepEqual([total, rows[0]?.target], [1001, 'node/new']);
  });

  it('is made once for all who ask at the same time, and again for a change meanwhile', async () => {
    let leaking = 5;
    const { watch, clock } = await judgedFleet(1500, index => (index === leaking ? 'leak' : 'healthy'));
    const before = watch.fleet(1, { limit: 1 });
    leaking = 6;
    const evaluated = watch.evaluate(clock.now());
    const [first] = await Promise.all([before, evaluated]);
    const after = await Promise.all([watch.fleet(1, { limit: 1 }), watch.fleet(1, { limit: 1, sort: 'limit' })]);
    assert.equal(first.counts.leak, 1);
    assert.deepEqual(
      after.map(({ rows }) => rows[0].target),
      ['node/n6', 'node/n6'],
    );
  });
});
