import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rankChance } from './chance.ts';
import { CONVINCING } from './contrast.ts';
import { mayProve, targetsMissing } from './cohort-verdict.ts';

describe('how many targets a comparison needs', () => {
  it('is what ranks could show at best', () => {
    const best = (group: number, controls: number): number =>
      rankChance(
        Array.from({ length: group }, (_, i) => 100 + i),
        Array.from({ length: controls }, (_, i) => i),
      );
    for (let group = 5; group < 15; group++) {
      for (let controls = 5; controls < 15; controls++) {
        assert.equal(mayProve(group, controls), best(group, controls) <= CONVINCING, `${group} against ${controls}`);
      }
    }
  });

  it('says how many more with and without would do, the fewest together', () => {
    const [withIt, without] = targetsMissing(3, 5) ?? [0, 0];
    assert.deepEqual([withIt, without], [6, 4]);
    assert.ok(mayProve(3 + withIt, 5 + without));
    for (let a = 0; a < withIt + without; a++) assert.ok(!mayProve(3 + a, 5 + withIt + without - 1 - a));
    assert.deepEqual(targetsMissing(2, 500)?.[1], 0, 'hundreds without it are enough');
    assert.equal(targetsMissing(20, 60), undefined);
  });
});
