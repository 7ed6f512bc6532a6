/**
 * The roles that people and programs get, as manifests. Acting has a role of its own; nothing else gets its rights.
 *
 *     watch     metrics, stats, nodes, events
 *     capture   nodes/proxy, for a person and for minutes: it allows exec in every container
 *     condition nodes/status and Events, for `oakum watch --node-condition`
 *     act       what the steps of a plan need
 *     replicas  Leases in one namespace, for `oakum watch --replica lease`
 */
import type { JsonValue } from './plan-step.ts';
import { actNamespace } from './restart-pod.ts';

export type RoleName = 'watch' | 'capture' | 'condition' | 'act' | 'replicas';

export const ROLE_NAMES: readonly RoleName[] = ['watch', 'capture', 'condition', 'act', 'replicas'];

export interface Role {
  /** A comment above the manifest: what it allows, in plain words. */
  readonly note: string;
  readonly manifest: JsonValue;
}

export interface RoleOptions {
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
        ...(withPod ? [rule('', ['pods'], ['create', 'get', 'delete'])] : []),
      ]),
    },
  ];
}

function namespacedRole(name: string, namespace: string, rules: readonly Rule[]): JsonValue {
  return { apiVersion: RBAC, kind: 'Role', metadata: { name, namespace }, rules };
}
