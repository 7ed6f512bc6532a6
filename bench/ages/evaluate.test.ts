/** The verdict on single dumps that it was not tuned on: simulated families with different arrivals and departures. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { judgeDumps } from './evaluate.ts';
import { isCalled, rateScore } from './score.ts';

it('calls leaks of simulated processes leaks or worth watching, and nothing else a leak', async () => {
  const judged = await judgeDumps(80, 20_261_116);
  const healthy = judged.filter(({ population }) => !population.isLeak);
  assert.ok(healthy.length > 200);
  // Not even what lives longer than the process has.
  const wrong = healthy.filter(one => isCalled(one, 'leak'));
  assert.deepEqual(
    wrong.map(({ population }) => population.kind),
    [],
  );
  const leaks = judged.filter(({ population }) => population.isLeak && population.alive.length >= 60);
  const share = (verdict: 'leak' | 'watch'): number =>
    leaks.filter(one => isCalled(one, verdict)).length / leaks.length;
  assert.ok(share('leak') > 0.35, `${share('leak')} of ${leaks.length}`);
  assert.ok(share('leak') + share('watch') > 0.8, `${share('leak') + share('watch')} of ${leaks.length}`);
  const { covered, judged: told, medianError } = rateScore(judged);
  assert.ok(covered / told > 0.85 && medianError < 0.1, `${covered} of ${told}, off by ${medianError}`);
});
