/** The rights that calls and preconditions need; `oakum access --for act` prints the same. */
import type { PlanPrecondition, Right, StepCall } from './plan-step.ts';

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
    case 'no-other-pods':
      return [right('list', 'pods')];
    case 'budget-allows':
      return [right('get', 'poddisruptionbudgets', 'policy')];
    case 'not-ready-below':
    case 'cordoned-below':
    case 'zone-quiet':
      return [right('list', 'nodes')];
    case 'privileged-namespace':
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
