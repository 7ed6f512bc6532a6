/** The use case of `oakum plan`: reads the cluster, asks about evictions and rights, and makes the plan. */
import type { NodeFinding, RightAnswer } from './cluster-facts.ts';
import type { Plan } from './plan.ts';
import type { Sha256 } from './plan-file.ts';
import { withLimit } from './evidence-findings.ts';
import { makePlan, type PlanRequest } from './make-plan.ts';
import { ClusterReader, gatherClusterFacts, type GatherPorts } from './gather-facts.ts';
import { recordOf } from '../../base/json.ts';
import type { Right } from './plan-step.ts';
import { rightKey } from './rights.ts';
import { replyJson } from '../../live/reply.ts';
import { Failure } from '../../base/errors.ts';

/** Asks the API server about every right that a plan may need, once each. */
const MAX_BYTES = 1024 * 1024;

const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

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

async function askRights(rights: readonly Right[], reader: ClusterReader): Promise<RightAnswer> {
  const answers = new Map<string, boolean | null>();
  await Promise.all(
    rights.map(async right => {
      const { allowed } = recordOf(replyJson(await reader.post(REVIEWS, review(right)), MAX_BYTES)['status']);
      answers.set(rightKey(right), typeof allowed === 'boolean' ? allowed : null);
    }),
  );
  return right => answers.get(rightKey(right)) ?? null;
}

/** Subresources are named as such. */
function review({ verb, group, resource, namespace }: Right): unknown {
  const [name, subresource] = resource.split('/');
  return {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: {
      resourceAttributes: {
        verb,
        group,
        resource: name,
        ...(subresource === undefined ? {} : { subresource }),
        ...(namespace === null ? {} : { namespace }),
      },
    },
  };
}
