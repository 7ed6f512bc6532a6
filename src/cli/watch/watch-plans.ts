/** The plans of a live watch. Without --allow-actions nothing is composed that could change a cluster. */
import { createHash } from 'node:crypto';
import { SYSTEM_CLOCK } from '../../adapters/clock/system-clock.ts';
import type { KubeCluster } from '../../adapters/kube/kube-cluster.ts';
import { oneLine } from '../../base/text-layout.ts';
import type { Watch } from '../../engine/watch/create-watch.ts';
import { createWatchPlans, type WatchPlans } from '../../engine/watch-plans/create-watch-plans.ts';
import type { WatchStore } from '../../ports/watch-store.ts';
import { fencedActions } from '../../engine/replicas/fenced-actions.ts';
import { plansOfLeader } from '../../engine/replicas/plans-of-leader.ts';
import type { ReplicaSession } from '../../engine/replicas/replica-session.ts';
import { storeOfLeader } from '../../engine/replicas/store-of-leader.ts';
import type { Plan } from '../../model/plan.ts';
import { openActing, type OpenedActing } from '../act/act-ports.ts';
import type { Io } from '../terminal/io.ts';
import { packageVersion } from '../terminal/package-version.ts';
import type { WatchRequest } from './watch-request.ts';

export interface PlanComposition {
  readonly watch: Watch;
  readonly store: WatchStore;
  readonly cluster: KubeCluster | undefined;
  readonly request: WatchRequest;
  readonly io: Io;
  readonly log: (line: string) => void;
  /** Undefined if the watch is alone. */
  readonly replica?: ReplicaSession | undefined;
}

/** As others reach it; a wildcard or a port that is not chosen yet names nothing. */
function addressOf({ listen }: WatchRequest, cluster: KubeCluster | undefined): string {
  const isWildcard = /^(?:0|0\.0\.0\.0|::|\[::\])$/.test(listen.host);
  if (!isWildcard && listen.port !== 0) return `http://${listen.host}:${listen.port}`;
  return `oakum watch of ${cluster?.cluster.context ?? 'these targets'}`;
}

export function watchPlans({ watch, store, cluster, request, io, log, replica }: PlanComposition): WatchPlans {
  const { actions, options } = request;
  const openFenced = async (plan: Plan): Promise<OpenedActing> => {
    const opened = await openActing(plan, options, io);
    if (replica === undefined) return opened;
    // The term in which a person said so: a later one of this replica does not go on with it by itself.
    const { term } = replica;
    const fenced = fencedActions(opened.ports.actions, () => replica.mayAct(term));
    return { ...opened, ports: { ...opened.ports, actions: fenced } };
  };
  const { restart, drain, policy } = actions;
  const made = createWatchPlans(
    {
      service: watch,
      store: replica === undefined ? store : storeOfLeader(store, () => watch.asLeader()),
      clock: SYSTEM_CLOCK,
      sha256: bytes => createHash('sha256').update(bytes).digest('hex'),
      cluster:
        cluster === undefined
          ? 'this watch has no cluster of its own to plan for; oakum plan --from reads what it knows'
          : {
              cluster: cluster.cluster,
              kubelet: async name => {
                if (!options.direct) return cluster.target({ kind: 'node', name });
                const found = await cluster.findKubelet(name);
                return 'kind' in found ? `no way to its own port at ${found.address}` : found;
              },
              deadlineSeconds: options.requestTimeoutSeconds,
            },
      acting: actions.isAllowed ? openFenced : 'this server was started without --allow-actions',
      changed: (incidentId, text) => watch.notePlan(incidentId, text),
      log,
    },
    {
      restart,
      drain,
      policy,
      isDirect: options.direct,
      oakumVersion: packageVersion(),
      address: addressOf(request, cluster),
    },
  );
  const plans = replica === undefined ? made : plansOfLeader(made, replica);
  watch.subscribe(event => {
    // After each evaluation.
    if (event.kind === 'fleet') plans.follow().catch((error: Error) => log(`plans: ${oneLine(error.message)}`));
  });
  return plans;
}
