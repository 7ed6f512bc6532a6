import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'node:test';
import { heatRuns, heatSentence } from './heat-map.tsx';

const BINS = { from: 0, stepSeconds: 3600, count: 8 };

describe('heat', () => {
  it('is split into runs without a loss', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('h', 'w', 'l', 'u', '-')), letters => {
        const heat = letters.join('');
        const runs = heatRuns(heat);
        assert.equal(runs.map(({ letter, from, to }) => letter.repeat(to - from)).join(''), heat);
        for (const [i, run] of runs.entries()) assert.notEqual(run.letter, runs[i - 1]?.letter);
      }),
    );
  });

  it('reads as a sentence, only the end of a long history', () => {
    assert.equal(heatSentence('--hhhwll', BINS), 'no data 2h, healthy 3h, watch 1h, leak 2h');
    assert.equal(
      heatSentence('hwhwhwhw', BINS),
      'other verdicts earlier, then watch 1h, healthy 1h, watch 1h, healthy 1h, watch 1h',
    );
    assert.equal(heatSentence('', BINS), '');
  });
});
