/** The contract of every Membership. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { describe, it } from './counted-tests.ts';
import type { Membership } from '../../src/watch/replicas/ports.ts';
import { Failure } from '../../src/base/errors.ts';

export interface AuthorityUnderTest {
  /** A new process under this id. */
  readonly join: (id: string, address?: string) => Membership;
  /** Lets the leases of these processes run out, as they are dead or asleep; all others beat in time. */
  readonly letExpire: (dead: readonly Membership[], living: readonly Membership[]) => Promise<void>;
}

export interface MembershipImplementation {
  readonly name: string;
  /** Why it cannot be tried here. */
  readonly skip?: string | undefined;
  readonly make: (t: TestContext) => Promise<AuthorityUnderTest>;
}

const ids = async (membership: Membership): Promise<string[]> => (await membership.beat()).members.map(({ id }) => id);

export function membershipContract({ name, skip, make }: MembershipImplementation): void {
  describe(`Membership: ${name}`, { skip }, () => {
    it('knows who lives and where, in the order of their ids', async t => {
      const { join } = await make(t);
      const [b, a] = [join('b'), join('a', 'http://a:7777')];
      assert.deepEqual(await ids(b), ['b']);
      assert.deepEqual((await a.beat()).members, [
        { id: 'a', address: 'http://a:7777' },
        { id: 'b', address: null },
      ]);
      assert.deepEqual(await ids(b), ['a', 'b']);
      assert.match(a.authority, /\w/);
    });

    it('has one leader, whom it keeps', async t => {
      const { join } = await make(t);
      const replicas = ['a', 'b', 'c'].map(id => join(id));
      const first = await Promise.all(replicas.map(one => one.beat()));
      const then = await Promise.all(replicas.map(one => one.beat()));
      const leaders = new Set([...first, ...then].flatMap(({ leader }) => (leader === null ? [] : [leader.id])));
      assert.equal(leaders.size, 1);
      const { leader } = then[0];
      assert.ok(leader !== null && then.every(one => one.leader?.term === leader.term));
      const lead = await Promise.all(replicas.map(one => one.leadsNow(leader.term)));
      assert.equal(lead.filter(Boolean).length, 1);
      assert.equal(lead.indexOf(true), ['a', 'b', 'c'].indexOf(leader.id));
    });

    it('forgets who does not beat; the next leader has a higher term, and the one that wakes up knows', async t => {
      const { join, letExpire } = await make(t);
      const [a, b] = [join('a'), join('b')];
      const { leader } = await a.beat();
      assert.equal(leader?.id, 'a');
      await b.beat();
      await letExpire([a], [b]);
      const roster = await b.beat();
      assert.deepEqual(
        roster.members.map(({ id }) => id),
        ['b'],
      );
      assert.equal(roster.leader?.id, 'b');
      assert.ok(roster.leader.term > leader.term);
      // It slept, and does not know it.
      assert.equal(await a.leadsNow(leader.term), false);
      const woken = await a.beat();
      assert.deepEqual(woken.leader, roster.leader);
      assert.equal(await a.leadsNow(leader.term), false);
      assert.equal(await a.leadsNow(roster.leader.term), false, 'of another, though current');
      assert.equal(await b.leadsNow(roster.leader.term), true);
      assert.deepEqual(await ids(b), ['a', 'b']);
    });

    it('hands over at once if a replica leaves, and terms only grow', async t => {
      const { join } = await make(t);
      const [a, b] = [join('a'), join('b')];
      const terms: number[] = [];
      for (const [leaving, staying] of [
        [a, b],
        [b, a],
        [a, b],
      ] as const) {
        const { leader } = await leaving.beat();
        await staying.beat();
        terms.push(leader?.term ?? NaN);
        await leaving.leave();
        const after = await staying.beat();
        assert.equal(after.members.length, 1);
        assert.equal(after.leader?.id, after.members[0].id);
      }
      assert.deepEqual(
        terms,
        [...terms].sort((x, y) => x - y),
      );
      assert.equal(new Set(terms).size, terms.length);
    });

    it('refuses a second process with the same id while the first one lives', async t => {
      const { join, letExpire } = await make(t);
      const first = join('a');
      const { leader } = await first.beat();
      const second = join('a');
      await assert.rejects(second.beat(), (error: unknown) => {
        assert.ok(error instanceof Failure);
        assert.match(error.message, /\ba\b/);
        return true;
      });
      await letExpire([first], []);
      // The first one is dead: its successor leads with a term of its own.
      let roster = await second.beat();
      if (roster.leader === null) {
        await letExpire([first], [second]);
        roster = await second.beat();
      }
      assert.deepEqual(
        roster.members.map(({ id }) => id),
        ['a'],
      );
      assert.ok((roster.leader?.term ?? 0) > (leader?.term ?? Infinity));
      assert.equal(await first.leadsNow(leader?.term ?? 0), false);
    });
  });
}
