/**
 * What the double's API server knows about pods and budgets: enough to plan with. Evictions are dry runs only; a real
 * one is refused, so that no test evicts by mistake.
 *
 *     shop/web-0, web-1   of a ReplicaSet, with a readiness probe; the budget web-pdb lets web-0 go and web-1 stay
 *     kube-system/cni-x   of a DaemonSet
 *     kube-system/static  a mirror pod
 */
import type { PlannedAnswer } from './faults.ts';
import { json } from './kubelet-answers.ts';
import { forbiddenResource, NODE, status } from './api-server-answers.ts';
import { isAllowed, type User } from './users.ts';

interface PodSeed {
  readonly namespace: string;
  readonly name: string;
  readonly owner?: readonly [kind: string, name: string];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly probe?: boolean;
}

function pod({ namespace, name, owner, annotations = {}, probe = false }: PodSeed): object {
  const ownerReferences = owner === undefined ? [] : [{ kind: owner[0], name: owner[1], controller: true }];
  return {
    metadata: { name, namespace, uid: `uid-${name}`, annotations, ownerReferences },
    spec: { nodeName: NODE, containers: [{ name: 'main', ...(probe ? { readinessProbe: {} } : {}) }] },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  };
}

const PODS = [
  pod({ namespace: 'shop', name: 'web-0', owner: ['ReplicaSet', 'web'], probe: true }),
  pod({ namespace: 'shop', name: 'web-1', owner: ['ReplicaSet', 'web'], probe: true }),
  pod({ namespace: 'kube-system', name: 'cni-x', owner: ['DaemonSet', 'cni'] }),
  pod({ namespace: 'kube-system', name: 'static', annotations: { 'kubernetes.io/config.mirror': 'x' } }),
];

const BUDGET = {
  metadata: { name: 'web-pdb', namespace: 'shop' },
  status: { disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 2, expectedPods: 3 },
};

const LISTS: Readonly<Record<string, readonly [right: string, items: readonly object[]]>> = {
  '/api/v1/pods': ['pods', PODS],
  '/apis/apps/v1/daemonsets': ['daemonsets', [{ metadata: { name: 'cni', namespace: 'kube-system' } }]],
  '/apis/policy/v1/poddisruptionbudgets': ['poddisruptionbudgets', [BUDGET]],
};

const NAMESPACES: Readonly<Record<string, object>> = {
  'kube-system': { metadata: { name: 'kube-system', uid: 'c1e5ba5e-0000-4000-8000-000000000001' } },
  oakum: { metadata: { name: 'oakum', labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } } },
};

/** Undefined if the path is about something else. */
export function actingAnswer(user: User, url: URL, body: string): PlannedAnswer | undefined {
  const [right, items] = LISTS[url.pathname] ?? [];
  if (right !== undefined && items !== undefined)
    return isAllowed(user, right) ? json(200, { metadata: {}, items }) : forbiddenResource(user, '', right);
  const [, namespace] = /^\/api\/v1\/namespaces\/([^/]+)$/.exec(url.pathname) ?? [];
  if (namespace !== undefined) {
    if (!isAllowed(user, 'namespaces')) return forbiddenResource(user, namespace, 'namespaces');
    const found = NAMESPACES[namespace];
    return found === undefined ? status(404, 'NotFound', `namespaces "${namespace}" not found`) : json(200, found);
  }
  const [, name] = /^\/api\/v1\/namespaces\/[^/]+\/pods\/([^/]+)\/eviction$/.exec(url.pathname) ?? [];
  return name === undefined ? undefined : eviction(user, name, body);
}

function eviction(user: User, name: string, body: string): PlannedAnswer {
  if (!isAllowed(user, 'pods/eviction')) return forbiddenResource(user, name, 'pods/eviction');
  const { deleteOptions } = JSON.parse(body) as {
    deleteOptions?: { dryRun?: string[]; preconditions?: { uid?: string } };
  };
  if (deleteOptions?.dryRun?.[0] !== 'All') return status(405, 'MethodNotAllowed', 'the double evicts nothing');
  if (deleteOptions.preconditions?.uid !== `uid-${name}`) return status(409, 'Conflict', 'the UID does not match');
  if (name !== 'web-1') return json(201, { kind: 'Status', status: 'Success' });
  const message = 'The disruption budget web-pdb needs 2 healthy pods and has 2 currently';
  return json(429, {
    kind: 'Status',
    status: 'Failure',
    reason: 'TooManyRequests',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: { causes: [{ reason: 'DisruptionBudget', message }] },
    code: 429,
  });
}
