/** Plans and their logs in every RecordStore. */
import assert from 'node:assert/strict';
import { describe, it } from './counted-tests.ts';
import type { PlanRecord } from '../../src/store/plan-log.ts';
import { smallPlan } from '../double/small-plan.ts';
import { reopened, type StoreImplementation, T0 } from './store-under-test.ts';

export function planStoreContract({ name, make, isLasting }: StoreImplementation): void {
  describe(`RecordStore: ${name}`, () => {
    it('adds plans and their records, in order, and changes none of them', async t => {
      const made = await make(t);
      const { store } = made;
      const plan = (id: string, madeAt: number, madeBy = 'kim') => ({
        id,
        incidentId: 'i-1',
        madeBy,
        madeAt,
        document: smallPlan(['worker-1']),
      });
      const record = (planId: string, number: number, actor = 'kim'): PlanRecord => ({
        schema: 'oakum.plan-log/v1',
        number,
        at: '2026-11-17T00:00:00.000Z',
        planId,
        planHash: 'sha256:x',
        actor,
        kind: 'step-began',
        step: `worker-1/${number}`,
        node: 'worker-1',
      });
      assert.equal(store.put({ kind: 'plan', record: plan('plan-a', T0) }), true);
      store.put({ kind: 'plan', record: plan('plan-b', T0 + 60) });
      store.put({ kind: 'plan-log', record: record('plan-a', 1) });
      store.put({ kind: 'plan-log', record: record('plan-b', 1) });
      store.put({ kind: 'plan-log', record: record('plan-a', 2) });
      assert.deepEqual(
        [await store.records({ kind: 'plan' }), await store.records({ kind: 'plan-log', id: 'plan-a' })],
        [[], []],
      );
      await store.commit();
      store.put({ kind: 'plan', record: plan('plan-a', T0 + 120, 'mallory') });
      store.put({ kind: 'plan-log', record: record('plan-a', 2, 'mallory') });
      store.put({ kind: 'plan-log', record: record('plan-a', 3) });
      assert.equal((await store.commit()).committed, true);
      const last = isLasting ? await reopened(made) : store;
      const found = await last.records({ kind: 'plan' });
      assert.deepEqual(
        found.map(({ id, madeBy }) => `${id} ${madeBy}`),
        ['plan-b kim', 'plan-a kim'],
      );
      assert.deepEqual(found[0]?.document, smallPlan(['worker-1']));
      const records = await last.records({ kind: 'plan-log', id: 'plan-a' });
      assert.deepEqual(
        records.map(({ number, actor }) => `${number} ${actor}`),
        ['1 kim', '2 kim', '3 kim'],
      );
    });
  });
}
