import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { MemoryAuthority } from '../../../test/double/memory-membership.ts';
import { SimulatedClock } from '../../../test/double/simulated-clock.ts';
import { ReplicaSession } from './replica-session.ts';
import { MEMBERSHIP_TIMES } from './ports.ts';
import { Failure } from '../../base/errors.ts';

const T0 = 1_794_772_000;
const TARGETS = Array.from({ length: 100 }, (_, i) => `node/worker-${i}`);

class Bench {
  readonly clock = new SimulatedClock(T0);
  readonly authority = new MemoryAuthority(() => this.clock.now(), MEMBERSHIP_TIMES.leaseSeconds);
  readonly log: string[] = [];
  /** 0.5 for the usual time between beats. */
  jitter = 0.5;

  async start(t: TestContext, id: string): Promise<{ session: ReplicaSession; stop: () => Promise<void> }> {
    const stop = new AbortController();
    const session = new ReplicaSession({
      membership: this.authority.membership(id),
      id,
      times: MEMBERSHIP_TIMES,
      monotonic: () => this.clock.now() - T0,
      clock: this.clock,
      random: () => this.jitter,
      log: line => this.log.push(`${id}: ${line}`),
    });
    await session.join(stop.signal);
    const running = session.run(stop.signal);
    t.after(() => stop.abort());
    return {
      session,
      stop: async () => {
        stop.abort();
        await running;
      },
    };
  }

  run(seconds: number): Promise<void> {
    return this.clock.runUntil(this.clock.now() + seconds);
  }
}

const owners = (sessions: readonly ReplicaSession[]): number[] =>
  TARGETS.map(target => sessions.filter(session => session.owns(target)).length);

describe('a replica', () => {
  it('shares all targets with the others, each of them owned once, and one leads', async t => {
    const bench = new Bench();
    const sessions = [];
    for (const id of ['a', 'b', 'c']) sessions.push((await bench.start(t, id)).session);
    await bench.run(3);
    assert.deepEqual(new Set(owners(sessions)), new Set([1]));
    assert.deepEqual(
      sessions.map(({ isLeader }) => isLeader),
      [true, false, false],
    );
    assert.deepEqual(
      sessions.map(one => one.leader),
      Array(3).fill({ id: 'a', term: 1 }),
    );
    assert.equal(await sessions[0].mayAct(1), true);
    assert.equal(await sessions[1].mayAct(1), false);
  });

  it('is out before the others take over, goes on with its share if nobody answers, and never leads meanwhile', async t => {
    const bench = new Bench();
    const { session: a } = await bench.start(t, 'a');
    const { session: b } = await bench.start(t, 'b');
    await bench.run(3);
    const [target] = TARGETS.filter(one => a.owns(one));
    bench.authority.unreachable.add('a');
    let [outAt, takenAt] = [Infinity, Infinity];
    for (let second = 0; second < 30; second++) {
      await bench.run(1);
      if (!a.isLeader) outAt = Math.min(outAt, second);
      if (b.owns(target)) takenAt = Math.min(takenAt, second);
      assert.ok(!(a.isLeader && b.isLeader));
    }
    assert.ok(outAt < takenAt, `out after ${outAt} s, taken over after ${takenAt} s`);
    assert.ok(takenAt <= 15);
    assert.equal(await a.mayAct(1), false);
    assert.match(a.trouble ?? '', /^memory does not answer \(connection refused\): this replica samples on/);
    assert.ok(a.owns(target), 'cut off: it samples on');
    assert.ok(TARGETS.every(one => !a.owns(one) || a.ownerOf(one) === 'a'));
    bench.authority.unreachable.delete('a');
    await bench.run(3);
    assert.deepEqual(new Set(owners([a, b])), new Set([1]));
    assert.deepEqual([a.isLeader, b.isLeader, a.trouble], [false, true, null]);
    assert.equal(bench.log.length, 2, 'told once, and that it is over');
  });

  it('that slept owns nothing and does not lead until it has asked', async t => {
    const bench = new Bench();
    const { session: a } = await bench.start(t, 'a');
    await bench.run(3);
    assert.ok(a.isLeader);
    // As SIGSTOP: its timers do not run, time does.
    const asleep = new ReplicaSession({
      membership: bench.authority.membership('b'),
      id: 'b',
      times: MEMBERSHIP_TIMES,
      monotonic: () => bench.clock.now() - T0,
      clock: bench.clock,
      random: () => 0.5,
      log: () => {},
    });
    await asleep.join(new AbortController().signal);
    const mine = TARGETS.filter(target => asleep.owns(target));
    assert.ok(mine.length > 0);
    await bench.run(20);
    assert.ok(mine.every(target => !asleep.owns(target) && a.owns(target)));
    assert.equal(asleep.term, undefined);
  });

  it('that leaves hands over within a beat', async t => {
    const bench = new Bench();
    const { stop } = await bench.start(t, 'a');
    const { session: b } = await bench.start(t, 'b');
    await bench.run(3);
    let changes = 0;
    b.subscribe(() => changes++);
    await stop();
    await bench.run(3);
    assert.deepEqual([b.members.length, b.isLeader, b.term], [1, true, 2]);
    assert.equal(changes, 1);
  });

  it('waits for an earlier process with its id to count as dead, and gives up if that one lives', async t => {
    const bench = new Bench();
    await bench.authority.membership('a').beat();
    const joining = bench.start(t, 'a');
    await bench.run(20);
    const { session } = await joining;
    assert.ok(session.isLeader);
    const second = assert.rejects(bench.start(t, 'a'), Failure);
    await bench.run(60);
    await second;
  });

  it('samples on without a moment in between when the authority goes away', async t => {
    const bench = new Bench();
    const sessions = [];
    for (const id of ['a', 'b', 'c']) sessions.push((await bench.start(t, id)).session);
    await bench.run(3);
    // Beats that do not fall on the end of a lease.
    bench.jitter = 0.9;
    for (const { id } of sessions) bench.authority.unreachable.add(id);
    for (let passed = 0; passed < 20; passed += 0.5) {
      await bench.run(0.5);
      assert.deepEqual(new Set(owners(sessions)), new Set([1]), `after ${passed.toFixed(1)} s`);
    }
    assert.ok(sessions.every(({ isLeader, trouble }) => !isLeader && trouble !== null));
  });

  it('joins an authority that answers late, and says so if it never does', async t => {
    const bench = new Bench();
    bench.authority.unreachable.add('a');
    const joining = bench.start(t, 'a');
    await bench.run(10);
    bench.authority.unreachable.delete('a');
    await bench.run(3);
    assert.ok((await joining).session.isLeader);
    bench.authority.unreachable.add('b');
    const failing = assert.rejects(bench.start(t, 'b'), (error: unknown) => {
      assert.ok(error instanceof Failure);
      assert.deepEqual([error.code, error.message], ['no-answer', 'memory does not answer: connection refused']);
      return true;
    });
    await bench.run(60);
    await failing;
  });

  it('does not wait for a right that is missing', async () => {
    const bench = new Bench();
    const session = new ReplicaSession({
      membership: {
        ...bench.authority.membership('a'),
        beat: async () => {
          throw new Failure('not-permitted', 'a may not list leases');
        },
      },
      id: 'a',
      times: MEMBERSHIP_TIMES,
      monotonic: () => 0,
      clock: bench.clock,
      random: () => 0.5,
      log: () => {},
    });
    // The clock stands still: it would wait for ever.
    await assert.rejects(session.join(new AbortController().signal), /may not list leases/);
  });
});
