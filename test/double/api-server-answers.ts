/** Answers of the double's API server itself, before anything is passed on to the kubelet. */
import type { PlannedAnswer } from './faults.ts';
import { json } from './kubelet-answers.ts';
import { isAllowed, type User } from './users.ts';

export const NODE = 'worker-17';

export function status(code: number, reason: string, message: string): PlannedAnswer {
  return json(code, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code });
}

export function forbiddenResource(user: User, name: string, resource: string): PlannedAnswer {
  const [kind] = resource.split('/');
  const message = `${kind} "${name}" is forbidden: User "${user.name}" cannot get resource "${resource}" in API group "" at the cluster scope`;
  return status(403, 'Forbidden', message);
}

interface ReviewSpec {
  readonly resourceAttributes?: {
    readonly verb?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly name?: string;
  };
  readonly nonResourceAttributes?: { readonly path?: string };
}

export function accessReview(user: User, body: string): PlannedAnswer {
  const { spec } = JSON.parse(body) as { spec: ReviewSpec };
  const { resource = '', subresource = '' } = spec.resourceAttributes ?? {};
  const what = spec.nonResourceAttributes?.path ?? (subresource === '' ? resource : `${resource}/${subresource}`);
  return json(201, {
    kind: 'SelfSubjectAccessReview',
    apiVersion: 'authorization.k8s.io/v1',
    spec,
    status: { allowed: isAllowed(user, what) },
  });
}

export function selfReview(user: User): PlannedAnswer {
  return json(201, {
    kind: 'SelfSubjectReview',
    apiVersion: 'authentication.k8s.io/v1',
    status: { userInfo: { username: user.name } },
  });
}

export function nodeObject(kubeletPort: number): Readonly<Record<string, unknown>> {
  return {
    kind: 'Node',
    apiVersion: 'v1',
    metadata: {
      name: NODE,
      uid: '0d5e1f7a-1111-4222-8333-444455556666',
      labels: { 'topology.kubernetes.io/zone': 'eu-1a' },
    },
    status: {
      addresses: [
        { type: 'Hostname', address: NODE },
        { type: 'InternalIP', address: '127.0.0.1' },
      ],
      conditions: [{ type: 'Ready', status: 'True' }],
      daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort } },
      nodeInfo: { kubeletVersion: 'v1.36.0', containerRuntimeVersion: 'fakeRuntime://0.1.0' },
    },
  };
}
