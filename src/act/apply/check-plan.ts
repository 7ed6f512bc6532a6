/** What speaks against applying a plan at all, before anything is done. */
import { recordOf, textOf } from '../../base/json.ts';
import { formatAge, timeText } from '../../base/say.ts';
import type { PlanRecord } from '../../store/plan-log.ts';
import type { NodePlan, Plan } from '../plan/plan.ts';
import type { NodeFacts } from '../plan/cluster-facts.ts';
import {
  CORDONED_ANNOTATION,
  PLAN_ANNOTATION,
  RESTARTED_ANNOTATION,
  STEP_ANNOTATION,
} from '../../evidence/plan-marks.ts';
import { distributionOf, replacerOf } from '../plan/distribution.ts';
import { canonicalJson } from '../plan/plan-file.ts';
import { readNode } from '../plan/read-node.ts';
import { isOfficial } from '../plan/restart-pod.ts';
import type { Right } from '../plan/plan-step.ts';
import type { ClusterActions } from '../../live/ports.ts';

export type Refusal = {
  readonly why: 'expired' | 'forbidden' | 'no-answer' | 'failure' | 'precondition';
  readonly detail: string;
};

/** The clocks of who plans and who applies may differ by so much. */
const CLOCK_SECONDS = 300;

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
    if (age < -CLOCK_SECONDS)
      return refuse(
        'expired',
        `the plan is from the future: it was written at ${plan.createdAt}, and here it is ${timeText(now)}; check the clocks, and write a new one with oakum plan`,
      );
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
  const found = await actions.request({ method: 'GET', path: '/api/v1/namespaces/kube-system' });
  if (found.kind === 'lost') return { why: 'no-answer', detail: `the API server does not answer: ${found.message}` };
  if (found.kind === 'refused')
    return {
      why: found.status === 403 ? 'forbidden' : 'failure',
      detail: `whether ${actions.address} is the cluster of the plan cannot be told: the namespace kube-system cannot be read (${found.message}); nothing was done`,
    };
  if (textOf(recordOf(found.value['metadata'])['uid']) === plan.cluster.uid) return undefined;
  return {
    why: 'failure',
    detail: `the plan is for the cluster of ${plan.cluster.address}, and ${actions.address} is another; nothing was done`,
  };
}

/** What fills in the calls is compared with the Nodes as they are now. Undefined if each is as the plan says. */
export async function otherNodes(
  plan: Plan,
  actions: ClusterActions,
  { image, isNew }: { readonly image: string | null; readonly isNew: boolean },
): Promise<Refusal | undefined> {
  const listed = await actions.nodes();
  if (listed.kind === 'lost') return { why: 'no-answer', detail: `the API server does not answer: ${listed.message}` };
  if (listed.kind === 'refused')
    return {
      why: listed.status === 403 ? 'forbidden' : 'failure',
      detail: `the nodes cannot be listed: ${listed.message}`,
    };
  const nodes = listed.value.items.map(readNode);
  for (const planned of plan.waves.flatMap(wave => wave.nodes)) {
    const now = nodes.find(({ name }) => name === planned.node);
    // One that is gone may be replaced already; the preconditions of its steps say so.
    if (now === undefined || now.uid !== planned.uid) continue;
    const why =
      (isNew ? begunElsewhere(plan, now) : undefined) ??
      changedNode(planned, now) ??
      sharedAddress(now, nodes) ??
      foreignImage(planned, now, image);
    if (why !== undefined) return { why: 'precondition', detail: `${why}; nothing was done` };
  }
  return undefined;
}

/** Its log is in another folder or on another machine; the cluster says so. */
function begunElsewhere({ id }: Plan, { name, annotations }: NodeFacts): string | undefined {
  const [restartedBy = ''] = (annotations[RESTARTED_ANNOTATION] ?? '').split(' ').slice(1);
  if (![annotations[PLAN_ANNOTATION], annotations[CORDONED_ANNOTATION], restartedBy].includes(id)) return undefined;
  const step = annotations[STEP_ANNOTATION] ?? '';
  const at = step === '' ? '' : ` (${step})`;
  return `${id} was begun elsewhere, and ${name} has its marks${at}: resume it where its log is, or end it with oakum plan abort --node ${name}`;
}

const COMPARED = {
  zone: 'zone',
  pool: 'pool',
  isControlPlane: 'part in the control plane',
  address: 'address',
  providerId: 'provider id',
} as const;

function changedNode(planned: NodePlan, now: NodeFacts): string | undefined {
  for (const [key, name] of Object.entries(COMPARED) as [keyof typeof COMPARED, string][])
    if (planned[key] !== now[key])
      return `the ${name} of ${planned.node} is ${now[key] ?? 'not set'}, and ${planned[key] ?? 'not set'} in the plan`;
  const distribution = distributionOf(now);
  if (planned.distribution !== distribution)
    return `the kubelet of ${planned.node} is run as by ${distribution}, and as by ${planned.distribution} in the plan`;
  const { replacer } = planned;
  if (replacer === null) return undefined;
  const version = replacer.kind === 'machine' ? replacer.version : '';
  return canonicalJson(replacerOf(now, version)) === canonicalJson(replacer)
    ? undefined
    : `${planned.node} does not say that it is replaced in the way of the plan`;
}

/** A node writes its own: one that was taken over must not lead a command to another. */
export function sharedAddress(now: NodeFacts, nodes: readonly NodeFacts[]): string | undefined {
  const { name, address, providerId } = now;
  const other = nodes.find(
    one =>
      one.name !== name &&
      (one.address === address || one.name === address || (providerId !== '' && one.providerId === providerId)),
  );
  if (other === undefined) return undefined;
  const what = other.providerId === providerId && providerId !== '' ? 'provider id' : 'address';
  return `${name} and ${other.name} have the same ${what}`;
}

/** It runs as root: nobody but who acts may name one that is not official. */
function foreignImage(planned: NodePlan, now: NodeFacts, named: string | null): string | undefined {
  if (planned.image === null || planned.image.name === named) return undefined;
  const { name } = planned.image;
  return named === null && isOfficial(name) && now.images.includes(name)
    ? undefined
    : `the image ${name} of the plan is not ${named === null ? `an official one that ${now.name} has; name it with --image if it is yours` : named}`;
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
