/** The plans of a live watch. Without --allow-actions nothing is composed that could change a cluster. */
import { createHash } from 'node:crypto';
import { SYSTEM_CLOCK } from '../../live/io/clocks.ts';
import { oneLine } from '../../base/text-layout.ts';
import type { Plan } from '../../act/plan/plan.ts';
import type { Watch } from '../../watch/watch-service.ts';
import { createWatchPlans, type WatchPlansPorts, plansOfLeader } from '../../act/watch/create-watch-plans.ts';
import type { WatchStore } from '../../store/ports.ts';
import { fencedActions, storeOfLeader } from '../../watch/replicas/fenced.ts';
import type { ReplicaSession } from '../../watch/replicas/replica-session.ts';
import { openActing, type OpenedActing } from '../connect/act-ports.ts';
import type { Io } from '../io.ts';
import { packageVersion } from '../package-files.ts';
import type { WatchRequest } from './watch-request.ts';
import type { WatchedCluster } from './clusters.ts';
import { Failure } from '../../base/errors.ts';
import type { WatchPlans } from '../../act/watch/watch-plan.ts';

type Planning = Exclude<WatchPlansPorts['cluster'], string>;

export interface PlanComposition {
  readonly watch: Watch;
  readonly store: WatchStore;
  /** None, one without a name, or several. */
  readonly clusters: readonly WatchedCluster[];
  readonly request: WatchRequest;
  readonly io: Io;
  readonly log: (line: string) => void;
  /** Undefined if the watch is alone. */
  readonly replica?: ReplicaSession | undefined;
}

/** As others reach it; a wildcard or a port that is not chosen yet names nothing. */
function addressOf({ listen }: WatchRequest, clusters: readonly WatchedCluster[]): string {
  const isWildcard = /^(?:0|0\.0\.0\.0|::|\[::\])$/.test(listen.host);
  if (!isWildcard && listen.port !== 0) return `http://${listen.host}:${listen.port}`;
  const named = clusters.filter(({ name }) => name !== undefined).length;
  if (named > 0) return `oakum watch of ${named} clusters`;
  return `oakum watch of ${clusters[0]?.kube?.cluster.context ?? 'these targets'}`;
}

/** A sentence if nothing can be planned for it now. */
function planningOf({ name, kube, options }: WatchedCluster): Planning | string {
  if (kube === undefined) return `the kubeconfig of ${name ?? 'the cluster'} cannot be used`;
  return {
    clusterName: name,
    isDirect: options.direct,
    cluster: kube.cluster,
    kubelet: async node => {
      if (!options.direct) return kube.target({ kind: 'node', name: node });
      const found = await kube.findKubelet(node);
      return 'kind' in found ? `no way to its own port at ${found.address}` : found;
    },
    deadlineSeconds: options.requestTimeoutSeconds,
  };
}

/** The plan's own cluster, and none other. Throws a Failure if it is not watched here, or nothing may be done to it. */
function actingOn(plan: Plan, clusters: readonly WatchedCluster[], io: Io): Promise<OpenedActing> {
  const { name, context } = plan.cluster;
  const cluster = clusters.find(one => one.name === name);
  if (cluster === undefined)
    throw new Failure('usage', `the plan is for ${name ?? context}, which is not watched here`);
  if (!cluster.mayAct)
    throw new Failure('not-permitted', `the file of --config allows no actions on ${name ?? context}`);
  return openActing(plan, cluster.options, io);
}

export function watchPlans({ watch, store, clusters, request, io, log, replica }: PlanComposition): WatchPlans {
  const { actions, options } = request;
  const [first] = clusters;
  const openFenced = async (plan: Plan): Promise<OpenedActing> => {
    const opened = await actingOn(plan, clusters, io);
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
        first === undefined
          ? 'this watch has no cluster of its own to plan for; oakum plan --from reads what it knows'
          : planningOf(first),
      clusterNamed: name => {
        const cluster = clusters.find(one => one.name === name);
        return cluster === undefined ? `the cluster ${name} is not watched any more` : planningOf(cluster);
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
      address: addressOf(request, clusters),
    },
  );
  const plans = replica === undefined ? made : plansOfLeader(made, replica);
  watch.subscribe(event => {
    // After each evaluation.
    if (event.kind === 'fleet') plans.follow().catch((error: Error) => log(`plans: ${oneLine(error.message)}`));
  });
  return plans;
}
