/**
 * Asks the API server what the caller may do. Subresources are named as such: `kubectl auth can-i get nodes/proxy` asks
 * about a node with the name proxy.
 */
import { optionalText, recordOf } from '../../base/json.ts';
import type { RightCheck } from './doctor.ts';
import type { TargetRef } from '../../evidence/target.ts';
import type { ClusterConnection, RequestLimits } from '../target-connection.ts';
import type { Reply } from '../reply.ts';
import { replyJson } from '../reply-json.ts';

interface Right {
  readonly verb: string;
  /** `nodes`, or a path. */
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly opens: string;
}

const REVIEW_BYTES = 1024 * 1024;

const NODE_RIGHTS: readonly Right[] = [
  {
    verb: 'get',
    resource: 'nodes',
    subresource: 'proxy',
    opens: 'everything through the API server; profiles and configz also with --direct',
  },
  { verb: 'get', resource: 'nodes', subresource: 'metrics', opens: '/metrics with --direct' },
  { verb: 'get', resource: 'nodes', subresource: 'stats', opens: '/stats/summary with --direct' },
  { verb: 'get', resource: 'nodes', opens: "a node's address, which --direct needs" },
  { verb: 'list', resource: 'nodes', opens: 'names and versions of all nodes' },
];

/** `undefined` means the whole cluster. */
export function rightsFor(ref: TargetRef | undefined, namespace: string): readonly Right[] {
  switch (ref?.kind) {
    case undefined:
    case 'node':
      return NODE_RIGHTS;
    case 'pod':
      return [
        {
          verb: 'get',
          resource: 'pods',
          subresource: 'proxy',
          namespace: ref.namespace ?? namespace,
          opens: "the pod's ports through the API server",
        },
      ];
    case 'apiserver':
      return [
        { verb: 'get', resource: '/metrics', opens: '/metrics' },
        { verb: 'get', resource: '/debug/pprof/heap', opens: 'profiles' },
      ];
    default:
      return [];
  }
}

export async function reviewRights(
  rights: readonly Right[],
  cluster: ClusterConnection,
  limits: RequestLimits,
): Promise<RightCheck[]> {
  const checks: RightCheck[] = [];
  for (const right of rights) {
    const reply = await cluster.post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', review(right), {
      ...limits,
      maxBytes: REVIEW_BYTES,
    });
    const { verb, resource, subresource, opens } = right;
    const name = `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}`;
    const allowed = field(reply, 'allowed');
    checks.push({ right: name, allowed: typeof allowed === 'boolean' ? allowed : undefined, opens });
  }
  return checks;
}

function review({ verb, resource, subresource, namespace }: Right): unknown {
  const spec = resource.startsWith('/')
    ? { nonResourceAttributes: { verb, path: resource } }
    : {
        resourceAttributes: {
          verb,
          resource,
          group: '',
          version: 'v1',
          ...(subresource === undefined ? {} : { subresource }),
          ...(namespace === undefined ? {} : { namespace }),
        },
      };
  return { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec };
}

/** The caller, as the API server sees it; undefined before 1.28 and for unknown callers. */
export async function reviewSelf(cluster: ClusterConnection, limits: RequestLimits): Promise<string | undefined> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const reply = await cluster.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', body, {
    ...limits,
    maxBytes: REVIEW_BYTES,
  });
  return optionalText(recordOf(field(reply, 'userInfo'))['username']);
}

/** A field of the answer's status. */
function field(reply: Reply, name: 'allowed' | 'userInfo'): unknown {
  return recordOf(replyJson(reply, REVIEW_BYTES)['status'])[name];
}
