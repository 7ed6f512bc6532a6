import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Story } from './story.ts';

describe('Story', () => {
  it('tells its events in order, whatever their samples', () => {
    const story = new Story();
    assert.equal(story.eventTime(100), 100);
    for (const at of [100, 90, 120]) {
      story.add({ at: story.eventTime(at), kind: 'event', target: null, incidentId: null, text: `${at}` });
    }
    assert.deepEqual(
      story.events.map(({ at, text }) => [at, text]),
      [
        [100, '100'],
        [100, '90'],
        [120, '120'],
      ],
    );
  });

  it('tells a state once', () => {
    const story = new Story();
    assert.deepEqual(
      [story.isNew('fleet', 'a'), story.isNew('fleet', 'a'), story.isNew('fleet', 'b')],
      [true, false, true],
    );
  });
});
