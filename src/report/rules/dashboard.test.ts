import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dashboardOf } from './dashboard.ts';

const OPTIONS = {
  matchers: [{ label: 'job', operator: '=~', value: 'kubelet' }],
  nodeLabel: 'kubernetes_node',
  holdFor: '6h',
  docsUrl: 'docs/rules.md',
} as const;

describe('dashboard', () => {
  for (const component of ['kubelet', 'any'] as const) {
    const dashboard = dashboardOf({ ...OPTIONS, component });
    const { panels, templating } = dashboard;

    it(`${component}: panels have distinct ids and do not overlap`, () => {
      assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
      const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
        Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
      );
      assert.equal(new Set(cells).size, cells.length);
      assert.ok(panels.every(({ gridPos: { x, w } }) => x + w <= 24));
    });

    it(`${component}: every variable is defined and used`, () => {
      const text = JSON.stringify(dashboard).replace(/\$__\w+/g, '');
      const used = new Set([...text.matchAll(/\$\{?(\w+)/g)].map(([, name]) => name));
      assert.deepEqual([...used].sort(), templating.list.map(({ name }) => name).sort());
    });

    it(`${component}: the queries of a panel have distinct letters`, () => {
      for (const { targets, title } of panels) {
        assert.ok(targets.length > 0, title);
        assert.deepEqual(
          targets.map(({ refId }) => refId),
          [...'ABCDEFGHIJ'].slice(0, targets.length),
        );
      }
    });
  }

  it('shows the fleet and its processes', () => {
    const titles = dashboardOf({ ...OPTIONS, component: 'kubelet' }).panels.map(({ title }) => title);
    for (const title of [
      'Fleet, worst first',
      'Goroutines and pods',
      'Live heap and resident memory',
      'Growth of the live heap per day',
      'Time to limit',
      'Restarts',
    ])
      assert.ok(titles.includes(title), title);
  });

  it('sorts the table by its first column and hides labels that name no process', () => {
    const table = dashboardOf({ ...OPTIONS, component: 'kubelet' }).panels.find(({ type }) => type === 'table');
    assert.deepEqual(table?.options, {
      showHeader: true,
      sortBy: [{ displayName: 'Worst growth per day', desc: true }],
    });
    const organize = table?.transformations[1] as { options: { excludeByName: object; renameByName: object } };
    assert.deepEqual(organize.options.excludeByName, { Time: true, job: true, instance: true });
    assert.deepEqual(
      Object.keys(organize.options.renameByName),
      [...'ABCDEFG'].map(letter => `Value #${letter}`),
    );
  });
});
