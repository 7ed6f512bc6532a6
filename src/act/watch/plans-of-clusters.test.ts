import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exampleService } from '../../../test/double/example-service.ts';
import { actingWorld, type ActingWorld } from '../../../test/double/world/acting-world.ts';
import { inTime } from '../../../test/double/world/in-time.ts';
import { planningIn, watchedWorld, type WatchedWorld } from '../../../test/double/world/watched-world.ts';
import { memoryStore } from '../../watch/io/memory-store.ts';
import type { NodePlan } from '../plan/plan.ts';
import type { NewPlan, WatchPlans } from './watch-plan.ts';
import { inCluster } from '../../evidence/target.ts';
import { watchedSamples } from './verify-in-watch.ts';

const RESTART: NewPlan = { by: 'kim', action: 'restart', drain: false, again: false, force: null };

/** A cohort with worker-1 in eu and worker-1 and worker-2 in us; each has an incident of its own. */
async function twoClusters(): Promise<{
  readonly id: string;
  readonly eu: WatchedWorld;
  readonly us: ActingWorld;
  readonly plans: WatchPlans;
}> {
  const example = exampleService();
  const id = example.incidents().find(({ cohort }) => cohort !== null)?.id ?? assert.fail();
  const cohort = (await example.cohortIncident(id)) ?? assert.fail();
  const incident = (await example.incident('i-1')) ?? assert.fail();
  const [row] = example.fleetRows(['node/worker-1'], 1);
  assert.ok(row !== undefined);
  const targets = [
    inCluster('node/worker-1', 'eu'),
    inCluster('node/worker-1', 'us'),
    inCluster('node/worker-2', 'us'),
  ];
  const idOf = (target: string): string => `i-of-${targets.indexOf(target)}`;
  const eu = watchedWorld({
    fleetRows: () => targets.map(target => ({ ...row, target, incidentId: idOf(target) })),
    incident: async asked => {
      const target = targets.find(one => idOf(one) === asked);
      return target === undefined ? undefined : { ...incident, id: asked, target };
    },
    cohortIncident: async asked =>
      asked === id
        ? {
            ...cohort,
            members: targets.map(target => ({
              ...(cohort.members[0] ?? assert.fail()),
              target,
              incidentId: idOf(target),
            })),
          }
        : undefined,
  });
  const us = actingWorld(['worker-1', 'worker-2']);
  const worlds = new Map([
    ['eu', eu],
    ['us', us],
  ] as const);
  const plans = eu.plans({
    ports: {
      cluster: 'there are several',
      clusterNamed: name => {
        const world = worlds.get(name as 'eu');
        return world === undefined ? `${name} is not watched` : { ...planningIn(world), clusterName: name };
      },
      acting: async plan => ({
        ports: (worlds.get(plan.cluster.name as 'eu') ?? assert.fail()).ports,
        actor: 'system:serviceaccount:oakum:oakum',
        holder: `${plan.id}@test/1`,
        hasEnded: () => false,
      }),
    },
  });
  return { id, eu, us, plans };
}

/** The state of the newest plan, once the clock of its world has moved the apply to its end. */
async function ended(plans: WatchPlans, id: string, { clock }: ActingWorld): Promise<string | undefined> {
  const state = async (): Promise<string | undefined> => (await plans.view(id))?.plans[0]?.state;
  await inTime(
    clock,
    (async () => {
      while ((await state()) === 'applying') await clock.sleep(1, new AbortController().signal);
    })(),
  );
  return state();
}

describe('plans in a watch of several clusters', () => {
  it('are for one cluster, which is chosen if there are several', async () => {
    const { id, plans } = await twoClusters();
    const view = await plans.view(id);
    assert.deepEqual([view?.cannotPlan, view?.clusters], [null, ['eu', 'us']]);
    assert.deepEqual(await plans.make(id, RESTART), {
      refused: 'its nodes are in 2 clusters (eu, us), and a plan is for one: choose it',
    });
    assert.deepEqual(await plans.make(id, { ...RESTART, cluster: 'ap' }), {
      refused: 'no node of it grows in the cluster ap; there are eu, us',
    });
  });

  it('name their cluster, are approved with it, and act on it alone', async () => {
    const { id, eu, us, plans } = await twoClusters();
    const made = await plans.make(id, { ...RESTART, cluster: 'us' });
    assert.ok(made !== undefined && !('refused' in made), JSON.stringify(made));
    assert.equal(made.node, '2 nodes of us');
    assert.match((await plans.file(made.id)) ?? '', /^ {2}name: us$/m);
    const approval = { by: 'kim', hash: made.hash };
    assert.match(JSON.stringify(await plans.apply(made.id, { ...approval, confirm: '2 nodes' })), /is not that/);
    await plans.apply(made.id, { ...approval, confirm: '2 nodes of us' });
    assert.equal(await ended(plans, id, us), 'applied');
    assert.deepEqual([us.restarts, eu.restarts], [['worker-1', 'worker-2'], []]);
  });

  it('are about the one cluster of a node', async () => {
    const { eu, us, plans } = await twoClusters();
    const view = await plans.view('i-of-0');
    assert.deepEqual([view?.node, view?.clusters, view?.cannotPlan], ['worker-1', undefined, null]);
    const made = await plans.make('i-of-0', RESTART);
    assert.ok(made !== undefined && !('refused' in made), JSON.stringify(made));
    assert.equal(made.node, 'eu/worker-1');
    await plans.apply(made.id, { by: 'kim', hash: made.hash, confirm: 'eu/worker-1' });
    assert.equal(await ended(plans, 'i-of-0', eu), 'applied');
    assert.deepEqual([eu.restarts, us.restarts], [['worker-1'], []]);
  });

  it('are verified by the samples of their own cluster', async () => {
    const store = memoryStore();
    store.addSample('cluster/eu/node/worker-1', 1000, { go_goroutines: 1 });
    store.addSample('cluster/us/node/worker-1', 1000, { go_goroutines: 2 });
    await store.commit();
    const nodePlan = { node: 'worker-1', verification: { before: { resource: null } } } as NodePlan;
    const cluster = { name: 'us', context: 'c', address: 'a', uid: 'c', nodeCount: 1, notReadyCount: 0 };
    const samples = await watchedSamples(store, { cluster }, nodePlan, 0, () => 2000).read();
    assert.deepEqual(samples, [{ node: 'worker-1', at: 1000, values: { go_goroutines: 2 } }]);
  });
});
