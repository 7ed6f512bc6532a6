import assert from 'node:assert/strict';
import { it } from 'node:test';
import { memoryStore } from '../io/memory-store.ts';
import type { ReplicaUpdate } from './update.ts';
import type { Exchange } from './ports.ts';
import { UpdateDraft } from './update-draft.ts';
import type { WatchPorts } from '../state/watch-state.ts';
import { publishingPorts } from '../create-watch.ts';

it('tells what is committed, in order, once; what cannot be committed or told waits', async () => {
  const inner = memoryStore();
  let [isRefusing, isSilent] = [false, false];
  const store = {
    ...inner,
    commit: async () => (isRefusing ? { committed: false, samples: 0 } : inner.commit()),
  };
  const published: ReplicaUpdate[] = [];
  const exchange = {
    publish: async (news: ReplicaUpdate) => {
      if (isSilent) throw new Error('no answer');
      published.push(news);
    },
    putVerdicts: async () => {},
  } as unknown as Exchange;
  const draft = new UpdateDraft();
  const given = { store } as unknown as WatchPorts;
  const ports = publishingPorts(given, draft, exchange);
  const sample = (at: number): void => void ports.store.addSample('node/a', at, { x: at });
  const told = (): number[] => published.flatMap(({ samples }) => samples.map(({ at }) => at));

  sample(1);
  await ports.store.commit();
  assert.deepEqual(told(), [1]);
  isRefusing = true;
  sample(2);
  await ports.store.commit();
  sample(3);
  await ports.store.commit();
  assert.deepEqual(told(), [1], 'nothing that is not committed');
  isRefusing = false;
  isSilent = true;
  await ports.store.commit();
  sample(4);
  await ports.store.commit();
  isSilent = false;
  await ports.store.commit();
  await ports.store.commit();
  assert.deepEqual(told(), [1, 2, 3, 4]);
  await ports.store.commit();
  assert.equal(told().length, 4);
  ports.store.put({
    kind: 'incident',
    record: { id: 'i-1', target: 'a', openedAt: 1, closedAt: null, version: 1, document: { n: 1 } },
  });
  ports.store.put({
    kind: 'incident',
    record: { id: 'i-1', target: 'a', openedAt: 1, closedAt: null, version: 1, document: { n: 2 } },
  });
  ports.store.putTarget('node/a', { version: 'v1' });
  await ports.store.commit();
  assert.deepEqual(
    published.at(-1)?.incidents.map(({ document }) => document),
    [{ n: 2 }],
  );
  assert.deepEqual(published.at(-1)?.attributes, [['node/a', { version: 'v1' }]]);
});
