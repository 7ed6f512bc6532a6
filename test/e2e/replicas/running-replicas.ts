/** Replicas that run, what each of them says, and what the API server says. */
import type { ApiClient } from '../../../lab/api-client.ts';
import type { WatchStatus } from '../../../src/watch/watch-model.ts';
import type { ReplicaProcess } from '../../soak/replicas/replica-process.ts';
import { until } from '../chart/chart-in-lab.ts';
import { NAMESPACE } from './pod-like-replica.ts';
import type { ReplicasView } from '../../../src/watch/replicas/ports.ts';

export interface LeaseView {
  readonly name: string;
  readonly group: string;
  readonly holder: string;
  readonly transitions: number;
  readonly address: string | undefined;
}

const LEASES = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases`;

export async function leasesOf(client: ApiClient): Promise<LeaseView[]> {
  const { items } = (await client.get(LEASES)) as { readonly items: readonly any[] };
  return items.map(({ metadata, spec }) => ({
    name: metadata.name,
    group: metadata.labels?.['oakum.dev/replicas'] ?? '',
    holder: spec.holderIdentity ?? '',
    transitions: spec.leaseTransitions ?? 0,
    address: metadata.annotations?.['oakum.dev/address'],
  }));
}

export interface LeaderNow {
  readonly process: ReplicaProcess;
  readonly term: number;
}

export class RunningReplicas {
  readonly all: readonly ReplicaProcess[];
  /** What must not be: two leaders at once, a term that goes back. */
  readonly problems: string[] = [];
  readonly terms: number[] = [];
  #looking: NodeJS.Timeout | undefined;

  constructor(all: readonly ReplicaProcess[]) {
    this.all = all;
  }

  living(): ReplicaProcess[] {
    return this.all.filter(({ isRunning }) => isRunning);
  }

  /** What those say that answer; one that sleeps does not. */
  async views(among: readonly ReplicaProcess[] = this.living()): Promise<ReplicasView[]> {
    const asked = await Promise.all(among.map(one => one.get<WatchStatus>('/status').catch(() => undefined)));
    return asked.flatMap(status => (status?.replicas === undefined ? [] : [status.replicas]));
  }

  async leader(): Promise<LeaderNow | undefined> {
    const views = await this.views();
    const leads = views.find(({ isLeader }) => isLeader);
    const process = this.all.find(({ id }) => id === leads?.id);
    return process === undefined || leads?.leader == null ? undefined : { process, term: leads.leader.term };
  }

  /** Until these, and no others, know of each other and agree who leads; the seconds that it took. */
  untilAgreed(among: readonly ReplicaProcess[], seconds: number): Promise<number> {
    const ids = among.map(({ id }) => id).sort();
    return until(`${ids.join(', ')} agree who leads`, seconds, async () => {
      const views = await this.views(among);
      const [first] = views;
      return (
        views.length === among.length &&
        views.every(({ members }) => members.map(({ id }) => id).join() === ids.join()) &&
        first?.leader != null &&
        ids.includes(first.leader.id) &&
        views.every(({ leader, trouble }) => leader?.term === first.leader?.term && trouble === null) &&
        views.some(({ isLeader }) => isLeader)
      );
    });
  }

  /** Looks every second, from now on, whether two lead at once or a term goes back. */
  keepLooking(): void {
    this.#looking = setInterval(() => {
      void this.views(this.all.filter(({ isRunning, url }) => isRunning && url !== '')).then(views => {
        const leading = views.filter(({ isLeader }) => isLeader);
        if (leading.length > 1)
          this.problems.push(`${leading.map(({ id }) => id).join(' and ')} lead at the same time`);
        const term = leading[0]?.leader?.term;
        const last = this.terms.at(-1);
        if (term === undefined || term === last) return;
        if (last !== undefined && term < last) this.problems.push(`the term went from ${last} back to ${term}`);
        this.terms.push(term);
      });
    }, 1000);
  }

  async stop(): Promise<void> {
    clearInterval(this.#looking);
    for (const one of this.living()) {
      await one.signal('SIGCONT');
      await one.signal('SIGTERM');
    }
  }
}
