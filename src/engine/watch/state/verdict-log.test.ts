import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Verdict } from '../../../model/verdict.ts';
import { Levels } from './levels.ts';
import { VerdictLog } from './verdict-log.ts';

describe('the heat of a target', () => {
  it('is the worst verdict of each bin, from the first on', () => {
    const log = new VerdictLog();
    log.add(25, 'healthy');
    log.add(42, 'watch');
    log.add(44, 'healthy');
    log.add(60, 'leak');
    assert.equal(log.heat(0, 10, 10, 85), '--hhwhlll-');
    assert.equal(log.heat(45, 10, 3, 85), 'hll');
    assert.equal(new VerdictLog().heat(0, 10, 3, 30), '---');
  });

  it('always has a letter for each bin', () => {
    const verdicts = fc.constantFrom<Verdict>('leak', 'watch', 'healthy', 'unknown');
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(1000), verdicts)),
        fc.nat(1000),
        fc.integer({ min: 1, max: 60 }),
        (all, from, count) => {
          const log = new VerdictLog();
          for (const [at, verdict] of all.sort(([a], [b]) => a - b)) log.add(at, verdict);
          assert.match(log.heat(from, 7, count, 900), new RegExp(`^[-lwhu]{${count}}$`));
        },
      ),
    );
  });
});

describe('levels', () => {
  it('are means of the bins, null where nothing was seen', () => {
    const levels = new Levels(1);
    for (let at = 0; at < 7200; at += 60) levels.add(at, { go_goroutines: at < 3600 ? 100 : 200 });
    levels.add(6 * 3600, { go_goroutines: 300 });
    assert.deepEqual(levels.spark('goroutines', 0, 3600, 7), [100, 200, null, null, null, null, 300]);
    assert.deepEqual(levels.spark('goroutines', 3000, 600, 3), [100, 200, 200]);
    assert.deepEqual(levels.spark('threads', 0, 3600, 2), [null, null]);
  });

  it('forget old values and survive a clock that jumps', () => {
    const levels = new Levels(1);
    levels.add(0, { go_goroutines: 1 });
    levels.add(30 * 86_400, { go_goroutines: 2 });
    levels.add(86_400, { go_goroutines: 4 });
    assert.deepEqual(levels.spark('goroutines', 0, 3600, 1), [null]);
    assert.deepEqual(levels.spark('goroutines', 30 * 86_400, 3600, 1), [3]);
  });
});
