/** The rights that calls and preconditions need, and the roles that grant them, as `oakum access` prints them. */
import type { PlanPrecondition, Right, StepCall, JsonValue } from './plan-step.ts';
import { actNamespace } from './restart-pod.ts';

function right(verb: string, resource: string, group = '', namespace: string | null = null): Right {
  return { verb, group, resource, namespace };
}

/** Events about nodes are in this namespace. */
const EVENTS: Right = right('create', 'events', 'events.k8s.io', 'default');
/** To annotate the node with each step. */
const MARK_NODE: Right = right('patch', 'nodes');

export function rightsOfCall(call: StepCall): Right[] {
  switch (call.kind) {
    case 'request':
      return [requestRight(call.method, call.path), EVENTS];
    case 'lease-acquire': {
      const namespace = namespaceOf(call.path);
      return ['get', 'create', 'update'].map(verb => right(verb, 'leases', 'coordination.k8s.io', namespace));
    }
    case 'lease-release': {
      const namespace = namespaceOf(call.path);
      return ['get', 'update'].map(verb => right(verb, 'leases', 'coordination.k8s.io', namespace));
    }
    case 'drain':
      return [
        right('create', 'pods/eviction'),
        ...['get', 'list', 'watch'].map(verb => right(verb, 'pods')),
        right('get', 'daemonsets', 'apps'),
        MARK_NODE,
        EVENTS,
      ];
    case 'pod': {
      const namespace = namespaceOf(call.path);
      return [
        ...['create', 'get', 'delete'].map(verb => right(verb, 'pods', '', namespace)),
        right('get', 'namespaces'),
        right('get', 'nodes/proxy'),
        MARK_NODE,
        EVENTS,
      ];
    }
    case 'command':
    case 'print':
      return [right('get', 'nodes/proxy'), MARK_NODE, EVENTS];
    case 'wait-ready':
      return [right('get', 'nodes'), MARK_NODE, EVENTS];
    case 'verify':
      return [right('get', 'nodes'), right('get', 'nodes/proxy'), MARK_NODE, EVENTS];
  }
}

export function rightsOfPrecondition(precondition: PlanPrecondition): Right[] {
  switch (precondition.kind) {
    case 'node-uid':
    case 'boot-id':
    case 'kubelet-version':
    case 'node-ready':
    case 'not-cordoned':
    case 'cordoned-by-us':
      return [right('get', 'nodes')];
    case 'process-start':
      return [right('get', 'nodes/proxy')];
    case 'no-foreign-work':
      return [right('get', 'nodes'), right('list', 'daemonsets', 'apps')];
    case 'no-device-pods':
      return [right('list', 'pods')];
    case 'own-address':
    case 'not-ready-below':
    case 'cordoned-below':
    case 'zone-quiet':
      return [right('list', 'nodes')];
    case 'privileged-namespace':
    case 'cluster-allows':
      return [right('get', 'namespaces')];
    case 'machine-of-node':
      return [requestRight('GET', precondition.path)];
    case 'lock-held':
      return [];
  }
}

/** At its own port a kubelet asks for less than the API server's proxy, which allows exec. */
export function directRight(right: Right): Right {
  return right.group === '' && right.resource === 'nodes/proxy' ? { ...right, resource: 'nodes/metrics' } : right;
}

export function withoutRepeats(rights: readonly Right[]): Right[] {
  return [...new Map(rights.map(one => [rightKey(one), one])).values()];
}

/** `patch nodes`, `create events.events.k8s.io in default`: as kubectl auth can-i names them. */
export function rightKey({ verb, group, resource, namespace }: Right): string {
  return `${verb} ${resource}${group === '' ? '' : `.${group}`}${namespace === null ? '' : ` in ${namespace}`}`;
}

const VERBS = { GET: 'get', POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' } as const;

/** From the path of the API server: /api/v1/nodes/N, /apis/GROUP/VERSION/namespaces/NS/RESOURCE/NAME. */
function requestRight(method: keyof typeof VERBS, path: string): Right {
  const parts = path.replace(/\?.*$/, '').split('/').slice(1);
  const group = parts[0] === 'apis' ? (parts[1] ?? '') : '';
  const rest = parts.slice(parts[0] === 'apis' ? 3 : 2);
  const isNamespaced = rest[0] === 'namespaces' && rest.length > 2;
  const [resource = '', , subresource] = isNamespaced ? rest.slice(2) : rest;
  const name = subresource === undefined ? resource : `${resource}/${subresource}`;
  return right(VERBS[method], name, group, isNamespaced ? (rest[1] ?? null) : null);
}

function namespaceOf(path: string): string | null {
  return /\/namespaces\/([^/]+)\//.exec(path)?.[1] ?? null;
}

type RoleName = 'watch' | 'capture' | 'condition' | 'act' | 'approve' | 'replicas';

export const ROLE_NAMES: readonly RoleName[] = ['watch', 'capture', 'condition', 'act', 'approve', 'replicas'];

export interface Role {
  /** A comment above the manifest: what it allows, in plain words. */
  readonly note: string;
  readonly manifest: JsonValue;
}

interface RoleOptions {
  readonly namespace: string;
  /** Whether kubelets are restarted by a pod, which is the largest right of all. */
  readonly withPod: boolean;
  /** Where the Leases of replicas are. */
  readonly replicaNamespace: string;
}

const RBAC = 'rbac.authorization.k8s.io/v1';

interface Rule {
  readonly [key: string]: JsonValue;
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/**
 * The roles that people and programs get, as manifests. Acting has a role of its own; nothing else gets its rights.
 *
 *     watch     metrics, stats, nodes, events
 *     capture   nodes/proxy, for a person and for minutes: it allows exec in every container
 *     condition nodes/status and Events, for `oakum watch --node-condition`
 *     act       what the steps of a plan need
 *     approve   approvals of plans, where the cluster asks for a second person
 *     replicas  Leases in one namespace, for `oakum watch --replica lease`
 */
function rule(group: string, resources: readonly string[], verbs: readonly string[]): Rule {
  return { apiGroups: [group], resources, verbs };
}

function clusterRole(name: string, rules: readonly Rule[]): JsonValue {
  return { apiVersion: RBAC, kind: 'ClusterRole', metadata: { name }, rules };
}

export function rolesFor(name: RoleName, options: RoleOptions): Role[] {
  switch (name) {
    case 'watch':
      return [
        {
          note: 'Reads metrics, stats, nodes and their events. Pods tell the revisions of DaemonSets; leave them out if you like.',
          manifest: clusterRole('oakum-watch', [
            rule('', ['nodes'], ['get', 'list', 'watch']),
            rule('', ['events', 'pods'], ['list', 'watch']),
            rule('', ['nodes/metrics', 'nodes/stats', 'nodes/configz'], ['get']),
          ]),
        },
      ];
    case 'capture':
      return [
        {
          note: 'Not read-only: get nodes/proxy allows commands in every container of every node. Bind it to a person, for minutes.',
          manifest: clusterRole('oakum-capture', [rule('', ['nodes/proxy'], ['get'])]),
        },
      ];
    case 'condition':
      return [
        {
          note: 'Sets the condition KubeletLeaking of nodes. patch nodes/status allows every condition and the capacity of a node: RBAC cannot split it. Nothing else of a node can be changed with it.',
          manifest: clusterRole('oakum-condition', [rule('', ['nodes/status'], ['patch'])]),
        },
        {
          note: 'Writes an Event each time. Events about nodes are in the namespace default.',
          manifest: namespacedRole('oakum-condition-events', 'default', [
            rule('events.k8s.io', ['events'], ['create']),
          ]),
        },
      ];
    case 'act':
      return actRoles(options);
    case 'approve':
      return [
        {
          note: 'Approves plans of others. Give it to nobody who has the role to act: approvals are ConfigMaps, and who may write them may approve.',
          manifest: namespacedRole('oakum-approve', options.namespace, [rule('', ['configmaps'], ['create', 'get'])]),
        },
        {
          note: 'Compares the plan with the cluster before anybody says yes.',
          manifest: clusterRole('oakum-approve', [
            rule('', ['nodes'], ['get', 'list']),
            rule('', ['namespaces'], ['get']),
          ]),
        },
      ];
    case 'replicas':
      return [
        {
          note: 'Leases in this namespace: replicas of a watch tell by them who lives and who leads.',
          manifest: namespacedRole('oakum-replicas', options.replicaNamespace, [
            rule('coordination.k8s.io', ['leases'], ['get', 'list', 'create', 'update', 'delete']),
          ]),
        },
      ];
  }
}

function actRoles({ namespace, withPod }: RoleOptions): Role[] {
  return [
    {
      note: withPod
        ? 'The only namespace that lets the restart pod in. Whoever may create pods here is root on every node.'
        : 'The namespace of the lock.',
      manifest: withPod
        ? actNamespace(namespace)
        : { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    },
    {
      note: 'Cordons, annotates and drains. patch nodes also allows labels and taints: RBAC cannot split it.',
      manifest: clusterRole('oakum-act', [
        rule('', ['nodes'], ['get', 'list', 'patch']),
        rule('', ['pods'], ['get', 'list', 'watch']),
        rule('', ['pods/eviction'], ['create']),
        rule('', ['namespaces'], ['get']),
        rule('apps', ['daemonsets'], ['get', 'list']),
        rule('policy', ['poddisruptionbudgets'], ['get', 'list']),
      ]),
    },
    {
      note: 'Reads the metrics of kubelets through the API server, to see that a restart happened. Not read-only; with --direct, nodes/metrics is enough.',
      manifest: clusterRole('oakum-act-verify', [rule('', ['nodes/proxy'], ['get'])]),
    },
    {
      note: 'Writes an Event for each step. Events about nodes are in the namespace default.',
      manifest: namespacedRole('oakum-act-events', 'default', [rule('events.k8s.io', ['events'], ['create'])]),
    },
    {
      note: withPod ? 'The lock, and the pod that restarts a kubelet.' : 'The lock.',
      manifest: namespacedRole('oakum-act', namespace, [
        rule('coordination.k8s.io', ['leases'], ['get', 'create', 'update']),
        rule('', ['configmaps'], ['get']),
        ...(withPod ? [rule('', ['pods'], ['create', 'get', 'delete'])] : []),
      ]),
    },
  ];
}

function namespacedRole(name: string, namespace: string, rules: readonly Rule[]): JsonValue {
  return { apiVersion: RBAC, kind: 'Role', metadata: { name, namespace }, rules };
}
