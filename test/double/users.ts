/** The users of the double and their rights. A token is `token-` and the user's name. */
export type UserName = 'admin' | 'metrics-only' | 'nobody' | 'expired';

const RIGHTS: Readonly<Record<string, readonly string[]>> = {
  admin: [
    'nodes',
    'nodes/proxy',
    'nodes/metrics',
    'nodes/stats',
    'nodes/configz',
    'pods',
    'pods/eviction',
    'pods/proxy',
    'daemonsets',
    'poddisruptionbudgets',
    'namespaces',
    'leases',
    'events',
    '/metrics',
    '/debug/pprof/*',
  ],
  'metrics-only': ['nodes', 'nodes/metrics', 'nodes/stats'],
  nobody: [],
};

export interface User {
  readonly name: string;
  readonly rights: readonly string[];
}

/** Undefined for an unknown or expired token; requests without a token are anonymous. */
export function userOf(authorization: string | undefined, impersonated: string | undefined): User | undefined {
  if (authorization === undefined) return { name: 'system:anonymous', rights: [] };
  const own = /^Bearer token-(.+)$/.exec(authorization)?.[1] ?? '';
  if (RIGHTS[own] === undefined) return undefined;
  const name = impersonated ?? own;
  return { name: `system:serviceaccount:lab:${name}`, rights: RIGHTS[name] ?? [] };
}

export function isAllowed({ rights }: User, what: string): boolean {
  return rights.some(right => right === what || (right.endsWith('/*') && what.startsWith(right.slice(0, -1))));
}
