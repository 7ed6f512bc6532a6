import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findGaps, type Judged } from './judge-scrapes.ts';

/** A target that is scraped every 10 s, and at these times besides. */
function judged(more: readonly number[], left: readonly number[] = [], profiles: readonly number[] = []): Judged {
  const usual = Array.from({ length: 20 }, (_, i) => 1000 + 10 * i).filter(at => !left.includes(at));
  return findGaps({
    scrapes: [[...usual, ...more].sort((a, b) => a - b)],
    profileTimes: [profiles],
    stored: [[1000, 1010]],
    committed: [new Set([1000])],
    from: 1000,
    to: 1190,
    intervalSeconds: 10,
    mostGapSeconds: 40,
    events: [{ at: 1055, text: 'a kill' }],
  });
}

describe('the judge of scrapes', () => {
  it('has nothing to say if each interval has one, or one of them two', () => {
    assert.deepEqual(judged([]).problems, []);
    assert.deepEqual(judged([1053]).problems, []);
    assert.match(
      judged([1053]).lines[1] ?? '',
      /^1 intervals with two scrapes of a target, at most 1 in a row; 0 of 1/,
    );
  });

  it('finds two intervals in a row with two, and says when and what happened', () => {
    assert.deepEqual(judged([1053, 1062]).problems, [
      'target 0 was sampled twice in 2 intervals in a row, at 00:17:30 (+0.0 +3.0 +10.0 +12.0): a kill',
    ]);
  });

  it('does not count those that are apart, nor what a capture reads', () => {
    assert.deepEqual(judged([1053, 1072]).problems, []);
    assert.deepEqual(judged([1053, 1073], [1060]).problems, []);
    assert.deepEqual(judged([1053, 1062], [], [1061]).problems, []);
  });

  it('finds targets that waited for too long, and samples that are gone', () => {
    const { problems } = judged([], [1050, 1060, 1070, 1080]);
    assert.deepEqual(problems, ['target 0 was not sampled for 50.0 s since 00:17:20: a kill']);
    const { problems: lost } = findGaps({
      scrapes: [[0, 10]],
      stored: [[10]],
      committed: [new Set([0])],
      from: 0,
      to: 20,
      intervalSeconds: 10,
      mostGapSeconds: 40,
      events: [],
    });
    assert.deepEqual(lost, ['target 0: its sample of 1970-01-01T00:00:00.000Z is lost']);
  });
});
