/** The contract of every StoreRows: what a store wrote can be copied to another, and is the same there. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { encodeText } from '../../src/base/text.ts';
import { keyOfRow, type StoreKey, type StoreRows, TABLE_NAMES, tableText } from '../../src/ports/store-rows.ts';
import type { WatchStore } from '../../src/ports/watch-store.ts';
import { exampleNotice } from '../double/notices.ts';
import { smallPlan } from '../double/small-plan.ts';
import { T0 } from './store-under-test.ts';

/** A store that is new, as the watch and as a copy see it; one of them at a time. */
export interface CopiedStore {
  openStore(): Promise<WatchStore>;
  openRows(toRead: boolean): Promise<StoreRows>;
}

export interface RowsImplementation {
  readonly name: string;
  make(t: TestContext): Promise<CopiedStore>;
}

/** Every pair of them, also of the same kind. */
export function storeRowsContract(implementations: readonly RowsImplementation[]): void {
  for (const from of implementations) {
    for (const to of implementations)
      describe(`StoreRows: ${from.name} to ${to.name}`, () => {
        it('copies everything, in pieces that can be repeated, and the store goes on there', async t => {
          const [source, destination] = [await from.make(t), await to.make(t)];
          await fill(await source.openStore());
          const reader = await source.openRows(true);
          const writer = await destination.openRows(false);
          for (const table of TABLE_NAMES) assert.equal(await writer.count(table), 0);
          for (const table of TABLE_NAMES) {
            let after: StoreKey | undefined;
            for (;;) {
              const page = await reader.rows(table, after, 7);
              const last = page.at(-1);
              if (last === undefined) break;
              await writer.put(table, page);
              // As after a copy that was interrupted before it noted how far it got.
              await writer.put(table, page);
              after = keyOfRow(table, last);
            }
            assert.ok((await reader.count(table)) > 0, `${table} has something to copy`);
            assert.equal(await writer.count(table), await reader.count(table), table);
            assert.equal(await digestOf(writer, table), await digestOf(reader, table), table);
          }
          await writer.close();
          await reader.close();

          const [one, other] = [await source.openStore(), await destination.openStore()];
          assert.deepEqual(await contentOf(other), await contentOf(one));
          other.addSample('node/new', T0 + 9_000, { x: 1, new_metric: 2 });
          other.addEvent('node/new', { at: T0, kind: 'note', text: 'new' });
          assert.equal((await other.commit()).committed, true);
          assert.deepEqual(await other.latest('node/new'), { at: T0 + 9_000, values: { x: 1, new_metric: 2 } });
          assert.equal((await other.targets()).length, (await one.targets()).length + 1);
          await one.close();
          await other.close();
        });
      });

    describe(`StoreRows: ${from.name}`, () => {
      it('tells a store that differs in one value', async t => {
        const [one, other] = [await from.make(t), await from.make(t)];
        for (const [made, value] of [
          [one, 1],
          [other, 2],
        ] as const) {
          const store = await made.openStore();
          store.addSample('a', T0, { x: value });
          await store.close();
        }
        const digests = [];
        for (const made of [one, other]) {
          const rows = await made.openRows(true);
          digests.push([await digestOf(rows, 'scrapes'), await digestOf(rows, 'metrics')]);
          await rows.close();
        }
        assert.notEqual(digests[0]?.[0], digests[1]?.[0]);
        assert.equal(digests[0]?.[1], digests[1]?.[1]);
      });
    });
  }
}

async function digestOf(store: StoreRows, table: (typeof TABLE_NAMES)[number]): Promise<string> {
  const hash = createHash('sha256');
  for await (const text of tableText(store, table, 5)) hash.update(text);
  return hash.digest('hex');
}

async function fill(store: WatchStore): Promise<void> {
  store.putTarget('node/silent', { zone: 'north' });
  for (let minute = 0; minute < 150; minute++) {
    for (let i = 0; i < 20; i++) store.addSample(`node/${i}`, T0 + 60 * minute, { x: minute, y: 1 / (i + 1) });
    store.addEvent(`node/${minute % 20}`, { at: T0 + minute, kind: 'note', text: `ä "\\ \0 ${minute}` });
    if (minute % 40 === 39) {
      await store.commit();
      await store.maintain(T0 + 60 * minute);
    }
  }
  const change = { resource: 'live heap', from: 'healthy', to: 'watch', reason: 'it grows' } as const;
  store.addVerdictChange({ ...change, at: T0, target: 'node/1' });
  for (const id of ['b', 'ä', 'B', 'a'])
    store.putIncident({ id, target: 'node/1', openedAt: T0, closedAt: null, version: 1, document: { id } });
  store.putSetting('key', 'value');
  store.putNotice({ destination: 'a', notice: exampleNotice({ id: '1' }) });
  store.addPlan({ id: 'p', incidentId: 'a', madeBy: 'kim', madeAt: T0, document: smallPlan(['worker-1']) });
  store.addPlanRecord({
    schema: 'oakum.plan-log/v1',
    number: 1,
    at: '2026-11-17T00:00:00.000Z',
    planId: 'p',
    planHash: 'sha256:x',
    actor: 'kim',
    kind: 'step-began',
    step: 'worker-1/1',
    node: 'worker-1',
  });
  await store.commit();
  const file = { kind: 'heap', at: T0, truncated: null, bytes: encodeText('profile') } as const;
  const capture = { target: 'node/1', at: T0, trigger: 'slope', reason: '', processStartSeconds: undefined };
  await store.addCapture({ ...capture, id: 'c', files: [file, { ...file, request: '/debug/pprof/heap' }] });
  await store.close();
}

async function contentOf(store: WatchStore): Promise<unknown> {
  const query = { metrics: ['x', 'y'], from: 0, to: 2 * T0, maxPoints: Infinity };
  return {
    targets: await store.targets(),
    series: [await store.query({ ...query, target: 'node/0' }), await store.query({ ...query, target: 'node/19' })],
    events: await store.events('node/3', 0, 2 * T0),
    changes: await store.verdictChanges(0, 2 * T0),
    incidents: await store.incidents(),
    setting: await store.setting('key'),
    notices: await store.notices(),
    plans: await store.plans(),
    records: await store.planRecords('p'),
    captures: await store.captures(),
  };
}
