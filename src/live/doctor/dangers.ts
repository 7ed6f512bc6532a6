/** Dangers that are visible from outside. */
import type { Danger, RightCheck } from './doctor.ts';
import type { TargetRef } from '../../evidence/target.ts';
import { isProfileThere } from './probe-endpoints.ts';
import type { ClusterConnection, RequestLimits, TargetConnection } from '../target-connection.ts';

export interface DangerInput {
  readonly ref: TargetRef;
  readonly connection: TargetConnection;
  readonly cluster: ClusterConnection | undefined;
  readonly rights: readonly RightCheck[];
  readonly isInsecure: boolean;
  /** A path that answers. */
  readonly openPath: string | undefined;
  /** Connects to another port of the same machine, without credentials. */
  readonly connect: (url: string) => TargetConnection;
}

const LIMITS: RequestLimits = { deadlineSeconds: 3, maxBytes: 64 * 1024 };

export async function findDangers(input: DangerInput): Promise<Danger[]> {
  const { ref, connection, rights, openPath } = input;
  const dangers: Danger[] = [];
  if (rights.some(({ right, allowed }) => right === 'get nodes/proxy' && allowed === true))
    dangers.push({
      what: 'you may get nodes/proxy, which is not read-only: it allows running commands in every container of every node',
      advice: 'hold it only during a capture, and never grant it to anything that runs in the cluster',
    });
  // Loopback only: nobody else can reach it.
  if (openPath !== undefined && !isLocal(ref) && (await isOpen(connection, openPath, { withoutCredentials: true })))
    dangers.push(openDanger(ref, connection));
  if (ref.kind === 'node' && (await isReadOnlyPortOpen(input, ref.name)))
    dangers.push({
      what: 'the kubelet serves its read-only port 10255 to anyone: pods, environment and metrics',
      advice: 'set readOnlyPort: 0 in its configuration',
    });
  if (input.isInsecure)
    dangers.push({
      what: 'certificates are not verified: anyone in between gets your credentials',
      advice: 'give --certificate-authority instead of --insecure-skip-tls-verify',
    });
  return dangers;
}

function openDanger(ref: TargetRef, { via }: TargetConnection): Danger {
  if (ref.kind === 'url')
    return {
      what: 'it answers anyone who can reach its port, without authentication',
      advice: 'let it listen on loopback only, or put authentication in front of it',
    };
  if (via === 'kubelet')
    return {
      what: 'the kubelet answers requests without credentials',
      advice: 'set authentication.anonymous.enabled: false in its configuration',
    };
  return {
    what: 'the API server answers this to anonymous requests',
    advice: 'check which ClusterRoleBindings name system:anonymous or system:unauthenticated',
  };
}

function isLocal(ref: TargetRef): boolean {
  return ref.kind === 'unix' || (ref.kind === 'url' && /^https?:\/\/(?:localhost|127\.|\[::1\])/.test(ref.url));
}

async function isOpen(connection: TargetConnection, path: string, more: Partial<RequestLimits>): Promise<boolean> {
  const reply = await connection.get(path, { ...LIMITS, ...more });
  return reply.kind === 'answer' && (reply.status === 200 || isProfileThere(reply));
}

/** Through the API server if the target is reached through it: only that is sure to reach the node. */
async function isReadOnlyPortOpen(
  { connection, cluster, rights, connect }: DangerInput,
  name: string,
): Promise<boolean> {
  if (connection.via === 'kubelet') {
    const { hostname } = new URL(connection.address);
    return isOpen(connect(`http://${hostname}:10255`), '/healthz', { withoutCredentials: true });
  }
  const mayProxy = rights.some(({ right, allowed }) => right === 'get nodes/proxy' && allowed === true);
  if (!mayProxy || cluster === undefined) return false;
  const reply = await cluster.get(`/api/v1/nodes/http:${name}:10255/proxy/healthz`, LIMITS);
  return reply.kind === 'answer' && reply.status === 200;
}
