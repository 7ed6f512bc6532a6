/** A store with something in every table, and what a reader sees of it. */
import { encodeText } from '../../src/base/text.ts';
import type { WatchStore } from '../../src/store/ports.ts';
import { T0 } from './store-under-test.ts';

const NODES = 12;

export async function fillStore(store: WatchStore): Promise<void> {
  for (let i = 0; i < NODES; i++) store.putTarget(`node/${i}`, { version: `v1.${i}`, odd: 'ü \u0000 "' });
  for (let minute = 0; minute < 150; minute++) {
    for (let i = 0; i < NODES; i++)
      store.addSample(`node/${i}`, T0 + 60 * minute, { go_goroutines: 300 + minute * i, heap: 1e9 / (i + 3) });
    if (minute % 30 === 29) {
      await store.commit();
      await store.maintain(T0 + 60 * minute);
    }
  }
  for (let i = 0; i < 600; i++)
    store.put({ kind: 'event', record: { target: `node/${i % NODES}`, at: T0 + i, kind: 'note', text: `event ${i}` } });
  store.put({
    kind: 'verdict-change',
    record: {
      target: 'node/1',
      at: T0 + 60,
      resource: 'goroutines',
      from: 'healthy',
      to: 'leak',
      reason: 'it grows',
    },
  });
  store.put({ kind: 'setting', record: { key: 'a.setting', value: '{"a": 1}' } });
  await store.commit();
  for (let i = 0; i < 5; i++) await store.addCapture(captureOf(i));
  await store.commit();
}

/** An id of digits only must stay a text. */
export function captureOf(i: number): Parameters<WatchStore['addCapture']>[0] {
  const bytes = encodeText(`profile ${i} `.repeat(50 + i));
  const files = [{ kind: 'heap', at: T0 + i, truncated: null, request: '/debug/pprof/heap', bytes }] as const;
  return {
    id: `${17 + i}`,
    target: `node/${i}`,
    at: T0 + i + 0.125,
    trigger: 'slope',
    reason: '',
    processStartSeconds: i === 0 ? undefined : T0 - i,
    files,
  };
}

export async function seenIn(store: WatchStore): Promise<unknown> {
  const series = [];
  for (let i = 0; i < NODES; i++) {
    const query = { target: `node/${i}`, metrics: ['go_goroutines', 'heap'], from: 0, to: 2 * T0, maxPoints: Infinity };
    series.push(await store.query(query));
  }
  const events = await Promise.all(
    Array.from({ length: NODES }, (_, i) =>
      store.records({ kind: 'event', target: `node/${i}`, since: 0, until: 2 * T0 }),
    ),
  );
  const targets = [...(await store.targets())].sort((a, b) => (a.target < b.target ? -1 : 1));
  // PostgreSQL has no NUL in text.
  return JSON.parse(
    JSON.stringify({
      targets,
      series,
      events,
      changes: await store.records({ kind: 'verdict-change', since: 0, until: 2 * T0 }),
      captures: await store.records({ kind: 'capture' }),
      setting: (await store.records({ kind: 'setting', id: 'a.setting' }))[0]?.value,
    }).replaceAll('\\u0000', '\u2400'),
  );
}
