/** Replicas that die, stop and sleep: who takes over, how soon, and under which term. */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { ReplicaProcess } from '../../soak/replicas/replica-process.ts';
import type { WatchedFleet } from '../../soak/replicas/watched-fleet.ts';
import type { AlertRecorder } from '../../soak/replicas/alert-recorder.ts';
import { say, until } from '../chart/chart-in-lab.ts';
import type { LeaderNow, RunningReplicas } from './running-replicas.ts';

export interface Stage {
  readonly replicas: RunningReplicas;
  readonly fleet: WatchedFleet;
  readonly alerts: AlertRecorder;
  readonly intervalSeconds: number;
}

/** What the docs promise. */
const TAKEN_OVER_SECONDS = 30;
const HANDED_OVER_SECONDS = 5;
/** Alerts are sent again every minute: this sleeper wakes up with some that are due. */
const SLEEPS_SECONDS = [20, 75];
const AWAKE_SECONDS = 70;

const now = (): number => Date.now() / 1000;
const text = (seconds: number): string => `${seconds.toFixed(1)} s`;

export async function leaderOf(replicas: RunningReplicas): Promise<LeaderNow> {
  const leader = await replicas.leader();
  assert.ok(leader !== undefined, 'somebody leads');
  return leader;
}

/** How long after `at` the last of all targets was sampled again. */
export async function allSampledSince(fleet: WatchedFleet, at: number, seconds: number): Promise<number> {
  const next = (): number[] => fleet.scrapes.map(times => times.find(time => time > at) ?? Infinity);
  await until('every target is sampled', seconds - (now() - at), async () => next().every(Number.isFinite));
  const longest = Math.max(...next()) - at;
  assert.ok(longest <= seconds, `a target was sampled only after ${text(longest)}`);
  return longest;
}

export async function kills({ replicas, fleet }: Stage, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (const isLeader of [false, true]) {
      const before = await leaderOf(replicas);
      const others = replicas.living().filter(one => one !== before.process);
      const victim = isLeader ? before.process : others[round % others.length];
      assert.ok(victim !== undefined);
      await victim.signal('SIGKILL');
      const at = now();
      const survivors = replicas.living();
      const known = await replicas.untilAgreed(survivors, TAKEN_OVER_SECONDS);
      const { process, term } = await leaderOf(replicas);
      if (isLeader) assert.ok(term > before.term, `the term went from ${before.term} to ${term}`);
      else assert.deepEqual([process.id, term], [before.process.id, before.term], 'the leader stays');
      const sampled = await allSampledSince(fleet, at, TAKEN_OVER_SECONDS);
      const terms = isLeader ? `term ${before.term} -> ${term}, ${process.id} leads` : `term ${term} stays`;
      await victim.start();
      const back = await replicas.untilAgreed(replicas.all, TAKEN_OVER_SECONDS);
      say(
        `kill -9 of ${victim.id}, ${isLeader ? 'the leader' : 'a member'}: known after ${text(known)}, ` +
          `every target sampled again within ${text(sampled)}; ${terms}; all three again after ${text(back)}`,
      );
    }
  }
}

/** As in a rolling update: SIGTERM, and a new process with the same name. */
export async function handOver({ replicas, fleet, intervalSeconds }: Stage): Promise<void> {
  for (const one of replicas.all) {
    const before = await leaderOf(replicas);
    const asked = now();
    await one.signal('SIGTERM');
    const stopped = now() - asked;
    const known = await replicas.untilAgreed(replicas.living(), HANDED_OVER_SECONDS);
    const { process, term } = await leaderOf(replicas);
    assert.equal(term > before.term, one === before.process, 'only a new leader has a new term');
    const sampled = await allSampledSince(fleet, asked, intervalSeconds + HANDED_OVER_SECONDS);
    await one.start();
    await replicas.untilAgreed(replicas.all, HANDED_OVER_SECONDS);
    await until(`${one.id} is ready`, TAKEN_OVER_SECONDS, async () => (await one.ask('/readyz')).ok);
    say(
      `SIGTERM to ${one.id}: ended in ${text(stopped)}, the others knew ${text(known)} later; every target sampled ` +
        `within ${text(sampled)}; ${process.id} leads with term ${term}; ready again`,
    );
  }
}

/** A leader that sleeps for longer than its lease does nothing as leader when it wakes up. */
export async function sleeps({ replicas, fleet, alerts }: Stage): Promise<void> {
  for (const seconds of SLEEPS_SECONDS) {
    const before = await leaderOf(replicas);
    const sleeper = before.process;
    await sleeper.signal('SIGSTOP');
    const at = now();
    const others = replicas.living().filter(one => one !== sleeper);
    const known = await replicas.untilAgreed(others, TAKEN_OVER_SECONDS);
    const sampled = await allSampledSince(fleet, at, TAKEN_OVER_SECONDS);
    await delay(Math.max(0, 1000 * (seconds - (now() - at))));
    const heir = await leaderAmong(replicas, others);
    assert.ok(heir.term > before.term);
    await sleeper.signal('SIGCONT');
    const woken = now();
    const back = await replicas.untilAgreed(replicas.all, TAKEN_OVER_SECONDS);
    await delay(Math.max(0, 1000 * (AWAKE_SECONDS - (now() - woken))));
    const { process, term } = await leaderOf(replicas);
    assert.deepEqual([process.id, term], [heir.process.id, heir.term], 'the heir leads on');
    const sent = alerts.posts.filter(post => post.at > woken && post.from === sleeper.id);
    assert.deepEqual(sent, [], `${sleeper.id} sent something as leader after it woke up`);
    const byHeir = alerts.posts.filter(post => post.at > woken && post.from === heir.process.id).length;
    assert.ok(byHeir > 0, 'the heir sends alerts');
    say(
      `SIGSTOP of ${sleeper.id}, the leader, for ${seconds} s: known after ${text(known)}, targets sampled within ` +
        `${text(sampled)}, term ${before.term} -> ${term}. Awake, it is a member after ${text(back)} and sends ` +
        `nothing in ${AWAKE_SECONDS} s; ${heir.process.id} sends ${byHeir} times`,
    );
  }
}

async function leaderAmong(replicas: RunningReplicas, among: readonly ReplicaProcess[]): Promise<LeaderNow> {
  const leads = (await replicas.views(among)).find(({ isLeader }) => isLeader);
  const process = among.find(({ id }) => id === leads?.id);
  assert.ok(process !== undefined && leads?.leader != null, 'somebody else leads');
  return { process, term: leads.leader.term };
}
