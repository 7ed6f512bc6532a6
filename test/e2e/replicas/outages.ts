/** The API server away, or hanging: replicas sample on, nobody leads, and they find each other again. */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from '../../../lab/api-client.ts';
import { killProcess, pauseProcess, restartProcess, resumeProcess } from '../../../lab/control.ts';
import type { Environment } from '../../../lab/environment.ts';
import type { LabState } from '../../../lab/layout.ts';
import { kubectl, say, until } from '../chart/chart-in-lab.ts';
import type { PostgresServer } from '../../postgres/postgres-server.ts';
import { allSampledSince, leaderOf, type Stage } from './kills.ts';
import { NAMESPACE } from './pod-like-replica.ts';
import { leasesOf } from './running-replicas.ts';

const API_SERVER = 'apiserver';
/** Without an answer, a replica considers itself out after 8 s. */
const GIVE_UP_SECONDS = 8;
const KILLED_SECONDS = 60;
const HUNG_SECONDS = 40;
const RECOVERED_SECONDS = 30;

const now = (): number => Date.now() / 1000;

export async function outages(stage: Stage, lab: LabState): Promise<void> {
  await outage(stage, 'killed', KILLED_SECONDS, {
    begin: () => killProcess(lab, API_SERVER),
    end: () => restartProcess(lab, API_SERVER),
  });
  await outage(stage, 'hanging', HUNG_SECONDS, {
    begin: async () => pauseProcess(lab, API_SERVER),
    end: async () => resumeProcess(lab, API_SERVER),
  });
}

interface Fault {
  begin(): Promise<void>;
  end(): Promise<void>;
}

async function outage({ replicas, fleet, alerts, intervalSeconds }: Stage, how: string, seconds: number, fault: Fault) {
  const before = await leaderOf(replicas);
  const at = now();
  await fault.begin();
  const nobody = await until('nobody leads', 2 * GIVE_UP_SECONDS, async () => {
    const views = await replicas.views();
    return views.length === 3 && views.every(({ isLeader, trouble }) => !isLeader && trouble !== null);
  });
  const [{ trouble }] = await replicas.views();
  while (now() - at < seconds) {
    await delay(1000);
    for (const view of await replicas.views()) assert.equal(view.isLeader, false, `${view.id} leads`);
  }
  const ended = now();
  const quiet = at + nobody;
  const sent = alerts.posts.filter(post => post.at > quiet && post.at < ended);
  assert.deepEqual(sent, [], 'nothing is sent while nobody leads');
  const gaps = fleet.scrapes.map(times => longestGap(times, at - intervalSeconds, ended));
  const longest = Math.max(...gaps);
  assert.ok(longest < 1.5 * intervalSeconds, `a target was not sampled for ${longest.toFixed(1)} s`);
  await fault.end();
  const back = await replicas.untilAgreed(replicas.all, RECOVERED_SECONDS);
  const { process, term } = await leaderOf(replicas);
  assert.ok(term >= before.term);
  say(
    `the API server ${how} for ${seconds} s: nobody leads after ${nobody.toFixed(1)} s, nothing is sent, no target waits ` +
      `longer than ${longest.toFixed(1)} s for its sample; they agree ${back.toFixed(1)} s after it answers, ` +
      `${process.id} leads, term ${before.term} -> ${term}`,
  );
  say(`  each says: ${trouble}`);
}

function longestGap(times: readonly number[], from: number, to: number): number {
  const within = [from, ...times.filter(at => at > from && at < to), to];
  return Math.max(...within.slice(1).map((at, i) => at - (within[i] ?? at)));
}

/** Somebody deletes Leases: terms go on, and so do the replicas. */
export async function deletedLeases({ replicas }: Stage, environment: Environment, client: ApiClient): Promise<void> {
  const before = await leaderOf(replicas);
  const { status, out } = kubectl(environment, ['-n', NAMESPACE, 'delete', 'lease', '--all']);
  assert.equal(status, 0, out);
  const at = now();
  await until('all Leases are back', RECOVERED_SECONDS, async () => (await leasesOf(client)).length === 4);
  await replicas.untilAgreed(replicas.all, RECOVERED_SECONDS);
  const took = now() - at;
  const { process, term } = await leaderOf(replicas);
  assert.ok(term > before.term, `term ${before.term} -> ${term}`);
  say(
    `kubectl delete lease --all: agreed again after ${took.toFixed(1)} s, ${process.id} leads, term ${before.term} -> ` +
      `${term}, which the store accepts`,
  );
}

/** Without the database, the Leases still tell who lives; a leader that dies then has no heir until it is back. */
export async function databaseAway({ replicas, fleet, alerts }: Stage, server: PostgresServer): Promise<void> {
  const { process: leader, term } = await leaderOf(replicas);
  const [member] = replicas.living().filter(one => one !== leader);
  assert.ok(member !== undefined);
  await server.stop();
  await delay(1000 * GIVE_UP_SECONDS);
  await member.signal('SIGKILL');
  const sampled = await allSampledSince(fleet, now(), RECOVERED_SECONDS);
  const knowing = await replicas.views();
  assert.ok(knowing.every(({ members, trouble }) => members.length === 2 && trouble === null));
  await leader.signal('SIGKILL');
  const at = now();
  const alone = await allSampledSince(fleet, at, RECOVERED_SECONDS);
  await delay(1000 * GIVE_UP_SECONDS);
  const [last] = await replicas.views();
  assert.deepEqual([last.members.length, last.leader, last.isLeader], [1, null, false], 'nobody begins to lead');
  assert.deepEqual(
    alerts.posts.filter(post => post.at > at),
    [],
  );
  await server.start();
  const back = await replicas.untilAgreed(replicas.living(), RECOVERED_SECONDS);
  const heir = await leaderOf(replicas);
  assert.ok(heir.term > term);
  for (const one of [member, leader]) await one.start();
  await replicas.untilAgreed(replicas.all, RECOVERED_SECONDS);
  say(
    `PostgreSQL away: of a member that dies, every target is sampled within ${sampled.toFixed(1)} s, of the leader ` +
      `within ${alone.toFixed(1)} s, and nobody begins to lead; ${back.toFixed(1)} s after it is back, ` +
      `${heir.process.id} leads, term ${term} -> ${heir.term}`,
  );
}
