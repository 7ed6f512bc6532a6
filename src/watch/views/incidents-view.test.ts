import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Incidents } from '../state/incidents.ts';
import type { WatchState } from '../state/watch-state.ts';
import { incidentsView } from './incidents-view.ts';

/** A cohort with two of three targets folded into it, and some others; every fifth one is closed. */
function watched(others: number): WatchState {
  const incidents = new Incidents({ save: () => {}, saveAsLeader: () => {} });
  const cohort = incidents.open({ kind: 'cohort', cohort: { attribute: 'version', value: 'v2' }, verdicts: [] }, 50);
  const about = { kind: 'target', resource: 'live heap', unit: 'bytes', metric: 'm', verdict: 'leak' } as const;
  for (let i = 0; i < others; i++) {
    const incident = incidents.open({ ...about, target: `node/${i}` }, 100 + (i % 7));
    if (i % 5 === 0) incident.closedAt = 1000;
    if (i < 2) incident.subject.partOf = cohort.id;
    // Its cohort is not kept any more.
    if (i === 2) incident.subject.partOf = 'c-gone';
  }
  return { incidents, ports: { clock: { now: () => 2000 } } } as unknown as WatchState;
}

const ALL = { offset: 0, limit: 5000, state: 'any', withFolded: true } as const;

describe('the list of incidents', () => {
  it('has open ones first, then cohorts, then the newest, and counts them all', async () => {
    const view = await incidentsView(watched(12), ALL);
    assert.deepEqual([view.total, view.open, view.folded, view.matching], [11, 9, 2, 13]);
    assert.equal(view.incidents[0].cohort?.value, 'v2');
    const states = view.incidents.map(({ closedAt }) => closedAt === null);
    assert.deepEqual(
      states,
      states.toSorted((a, b) => Number(b) - Number(a)),
    );
    const opened = view.incidents.slice(1, states.indexOf(false)).map(({ openedAt }) => openedAt);
    assert.deepEqual(
      opened,
      opened.toSorted((a, b) => b - a),
    );
  });

  it('leaves out what was not asked for', async () => {
    const open = await incidentsView(watched(12), { ...ALL, state: 'open', withFolded: false });
    assert.deepEqual([open.matching, open.total, open.folded], [9, 11, 2]);
    assert.ok(open.incidents.every(({ closedAt, partOf }) => closedAt === null && partOf === null));
    const closed = await incidentsView(watched(12), { ...ALL, state: 'closed' });
    assert.deepEqual([closed.matching, closed.incidents.every(({ closedAt }) => closedAt !== null)], [3, true]);
  });

  it('has each of them once in pages', async () => {
    const state = watched(300);
    const whole = (await incidentsView(state, ALL)).incidents.map(({ id }) => id);
    const paged: string[] = [];
    for (let offset = 0; offset < whole.length; offset += 37)
      paged.push(...(await incidentsView(state, { ...ALL, offset, limit: 37 })).incidents.map(({ id }) => id));
    assert.deepEqual(paged, whole);
    assert.equal(new Set(whole).size, 301);
  });
});
