/** The use case of `oakum plan`: reads the cluster, asks about evictions and rights, and makes the plan. */
import { Failure } from '../../base/failure.ts';
import type { NodeFinding } from './cluster-facts.ts';
import type { Plan } from './plan.ts';
import type { Sha256 } from './seal.ts';
import { withLimit } from './with-limit.ts';
import { makePlan, type PlanRequest } from './make-plan.ts';
import { askRights } from './check-rights.ts';
import { ClusterReader } from './cluster-reader.ts';
import { gatherClusterFacts, type GatherPorts } from './gather-facts.ts';

export interface DraftRequest extends Omit<PlanRequest, 'nodes'> {
  readonly names: readonly string[];
  readonly selector: string | null;
  readonly allLeaking: boolean;
}

/** Throws a Failure if there is nothing to plan, with the reason. */
export async function draftPlan(ports: GatherPorts, request: DraftRequest, sha256: Sha256): Promise<Plan> {
  const { action, drain, selector, allLeaking, policy } = request;
  const names = allLeaking ? leakingNodes(request.findings) : request.names;
  const { facts, chosen } = await gatherClusterFacts(ports, {
    names,
    selector,
    narrows: allLeaking,
    drainFlags: drain,
    drains: drain.before || action === 'drain' || action === 'replace',
    lockNamespace: policy.lock.namespace,
  });
  if (chosen.length === 0) throw new Failure('no-evidence', nobody(request));
  const nodes = new Map(facts.nodes.map(node => [node.name, node]));
  const findings = new Map<string, NodeFinding>();
  for (const [name, finding] of request.findings) {
    const node = nodes.get(name);
    if (node !== undefined) findings.set(name, withLimit(finding, facts.kubelets.get(name), node));
  }
  const known = { ...request, nodes: chosen, findings };
  const draft = makePlan(known, facts, () => null, sha256);
  const isAllowed = await askRights(draft.rights, new ClusterReader(ports.cluster, ports.deadlineSeconds));
  return makePlan(known, facts, isAllowed, sha256);
}

function leakingNodes(findings: ReadonlyMap<string, NodeFinding>): string[] {
  return [...findings.values()].filter(({ verdict }) => verdict === 'leak').map(({ node }) => node);
}

function nobody({ allLeaking, selector }: DraftRequest): string {
  if (allLeaking)
    return `no node leaks${selector === null ? '' : ` among those of --selector ${selector}`}, by what --from says`;
  return `no node has the labels ${selector}`;
}
