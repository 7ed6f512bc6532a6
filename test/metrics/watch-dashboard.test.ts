/** The dashboard of `oakum watch` asks for metrics that it exports. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { watchDashboardOf } from '../../src/report/rules/watch-dashboard.ts';
import { watchBench, type WatchBench } from '../watch/watch-bench.ts';
import { notifyMetrics } from '../../src/watch/notify/start-notifier.ts';

const dashboard = watchDashboardOf('https://oakum.example.com');
const text = JSON.stringify(dashboard);

/** name -> whether it counts up */
function exportedBy(watch: WatchBench['watch']): Map<string, boolean> {
  const destination = { name: 'a', kind: 'webhook', delivered: 0, waiting: 0, dropped: 0, trouble: null };
  const notifications = notifyMetrics({ destinations: [destination], silences: [] } as never);
  const families = `${watch.metrics()}${notifications}`.matchAll(/^# TYPE (\S+) (counter|gauge)$/gm);
  return new Map(
    [...families].map(([, name = '', type]) => [type === 'counter' ? `${name}_total` : name, type === 'counter']),
  );
}

describe('the dashboard of oakum watch', () => {
  it('asks for metrics that are exported', () => {
    const exported = exportedBy(watchBench().watch);
    const asked = new Set([...text.matchAll(/\boakum_\w+/g)].map(([name]) => name));
    assert.ok(asked.size >= 15, `${asked.size}`);
    for (const name of asked) {
      assert.ok(exported.has(name), `${name} is not exported`);
      const increases = text.includes(`increase(${name}{`);
      assert.equal(increases, exported.get(name), `${name}: increase() is for counters`);
    }
  });

  it('has the address of the watch as a field that people can change', () => {
    const field = dashboard.templating.list.find(({ name }) => name === 'watch');
    assert.equal(field?.type, 'textbox');
    assert.equal(field?.query, 'https://oakum.example.com');
  });
});
