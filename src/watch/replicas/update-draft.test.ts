import assert from 'node:assert/strict';
import { it } from 'node:test';
import { memoryStore } from '../io/memory-store.ts';
import type { ReplicaUpdate, Exchange } from './ports.ts';
import { UpdateDraft, publishingStore } from './update-draft.ts';
import { withMethods } from '../../base/with-methods.ts';

it('sends what is committed, in order, once; what cannot be committed or sent waits', async () => {
  const inner = memoryStore();
  let [isRefusing, isSilent] = [false, false];
  const written = withMethods(inner, {
    commit: async () => (isRefusing ? { committed: false, samples: 0 } : inner.commit()),
  });
  const published: ReplicaUpdate[] = [];
  const exchange = {
    publish: async (update: ReplicaUpdate) => {
      if (isSilent) throw new Error('no answer');
      published.push(update);
    },
    putVerdicts: async () => {},
  } as unknown as Exchange;
  const draft = new UpdateDraft();
  const store = publishingStore(written, draft, exchange);
  const sample = (at: number): void => void store.addSample('node/a', at, { x: at });
  const sent = (): number[] => published.flatMap(({ samples }) => samples.map(({ at }) => at));

  sample(1);
  await store.commit();
  assert.deepEqual(sent(), [1]);
  isRefusing = true;
  sample(2);
  await store.commit();
  sample(3);
  await store.commit();
  assert.deepEqual(sent(), [1], 'nothing that is not committed');
  isRefusing = false;
  isSilent = true;
  await store.commit();
  sample(4);
  await store.commit();
  isSilent = false;
  await store.commit();
  await store.commit();
  assert.deepEqual(sent(), [1, 2, 3, 4]);
  await store.commit();
  assert.equal(sent().length, 4);
  store.put({
    kind: 'incident',
    record: { id: 'i-1', target: 'a', openedAt: 1, closedAt: null, version: 1, document: { n: 1 } },
  });
  store.put({
    kind: 'incident',
    record: { id: 'i-1', target: 'a', openedAt: 1, closedAt: null, version: 1, document: { n: 2 } },
  });
  store.putTarget('node/a', { version: 'v1' });
  await store.commit();
  assert.deepEqual(
    published.at(-1)?.incidents.map(({ document }) => document),
    [{ n: 2 }],
  );
  assert.deepEqual(published.at(-1)?.attributes, [['node/a', { version: 'v1' }]]);
});
