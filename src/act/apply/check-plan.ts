/** What speaks against applying a plan at all, before anything is done. */
import { recordOf, textOf } from '../../base/json.ts';
import { formatAge } from '../../base/say.ts';
import type { PlanRecord } from '../../store/plan-log.ts';
import type { Plan } from '../plan/plan.ts';
import type { Right } from '../plan/plan-step.ts';
import type { ClusterActions } from '../../live/ports.ts';

export type Refusal = { readonly why: 'expired' | 'forbidden' | 'no-answer' | 'failure'; readonly detail: string };

/** A resumed run that waits for its hour may be later. */
const HOUR_SECONDS = 3600;

export type Standing =
  | { readonly kind: 'new' }
  | { readonly kind: 'resumed' }
  | { readonly kind: 'done' }
  | ({ readonly kind: 'refused' } & Refusal);

/** What the log and the age of the plan allow. */
export function standingOf(plan: Plan, records: readonly PlanRecord[], now: number): Standing {
  const refuse = (why: Refusal['why'], detail: string): Standing => ({ kind: 'refused', why, detail });
  const other = records.find(({ planHash }) => planHash !== plan.hash);
  if (other !== undefined) return refuse('failure', `the log is that of another plan (${other.planId}); move it away`);
  const last = records.at(-1);
  if (last === undefined) {
    const age = now - Date.parse(plan.createdAt) / 1000;
    if (now < Date.parse(plan.expiresAt) / 1000 && age <= plan.policy.maxAgeSeconds) return { kind: 'new' };
    const limit = formatAge(plan.policy.maxAgeSeconds);
    return refuse(
      'expired',
      `the plan is ${formatAge(age)} old, and only good for ${limit}; write a new one with oakum plan`,
    );
  }
  const end = records.findLast(({ kind }) => kind === 'apply-ended');
  if (end?.kind === 'apply-ended' && end.outcome === 'done') return { kind: 'done' };
  if (end?.kind === 'apply-ended' && end.outcome === 'aborted')
    return refuse('failure', 'the plan was aborted; write a new one with oakum plan');
  const stopped = records.findLast(({ kind }) => kind === 'stopped');
  const waits = stopped?.kind === 'stopped' && stopped.why === 'per-hour' ? HOUR_SECONDS : 0;
  const idle = now - Date.parse(last.at) / 1000;
  if (idle <= plan.policy.maxAgeSeconds + waits) return { kind: 'resumed' };
  return refuse(
    'expired',
    `the plan was begun, and nothing was done for ${formatAge(idle)}; undo it with oakum apply --abort, and write a new one`,
  );
}

/** Undefined if this is the cluster of the plan. */
export async function otherCluster(plan: Plan, actions: ClusterActions): Promise<Refusal | undefined> {
  if (plan.cluster.uid === null) return undefined;
  const found = await actions.request({ method: 'GET', path: '/api/v1/namespaces/kube-system' });
  if (found.kind === 'lost') return { why: 'no-answer', detail: `the API server does not answer: ${found.message}` };
  const uid = found.kind === 'done' ? textOf(recordOf(found.value['metadata'])['uid']) : plan.cluster.uid;
  if (uid === plan.cluster.uid) return undefined;
  return {
    why: 'failure',
    detail: `the plan is for the cluster of ${plan.cluster.address}, and ${actions.address} is another`,
  };
}

/** Asks for every right of the plan again: the first step must not be done if the last may not. */
export async function missingRights(plan: Plan, actions: ClusterActions): Promise<Refusal | undefined> {
  const missing: string[] = [];
  for (const right of plan.rights) {
    const reviewed = await actions.request({
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      body: reviewOf(right),
    });
    if (reviewed.kind === 'lost')
      return { why: 'no-answer', detail: `the API server does not answer: ${reviewed.message}` };
    // A server that does not answer such questions refuses at the step itself.
    if (reviewed.kind === 'refused') return undefined;
    const { allowed } = recordOf(reviewed.value['status']);
    if (allowed === false) missing.push(`${rightText(right)} (for ${right.steps.slice(0, 3).join(', ')})`);
  }
  if (missing.length === 0) return undefined;
  return {
    why: 'forbidden',
    detail: `you may not ${missing.join('; ')}; nothing was done. oakum access --for act prints the role`,
  };
}

function reviewOf({ verb, group, resource, namespace }: Right): unknown {
  const [name = '', subresource] = resource.split('/');
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

function rightText({ verb, group, resource, namespace }: Right): string {
  return `${verb} ${resource}${group === '' ? '' : `.${group}`}${namespace === null ? '' : ` in ${namespace}`}`;
}
