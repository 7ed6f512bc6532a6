import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { compareVerdicts, isAtLeast, mayLeak, type Verdict, VERDICTS, worseOf, worst, worstKnown } from './verdict.ts';

const verdict = fc.constantFrom(...VERDICTS);

describe('verdicts', () => {
  it('have one order: leak, watch, unknown, healthy', () => {
    assert.deepEqual([...VERDICTS].reverse().sort(compareVerdicts), ['leak', 'watch', 'unknown', 'healthy']);
    assert.equal(worseOf('healthy', 'unknown'), 'unknown');
    assert.equal(worseOf('leak', 'watch'), 'leak');
  });

  it('make a set healthy only when all are', () => {
    assert.equal(worst(['healthy', 'healthy']), 'healthy');
    assert.equal(worst(['healthy', 'unknown']), 'unknown');
    assert.equal(worst(['unknown', 'watch', 'healthy']), 'watch');
    assert.equal(worst([]), 'unknown');
  });

  it('on one target ignore a view that saw too little', () => {
    assert.equal(worstKnown(['healthy', 'unknown']), 'healthy');
    assert.equal(worstKnown(['healthy', 'watch', 'unknown']), 'watch');
    assert.equal(worstKnown(['unknown']), 'unknown');
    assert.equal(worstKnown([]), 'unknown');
  });

  it('differ between the two only if something is unknown', () => {
    fc.assert(
      fc.property(fc.array(verdict, { minLength: 1 }), all => {
        const [set, target] = [worst(all), worstKnown(all)];
        assert.ok(set === target || (set === 'unknown' && target === 'healthy'));
        assert.equal(worst([...all].reverse()), set);
      }),
    );
  });

  it('can be worth attention, or reach a threshold', () => {
    const reach = (least: Verdict): Verdict[] => VERDICTS.filter(one => isAtLeast(one, least));
    assert.deepEqual(reach('leak'), ['leak']);
    assert.deepEqual(reach('watch'), ['leak', 'watch']);
    assert.deepEqual(VERDICTS.filter(mayLeak), ['leak', 'watch']);
  });
});
