import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MissingRights } from './cluster-states.ts';

const EVENTS = { why: 'forbidden' as const, what: 'events: forbidden', command: 'kubectl create clusterrole ...' };

describe('missing rights', () => {
  it('are news once, while they keep failing', () => {
    const rights = new MissingRights(60);
    assert.deepEqual(rights.note('events', EVENTS, 0), EVENTS);
    assert.equal(rights.note('events', EVENTS, 60), undefined);
    assert.notEqual(rights.note('events', { ...EVENTS, what: 'events: unauthorized' }, 120), undefined);
    assert.deepEqual(
      rights.at(120).map(({ what }) => what),
      ['events: unauthorized'],
    );
  });

  it('are forgotten when they work again or have not failed for a while', () => {
    const rights = new MissingRights(60);
    rights.note('events', EVENTS, 0);
    assert.equal(rights.at(600).length, 1);
    assert.equal(rights.at(601).length, 0);
    assert.notEqual(rights.note('events', EVENTS, 700), undefined, 'news again');
    rights.clear('events');
    assert.deepEqual(rights.at(700), []);
  });

  it('are those of each cluster, where there are several', () => {
    const rights = new MissingRights(60);
    assert.equal(rights.note('events', EVENTS, 0, 'eu')?.what, 'cluster eu: events: forbidden');
    assert.equal(rights.note('events', EVENTS, 0, 'us')?.what, 'cluster us: events: forbidden');
    assert.equal(rights.note('events', EVENTS, 60, 'eu'), undefined);
    rights.clear('events', 'eu');
    assert.deepEqual(
      rights.at(60).map(({ what }) => what),
      ['cluster us: events: forbidden'],
    );
  });

  it('stay longer for targets that are scraped rarely', () => {
    const rights = new MissingRights(600);
    rights.note('events', EVENTS, 0);
    assert.equal(rights.at(4800).length, 1);
  });
});
