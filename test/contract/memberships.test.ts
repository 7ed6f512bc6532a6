/** Every membership fulfils the contract: in memory, Leases, PostgreSQL. */
import { after } from 'node:test';
import { leaseMembership } from '../../src/watch/io/lease-membership.ts';
import { clusterActions } from '../../src/live/io/kube/cluster-actions.ts';
import { openReplicaTables, postgresMembership } from '../../src/watch/io/postgres-membership.ts';
import { MemoryAuthority } from '../double/memory-membership.ts';
import { type Postgres, postgresAbsent, sharedPostgres } from '../postgres/postgres-server.ts';
import { SimulatedClock } from '../double/simulated-clock.ts';
import { worldSender, WORLD_ENDPOINT } from '../double/world/world-sender.ts';
import { World } from '../double/world/world.ts';
import { isInTheTable } from './counted-tests.ts';
import { membershipContract } from './membership-contract.ts';
import type { Membership } from '../../src/watch/replicas/ports.ts';

const LEASE_SECONDS = 12;

/** Time passes in steps, in which the living beat. */
async function passTime(advance: (seconds: number) => void, living: readonly Membership[]): Promise<void> {
  for (let passed = 0; passed <= LEASE_SECONDS; passed += 2) {
    advance(2);
    for (const one of living) await one.beat();
  }
}

membershipContract({
  name: 'in memory',
  make: async () => {
    let now = 0;
    const authority = new MemoryAuthority(() => now, LEASE_SECONDS);
    return {
      join: (id, address) => authority.membership(id, address ?? null),
      letExpire: (_, living) => passTime(seconds => void (now += seconds), living),
    };
  },
});

membershipContract({
  name: 'Leases',
  make: async () => {
    let now = 0;
    let sessions = 0;
    const world = new World(new SimulatedClock(1_800_000_000));
    const actions = clusterActions({ endpoint: WORLD_ENDPOINT, send: worldSender(world), deadlineSeconds: 10 });
    return {
      // The clocks of the replicas differ by hours.
      join: (id, address) => {
        const session = sessions++;
        return leaseMembership(actions, {
          namespace: 'oakum',
          group: 'oakum',
          id,
          session: String(session),
          address: address ?? null,
          leaseSeconds: LEASE_SECONDS,
          monotonic: () => now,
          now: () => 1_800_000_000 + now - 7200 * session,
          fencedTerm: async () => 0,
        });
      },
      letExpire: (_, living) => passTime(seconds => void (now += seconds), living),
    };
  },
});

let server: Postgres | undefined;
after(() => server?.remove());

membershipContract({
  name: 'PostgreSQL',
  skip: postgresAbsent || undefined,
  make: async t => {
    server ??= await sharedPostgres();
    const url = server.newStore();
    // As several replicas that start at once.
    const databases = await Promise.all([1, 2, 3].map(() => openReplicaTables(url)));
    t.after(() => Promise.all(databases.map(one => one.close())));
    const sessions = new Map<Membership, string>();
    return {
      join: (id, address) => {
        const session = String(sessions.size);
        const joined = postgresMembership(databases[sessions.size % databases.length], {
          id,
          session,
          address: address ?? null,
          leaseSeconds: 3600,
          authority: 'PostgreSQL',
        });
        sessions.set(joined, session);
        return joined;
      },
      // The times are the database's: instead of waiting, the beats of the dead are dated back.
      letExpire: async (dead, living) => {
        for (const one of dead)
          for (const table of ['replicas', 'replica_leader'])
            await databases[0].all(`UPDATE ${table} SET beat_at = beat_at - interval '1 day' WHERE session = $1`, [
              sessions.get(one),
            ]);
        for (const one of living) await one.beat();
      },
    };
  },
});

isInTheTable();
