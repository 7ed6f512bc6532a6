import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ownerOf } from './replica-session.ts';

const TARGETS = Array.from({ length: 3000 }, (_, i) => `node/worker-${i}`);
const members = fc.uniqueArray(fc.stringMatching(/^[a-z0-9-]{1,20}$/), { minLength: 1, maxLength: 8 });

function sharesOf(ids: readonly string[], targets: readonly string[] = TARGETS): Map<string, number> {
  const shares = new Map(ids.map(id => [id, 0]));
  for (const target of targets) {
    const owner = ownerOf(target, ids);
    assert.ok(owner !== undefined);
    shares.set(owner, (shares.get(owner) ?? 0) + 1);
  }
  return shares;
}

describe('shares of replicas', () => {
  it('nobody owns anything where nobody lives', () => {
    assert.equal(ownerOf('node/a', []), undefined);
  });

  it('are the same for everyone who knows the same members, in whatever order', () => {
    fc.assert(
      fc.property(members, fc.string(), fc.infiniteStream(fc.nat()), (ids, target, order) => {
        const shuffled = [...ids]
          .map(id => ({ id, key: order.next().value as number }))
          .sort((a, b) => a.key - b.key)
          .map(({ id }) => id);
        assert.equal(ownerOf(target, shuffled), ownerOf(target, ids));
      }),
    );
  });

  it('move only from a replica that died, and only to one that joined', () => {
    fc.assert(
      fc.property(members, fc.nat(), fc.string(), (ids, pick, target) => {
        const gone = ids[pick % ids.length];
        const others = ids.filter(id => id !== gone);
        const [before, after] = [ownerOf(target, ids), ownerOf(target, others)];
        if (before !== gone) assert.equal(after, before);
        else if (others.length > 0) assert.ok(after !== undefined && after !== gone);
      }),
    );
  });

  it('are even, also among names that differ in one letter, and after a death', () => {
    for (const ids of [
      ['oakum-0', 'oakum-1', 'oakum-2'],
      ['a', 'b'],
      Array.from({ length: 10 }, (_, i) => `oakum-7d9f8b6c5-${i}xk2p`),
    ]) {
      const even = TARGETS.length / ids.length;
      // Four standard deviations of a fair draw.
      const slack = 4 * Math.sqrt(even * (1 - 1 / ids.length));
      for (const [id, share] of sharesOf(ids)) assert.ok(Math.abs(share - even) < slack, `${id} has ${share}`);
      const orphans = TARGETS.filter(target => ownerOf(target, ids) === ids[0]);
      const heirs = sharesOf(ids.slice(1), orphans);
      const part = orphans.length / (ids.length - 1);
      for (const [id, share] of heirs)
        assert.ok(Math.abs(share - part) < 4 * Math.sqrt(part) + 1, `${id} inherits ${share}`);
    }
  });
});
