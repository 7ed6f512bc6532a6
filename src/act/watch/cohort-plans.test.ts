import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exampleService } from '../../../test/double/example-service.ts';
import { watchedWorld } from '../../../test/double/world/watched-world.ts';
import { inTime } from '../../../test/double/world/in-time.ts';
import type { NewPlan } from './watch-plan.ts';
import type { WatchService } from '../../watch/watch-service.ts';

const RESTART: NewPlan = { by: 'kim', action: 'restart', drain: false, again: false, force: null };

/** worker-1 is proved to leak by itself, worker-2 only with its cohort; worker-3 is of the cohort and does not grow. */
async function cohortOf(
  idOf2: string | null,
): Promise<{ readonly id: string; readonly service: Partial<WatchService> }> {
  const example = exampleService();
  const id = example.incidents().find(({ cohort }) => cohort !== null)?.id ?? assert.fail();
  const cohort = (await example.cohortIncident(id)) ?? assert.fail();
  const incident = (await example.incident('i-1')) ?? assert.fail();
  const [grows, against] = cohort.members;
  assert.ok(grows !== undefined && against !== undefined);
  const [row] = example.fleetRows(['node/worker-1'], 1);
  assert.ok(row !== undefined);
  return {
    id,
    service: {
      fleetRows: () => [row, { ...row, target: 'node/worker-2', verdict: 'watch' }],
      incident: async asked =>
        asked === 'i-1' || asked === idOf2
          ? { ...incident, id: asked, target: `node/worker-${asked.slice(2)}` }
          : undefined,
      cohortIncident: async asked =>
        asked === id
          ? {
              ...cohort,
              members: [
                grows,
                { ...grows, target: 'node/worker-2', verdict: 'watch', incidentId: idOf2 },
                { ...against, target: 'node/worker-3' },
              ],
            }
          : undefined,
    },
  };
}

describe('the plan of a cohort', () => {
  it('is for the nodes that grow, one after another, and approved by their number', async () => {
    const { id, service } = await cohortOf('i-2');
    const watched = watchedWorld(service);
    const plans = watched.plans({ mayAct: true });
    const view = await plans.view(id);
    assert.deepEqual([view?.node, view?.cannotPlan], [null, null]);
    const made = await plans.make(id, RESTART);
    assert.ok(made !== undefined && !('refused' in made), JSON.stringify(made));
    assert.equal(made.node, '2 nodes');
    assert.match((await plans.file(made.id)) ?? '', /v1\.36\.0 leaks on 9 of 10 nodes/);
    const approval = { by: 'kim', hash: made.hash };
    for (const confirm of ['worker-1', '3 nodes', 'nodes'])
      assert.match(JSON.stringify(await plans.apply(made.id, { ...approval, confirm })), /typed in is not/, confirm);
    assert.deepEqual(watched.restarts, []);
    await plans.apply(made.id, { ...approval, confirm: '2 nodes' });
    const state = async (): Promise<string | undefined> => (await plans.view(id))?.plans[0]?.state;
    await inTime(
      watched.clock,
      (async () => {
        while ((await state()) === 'applying') await watched.clock.sleep(1, new AbortController().signal);
      })(),
    );
    assert.equal(await state(), 'applied');
    assert.deepEqual(watched.restarts, ['worker-1', 'worker-2']);
  });

  it('leaves out nodes of which no evidence is saved, and says so', async () => {
    const { id, service } = await cohortOf(null);
    const watched = watchedWorld(service);
    const made = await watched.plans().make(id, RESTART);
    assert.ok(made !== undefined && !('refused' in made), JSON.stringify(made));
    assert.equal(made.node, 'worker-1');
    assert.match(made.warnings.join('\n'), /^worker-2 is left out: no evidence was saved, and a restart destroys it/);
    assert.equal(await watched.plans().view('no-such'), undefined);
  });
});
