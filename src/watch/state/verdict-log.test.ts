import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Verdict } from '../../judge/verdict.ts';
import { VerdictLog } from './watched-target.ts';

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
