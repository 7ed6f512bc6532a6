import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { capturesToDrop, type KeptCapture } from './capture-retention.ts';

const MIB = 1024 * 1024;

function capture(id: string, at: number, processStartSeconds: number | undefined, bytes: number = MIB): KeptCapture {
  return { id, target: 'node/a', at, processStartSeconds, bytes, isRoutine: false };
}

/** Three lives: a b c | d e f | g h i. */
const LIVES = [...'abcdefghi'].map((id, i) => capture(id, 1000 + i, 100 + 100 * Math.floor(i / 3)));

function kept(captures: readonly KeptCapture[], maxBytesPerTarget: number, maxBytes: number = Infinity): string {
  const newest = captures[captures.length - 1].id;
  const dropped = new Set(capturesToDrop(captures, { maxBytesPerTarget, maxBytes }, newest));
  return captures
    .filter(({ id }) => !dropped.has(id))
    .map(({ id }) => id)
    .join('');
}

describe('captures in a budget', () => {
  it('lose the middle of a life first, the oldest life before the newer ones, and never the newest', () => {
    const rooms = Array.from({ length: 9 }, (_, i) => kept(LIVES, (9 - i) * MIB));
    assert.deepEqual(rooms, ['abcdefghi', 'acdefghi', 'acdfghi', 'acdfgi', 'cdfgi', 'dfgi', 'fgi', 'gi', 'i']);
  });

  it('of a process whose start is not known belong to the life before', () => {
    const unsure = [capture('a', 1, 100), capture('b', 2, undefined), capture('c', 3, 101), capture('d', 4, 900)];
    assert.equal(kept(unsure, 3 * MIB), 'acd');
  });

  it('taken by routine go before all others, and only the newest four stay', () => {
    const routine = [...'pqrstu'].map((id, i) => ({ ...capture(id, 1000.5 + i, 100), isRoutine: true }));
    const all = [...LIVES, ...routine];
    assert.equal(kept(all, 100 * MIB), 'abcdefghirstu');
    assert.equal(kept(all, 11 * MIB), 'abcdefghitu');
    assert.equal(kept(all, 8 * MIB), 'acdefghiu', 'never the newest');
  });

  it('of all targets share one budget: what is worth least goes first', () => {
    const many = [...LIVES, { ...capture('x', 1, 5), target: 'node/b' }, { ...capture('y', 2, 5), target: 'node/b' }];
    assert.equal(kept(many, Infinity, 4 * MIB), 'gixy');
    assert.equal(kept(many, Infinity, 1), 'y');
  });

  it('fit, and the one just written stays', () => {
    const any = fc.record({
      target: fc.constantFrom('a', 'b'),
      at: fc.nat(1000),
      processStartSeconds: fc.option(fc.constantFrom(0, 100, 200), { nil: undefined }),
      bytes: fc.nat(100),
      isRoutine: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(any, { minLength: 1 }), fc.nat(300), fc.nat(500), (list, perTarget, total) => {
        const captures = list.map((one, i) => ({ ...one, id: String(i) }));
        const limits = { maxBytesPerTarget: perTarget, maxBytes: total };
        const dropped = new Set(capturesToDrop(captures, limits, '0'));
        assert.ok(!dropped.has('0'));
        const left = captures.filter(({ id }) => !dropped.has(id));
        const bytes = left.reduce((sum, one) => sum + one.bytes, 0);
        assert.ok(bytes <= Math.max(total, 0) + captures[0].bytes);
        for (const target of ['a', 'b']) {
          const own = left.filter(one => one.target === target && one.id !== '0');
          const ownBytes = own.reduce((sum, one) => sum + one.bytes, 0);
          assert.ok(ownBytes <= perTarget || own.length === 1);
        }
      }),
    );
  });
});
