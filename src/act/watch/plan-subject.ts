/** What a plan of a watch is about: the node of an incident, or the nodes of a cohort that grow. */
import { clusterOf, inCluster, nodeName, targetText } from '../../evidence/target.ts';
import type { Plan } from '../plan/plan.ts';
import type { WatchService } from '../../watch/watch-service.ts';

export interface PlanSubject {
  readonly incidentId: string;
  readonly openedAt: number;
  readonly closedAt: number | null;
  /** The node of the incident; null for a cohort, or if it is not about a node. */
  readonly node: string | null;
  /** Nodes that a plan would be for, each with its own incident. */
  readonly members: readonly { readonly target: string; readonly incidentId: string | null }[];
  /** What proves that they leak, though a node alone may not show it; null for the incident of one node. */
  readonly cohortSentence: string | null;
}

/** The clusters of its nodes, where there are several. */
export function clustersOf({ members }: Pick<PlanSubject, 'members'>): readonly string[] {
  return [...new Set(members.flatMap(({ target }) => clusterOf(target) ?? []))].sort();
}

/** A node of a plan as the watch calls it. */
export function targetIn({ name }: Plan['cluster'], node: string): string {
  return inCluster(targetText({ kind: 'node', name: node }), name);
}

/** Undefined when there is no such incident. */
export async function subjectOf(
  service: Pick<WatchService, 'incident' | 'cohortIncident'>,
  incidentId: string,
): Promise<PlanSubject | undefined> {
  const incident = await service.incident(incidentId);
  if (incident !== undefined) {
    const { target, openedAt, closedAt } = incident;
    const node = nodeName(target) ?? null;
    const members = node === null ? [] : [{ target, incidentId }];
    return { incidentId, openedAt, closedAt, node, members, cohortSentence: null };
  }
  const cohort = await service.cohortIncident(incidentId);
  if (cohort === undefined) return undefined;
  const members = cohort.members.filter(({ role, target }) => role === 'grows' && nodeName(target) !== undefined);
  const { openedAt, closedAt, sentence } = cohort;
  return { incidentId, openedAt, closedAt, node: null, members, cohortSentence: sentence };
}

/** What a person types in to approve the plan: the name of its node, or how many there are, and in which of several clusters. */
export function typedName({ waves, cluster: { name } }: Plan): string {
  const nodes = waves.flatMap(wave => wave.nodes.map(({ node }) => node));
  const [only] = nodes;
  if (nodes.length === 1 && only !== undefined) return name === undefined ? only : `${name}/${only}`;
  return `${nodes.length} nodes${name === undefined ? '' : ` of ${name}`}`;
}
