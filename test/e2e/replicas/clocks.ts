/** Replicas whose clocks are hours apart, and one whose clock jumps: nothing of the membership depends on them. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from '../../../lab/api-client.ts';
import type { WatchStatus } from '../../../src/watch/watch-model.ts';
import { say } from '../chart/chart-in-lab.ts';
import { leaderOf } from './kills.ts';
import type { PodMaker } from './pod-like-replica.ts';
import { leasesOf, RunningReplicas } from './running-replicas.ts';

const HOURS = 3600;
const SKEWS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'slow-0': { OAKUM_SKEW_SECONDS: String(-2 * HOURS) },
  'fast-0': { OAKUM_SKEW_SECONDS: String(2 * HOURS) },
  'jumping-0': { OAKUM_SKEW_SECONDS: String(HOURS), OAKUM_SKEW_JUMPS: '7' },
};
const STEADY_SECONDS = 40;
const TAKEN_OVER_SECONDS = 30;

/** `besides` runs over another store, with its Leases in the same namespace. */
export async function clocks(pods: PodMaker, besides: RunningReplicas, client: ApiClient): Promise<void> {
  const preload = `--require ${join(import.meta.dirname, 'skewed-clock.cjs')}`;
  const all = await Promise.all(
    Object.entries(SKEWS).map(([id, env]) => pods.replica(id, { env: { ...env, NODE_OPTIONS: preload } })),
  );
  const replicas = new RunningReplicas(all);
  try {
    for (const one of all) await one.start();
    await replicas.untilAgreed(all, TAKEN_OVER_SECONDS);
    const offs = await Promise.all(
      all.slice(0, 2).map(async one => (await one.get<WatchStatus>('/status')).now - Date.now() / 1000),
    );
    assert.ok(Math.abs((offs[0] ?? 0) + 2 * HOURS) < 60 && Math.abs((offs[1] ?? 0) - 2 * HOURS) < 60, offs.join());

    // Two watches in one namespace, each with its own leader.
    await besides.untilAgreed(besides.all, TAKEN_OVER_SECONDS);
    const groups = new Set((await leasesOf(client)).map(({ group }) => group));
    assert.equal(groups.size, 2, [...groups].join());
    say('two watches with their Leases in one namespace: each knows its own three replicas, and has its own leader');

    const first = await leaderOf(replicas);
    replicas.keepLooking();
    for (let passed = 0; passed < STEADY_SECONDS; passed++) {
      await delay(1000);
      for (const { id, members, trouble } of await replicas.views())
        assert.deepEqual([members.length, trouble], [3, null], `${id} lost somebody`);
    }
    const still = await leaderOf(replicas);
    assert.deepEqual([still.process.id, still.term], [first.process.id, first.term]);
    say(
      `clocks 2 h slow, 2 h fast and jumping by an hour every 7 s: ${STEADY_SECONDS} s without a change of the roster`,
    );

    for (let kill = 0; kill < 3; kill++) {
      const { process, term } = await leaderOf(replicas);
      await process.signal('SIGKILL');
      const known = await replicas.untilAgreed(replicas.living(), TAKEN_OVER_SECONDS);
      const heir = await leaderOf(replicas);
      assert.ok(heir.term > term);
      await process.start();
      await replicas.untilAgreed(all, TAKEN_OVER_SECONDS);
      say(
        `  kill -9 of ${process.id}, the leader: ${heir.process.id} leads after ${known.toFixed(1)} s, term ${heir.term}`,
      );
    }
    assert.deepEqual(replicas.problems, []);
  } finally {
    await replicas.stop();
  }
}
