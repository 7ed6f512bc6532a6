/**
 * A second person's approval, where the cluster asks for one: a ConfigMap with the hash of the calls and who approved
 * them. The role that applies plans may read it and not write it, so nobody approves their own.
 *
 *     oakum-approval-PLAN    data: { plan, calls, by, at }
 */
import { recordOf } from '../../base/json.ts';
import { timeText } from '../../base/say.ts';
import type { ClusterActions } from '../../live/ports.ts';
import { APPROVAL_ANNOTATION, approvalNamespace, whyNotNow } from '../plan/cluster-rules.ts';
import type { Plan } from '../plan/plan.ts';
import { textsOf } from '../plan/read-node.ts';
import type { Refusal } from './check-plan.ts';

/** What the cluster's owners say, and whether they want a second person. Undefined if the plan may begin. */
export async function refusedByRules(
  plan: Plan,
  actor: string,
  actions: ClusterActions,
  now: number,
): Promise<Refusal | undefined> {
  const rules = await rulesOf(actions);
  if (typeof rules === 'string') return { why: 'no-answer', detail: rules };
  const why = whyNotNow(rules, now);
  if (why !== undefined) return refuse(why);
  const namespace = approvalNamespace(rules);
  return namespace === undefined ? undefined : notApproved(plan, actor, actions, namespace);
}

async function rulesOf(actions: ClusterActions): Promise<Readonly<Record<string, string>> | string> {
  const found = await actions.request({ method: 'GET', path: '/api/v1/namespaces/kube-system' });
  if (found.kind !== 'done') return `the rules of the cluster cannot be read: ${found.message}`;
  return textsOf(recordOf(found.value['metadata'])['annotations']);
}

function refuse(detail: string): Refusal {
  return { why: 'precondition', detail: `${detail}; nothing was done` };
}

async function notApproved(
  plan: Plan,
  actor: string,
  actions: ClusterActions,
  namespace: string,
): Promise<Refusal | undefined> {
  const found = await actions.request({ method: 'GET', path: `${pathIn(namespace)}/${nameOf(plan)}` });
  if (found.kind === 'lost') return { why: 'no-answer', detail: `the API server does not answer: ${found.message}` };
  if (found.kind === 'refused' && found.status === 404)
    return refuse('this cluster wants a second person to approve a plan: oakum plan approve -f PLAN');
  if (found.kind === 'refused') return refuse(`the approval of the plan cannot be read: ${found.message}`);
  const { calls, by } = textsOf(found.value['data']);
  if (calls !== plan.callsHash) return refuse(`what ${by ?? 'someone'} approved is another plan than this`);
  return by === actor ? refuse(`${actor} approved it, and another person has to`) : undefined;
}

export type Approved = { readonly kind: 'approved' } | { readonly kind: 'refused'; readonly detail: string };

export async function approvePlan(plan: Plan, actor: string, actions: ClusterActions, now: number): Promise<Approved> {
  const no = (detail: string): Approved => ({ kind: 'refused', detail });
  if (actor === plan.author) return no(`${actor} made the plan, and another person has to approve it`);
  const rules = await rulesOf(actions);
  if (typeof rules === 'string') return no(rules);
  const namespace = approvalNamespace(rules);
  if (namespace === undefined)
    return no(`this cluster asks for no approval (annotation ${APPROVAL_ANNOTATION} of kube-system)`);
  const made = await actions.request({
    method: 'POST',
    path: pathIn(namespace),
    body: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: nameOf(plan), namespace },
      immutable: true,
      data: { plan: plan.id, calls: plan.callsHash, by: actor, at: timeText(now) },
    },
  });
  if (made.kind === 'done') return { kind: 'approved' };
  return no(made.kind === 'refused' && made.status === 409 ? `${plan.id} is approved already` : made.message);
}

function pathIn(namespace: string): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/configmaps`;
}

function nameOf({ id }: Plan): string {
  return `oakum-approval-${id}`;
}
