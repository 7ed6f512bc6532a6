/** What runs in the lab's cluster and who may access it, as Kubernetes objects. */
import type { KubernetesObject } from './api-client.ts';
import { CERTIFICATE_USERS } from './certificates.ts';
import { DAEMON_PORT } from './layout.ts';
import type { LabNode } from './node-set.ts';

const NAMESPACE = 'lab';

type PolicyRule = Readonly<Record<string, readonly string[]>>;

const SEE_NODES: PolicyRule = { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch'] };
const SEE_EVENTS: PolicyRule = { apiGroups: [''], resources: ['events'], verbs: ['list', 'watch'] };
const READ_METRICS: PolicyRule = { apiGroups: [''], resources: ['nodes/metrics', 'nodes/stats'], verbs: ['get'] };

/** A user for each of the product's roles; `nobody` has none. */
const ROLES: Readonly<Partial<Record<(typeof CERTIFICATE_USERS)[number], readonly PolicyRule[]>>> = {
  'metrics-only': [SEE_NODES, SEE_EVENTS, READ_METRICS],
  capture: [
    SEE_NODES,
    SEE_EVENTS,
    READ_METRICS,
    { apiGroups: [''], resources: ['nodes/proxy', 'pods/proxy'], verbs: ['get'] },
    { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] },
    { nonResourceURLs: ['/metrics', '/debug/pprof/*'], verbs: ['get'] },
  ],
};

export function accessObjects(): readonly KubernetesObject[] {
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'capture', namespace: NAMESPACE } },
    ...Object.entries(ROLES).flatMap(([user, rules]) => roleFor(user, rules)),
  ];
}

function roleFor(user: string, rules: readonly PolicyRule[]): readonly KubernetesObject[] {
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const apiGroup = 'rbac.authorization.k8s.io';
  const name = `oakum-lab-${user}`;
  const subjects: object[] = [{ kind: 'User', apiGroup, name: user }];
  if (user === 'capture') subjects.push({ kind: 'ServiceAccount', namespace: NAMESPACE, name: user });
  return [
    { apiVersion, kind: 'ClusterRole', metadata: { name }, rules },
    {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup, kind: 'ClusterRole', name },
      subjects,
    },
  ];
}

export function workloadObjects(nodes: readonly LabNode[]): readonly KubernetesObject[] {
  return [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'app-config', namespace: NAMESPACE },
      data: { 'app.conf': 'mode=lab\n' },
    },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'app-secret', namespace: NAMESPACE },
      stringData: { fixture: 'not a secret' },
    },
    ...nodes.flatMap(podsOf),
    daemonPod(nodes[0]),
  ];
}

/** Half the pods are bare, half have probes and volumes: the kubelet keeps more for those. */
function podsOf(node: LabNode): readonly KubernetesObject[] {
  const bare = Math.floor(node.pods / 2);
  const objects = [
    workload('Deployment', 'bare', node, { replicas: bare }, bareSpec()),
    workload('Deployment', 'rich', node, { replicas: node.pods - bare }, richSpec()),
  ];
  if (node.ramp === undefined) return objects;
  // A StatefulSet creates its next pod when the last one has been ready for a while, so the ramp drives itself.
  const ramp = {
    replicas: node.ramp.toPods - node.pods,
    minReadySeconds: node.ramp.podEverySeconds,
    podManagementPolicy: 'OrderedReady',
    serviceName: `ramp-${node.name}`,
  };
  return [...objects, workload('StatefulSet', 'ramp', node, ramp, richSpec())];
}

function workload(
  kind: 'Deployment' | 'StatefulSet',
  role: string,
  node: LabNode,
  spec: object,
  podSpec: object,
): KubernetesObject {
  const name = `${role}-${node.name}`;
  const labels = { app: name, node: node.name };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, namespace: NAMESPACE },
    spec: {
      ...spec,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          ...podSpec,
          nodeSelector: { 'kubernetes.io/hostname': node.name },
          terminationGracePeriodSeconds: 1,
        },
      },
    },
  };
}

/** Never pulled: the runtime is a fake. */
const IMAGE = 'lab/app:1';
const RESOURCES = { requests: { cpu: '1m', memory: '1Mi' } };

function bareSpec(): object {
  return {
    containers: [
      { name: 'app', image: IMAGE, resources: RESOURCES, volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }] },
    ],
    volumes: [{ name: 'scratch', emptyDir: {} }],
  };
}

function richSpec(): object {
  const probe = { exec: { command: ['true'] }, periodSeconds: 10 };
  const volumes = [
    { name: 'config', configMap: { name: 'app-config' } },
    { name: 'secret', secret: { secretName: 'app-secret' } },
    { name: 'labels', downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
    { name: 'token', projected: { sources: [{ serviceAccountToken: { path: 'token', expirationSeconds: 3600 } }] } },
  ];
  return {
    containers: [
      {
        name: 'app',
        image: IMAGE,
        resources: RESOURCES,
        readinessProbe: probe,
        livenessProbe: probe,
        volumeMounts: volumes.map(({ name }) => ({ name, mountPath: `/${name}` })),
      },
    ],
    volumes,
  };
}

/** Its address is that of every pod, where a real daemon listens (layout.ts): a pod that can be captured. */
function daemonPod(node: LabNode): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'daemon', namespace: NAMESPACE },
    spec: {
      nodeSelector: { 'kubernetes.io/hostname': node.name },
      containers: [{ name: 'daemon', image: IMAGE, resources: RESOURCES, ports: [{ containerPort: DAEMON_PORT }] }],
    },
  };
}

/** Pods that exist before any ramp begins. */
export function podsAtStart(nodes: readonly LabNode[]): number {
  return nodes.reduce((sum, node) => sum + node.pods, 1);
}
