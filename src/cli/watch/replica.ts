/** One replica of a watch, put together from the adapters. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { SYSTEM_CLOCK } from '../../live/io/clocks.ts';
import type { KubeCluster } from '../../live/io/kube/kube-cluster.ts';
import { leaseMembership } from '../../watch/io/lease-membership.ts';
import type { Session } from '../../store/io/postgres/database.ts';
import { fencedTerm, openReplicaTables, postgresMembership, replicaGroup } from '../../watch/io/postgres-membership.ts';
import { postgresExchange } from '../../watch/io/postgres-exchange.ts';
import { ReplicaSession } from '../../watch/replicas/replica-session.ts';
import { type Exchange, type Membership, MEMBERSHIP_TIMES } from '../../watch/replicas/ports.ts';
import type { StoreAddressText } from '../connect/store-places.ts';
import { isReplicaId } from '../options/kinds.ts';
import type { ReplicaMode, WatchRequest } from './watch-request.ts';
import type { Io } from '../io.ts';
import { packageVersion } from '../package-files.ts';
import { Failure } from '../../base/errors.ts';

export interface Replica {
  readonly session: ReplicaSession;
  readonly exchange: Exchange;
  /** Joins the others, when the targets are known. */
  join(signal: AbortSignal): Promise<void>;
  /** At the end, after the last commit. */
  leave(): Promise<void>;
}

export interface ReplicaPlace {
  readonly database: StoreAddressText | undefined;
  readonly cluster: KubeCluster | undefined;
  readonly io: Io;
  readonly log: (line: string) => void;
}

const NAMESPACE = 'oakum';
const LEASE_DEADLINE_SECONDS = 4;
/** Less than a beat may take: without the store nobody begins to lead, and everything else goes on. */
const FENCE_SECONDS = 1.5;

export async function openReplica(
  request: WatchRequest & { readonly replica: ReplicaMode },
  place: ReplicaPlace,
): Promise<Replica> {
  const { replica: asked } = request;
  const { database, cluster, io, log } = place;
  if (database === undefined)
    throw new Failure('usage', '--replica needs a store that all replicas share: add --store postgres://...');
  const id = request.replicaId ?? hostname();
  if (!isReplicaId(id)) throw new Failure('usage', `the name of this host (${id}) cannot be an id; add --replica-id`);
  const session = randomUUID();
  const address = addressOf(request, io);
  const leases = whereLeasesAre(asked, cluster);
  const tables = await openReplicaTables(database.url);
  const urgent = tables.session('urgent');
  const times = MEMBERSHIP_TIMES;
  const monotonic = (): number => performance.now() / 1000;
  const authority = leases === undefined ? 'postgres' : 'lease';
  const own = { id, address, leaseSeconds: times.leaseSeconds };
  const membership: Membership =
    leases === undefined
      ? postgresMembership(urgent, { ...own, session, authority: database.shown })
      : leaseMembership(leases.actions(`oakum/${packageVersion()} (replica ${id})`, LEASE_DEADLINE_SECONDS), {
          ...own,
          namespace: request.replicaNamespace ?? leases.podNamespace ?? NAMESPACE,
          group: `oakum-${await replicaGroup(urgent)}`,
          session: session.slice(0, 8),
          monotonic,
          now: SYSTEM_CLOCK.now,
          fencedTerm: () => fencedTermInTime(urgent, authority),
        });
  const parts = { membership, id, times, monotonic, clock: SYSTEM_CLOCK, random: Math.random, log };
  const replica = new ReplicaSession(parts);
  const stop = new AbortController();
  let running: Promise<void> | undefined;
  return {
    session: replica,
    exchange: postgresExchange(tables, { session, authority }),
    async join(signal) {
      await replica.join(signal);
      running = replica.run(stop.signal);
    },
    async leave() {
      stop.abort();
      await running;
      await tables.close();
    },
  };
}

/** Undefined if rows of the store tell who lives. */
export function whereLeasesAre(asked: ReplicaMode, cluster: KubeCluster | undefined): KubeCluster | undefined {
  if (asked === 'lease' && cluster === undefined)
    throw new Failure(
      'usage',
      '--replica lease needs a cluster for its Leases; watch its nodes, or say --replica postgres',
    );
  const isWanted = asked === 'lease' || (asked === 'auto' && cluster?.podNamespace !== undefined);
  return isWanted ? cluster : undefined;
}

async function fencedTermInTime(sql: Session, authority: string): Promise<number | undefined> {
  const over = new AbortController();
  const late = SYSTEM_CLOCK.sleep(FENCE_SECONDS, over.signal).then(() => undefined);
  try {
    return await Promise.race([fencedTerm(sql, authority).catch(() => undefined), late]);
  } finally {
    over.abort();
  }
}

/** Where others reach its API; null if only this machine can. */
export function addressOf({ listen }: Pick<WatchRequest, 'listen'>, { env }: Pick<Io, 'env'>): string | null {
  if (listen.port === 0) return null;
  const isWildcard = /^(?:0|0\.0\.0\.0|::|\[::\])$/.test(listen.host);
  const host = isWildcard ? (env['POD_IP'] ?? hostname()) : listen.host;
  return `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${listen.port}`;
}
