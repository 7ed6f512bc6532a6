/** Which paths of a target answer. */
import type { EndpointCheck } from './doctor.ts';
import type { TargetKind } from '../../evidence/target.ts';
import type { RequestLimits, TargetConnection } from '../target-connection.ts';
import type { Answer, Reply } from '../reply.ts';
import { explain } from '../replies/explain.ts';
import { NOT_METRICS, wrongContent } from '../replies/wrong-content.ts';
import { sniffExposition } from '../../evidence/formats/exposition/sniff.ts';
import { isGzip } from '../../base/gzip.ts';
import type { Explanation } from '../replies/explanation.ts';

const PROFILES = ['goroutine', 'heap', 'allocs', 'block', 'mutex', 'threadcreate', 'goroutineleak'];
const KUBELET = ['/healthz', '/metrics/probes', '/metrics/resource', '/stats/summary', '/configz'];
/** Enough to see whether it answers. */
const SMALL_BYTES = 64 * 1024;

export interface Probes {
  readonly endpoints: readonly EndpointCheck[];
  /** The answer to /metrics, if there is one. */
  readonly metrics: Answer | undefined;
}

/**
 * Profiles are requested by name, since the index of a kubelet is a 404, and with `seconds=0`: Go then answers 400 if it
 * has the profile and 404 if not, without making it. A real goroutineleak profile would reset the waiting times of all
 * goroutines. CPU profiles and traces cannot be probed like this, but they answer if the others do.
 */
export async function probeEndpoints(
  connection: TargetConnection,
  kind: TargetKind,
  limits: RequestLimits,
): Promise<Probes> {
  const metricsReply = await connection.get('/metrics', limits);
  const first = check(metricsReply, '/metrics', connection);
  const endpoints = [first];
  const metrics = metricsReply.kind === 'answer' && first.answers === 'yes' ? metricsReply : undefined;
  const others = [
    ...(kind === 'node' ? KUBELET : ['/healthz']),
    ...PROFILES.map(name => `/debug/pprof/${name}?seconds=0`),
  ];
  const isSettled = saysAll(first, connection);
  for (const path of others) {
    if (isSettled) endpoints.push(notAsked(path));
    else endpoints.push(check(await connection.get(path, { ...limits, maxBytes: SMALL_BYTES }), path, connection));
  }
  return { endpoints, metrics };
}

/** Whether every other path would get the same answer: nothing is there, or nobody may get in. */
function saysAll({ status, problem }: EndpointCheck, { via }: TargetConnection): boolean {
  if (status === 0 || problem?.kind === 'target-down' || problem?.kind === 'unauthorized') return true;
  // Through the API server, everything needs the same permission.
  return via === 'api-server-proxy' && problem?.kind === 'forbidden';
}

function notAsked(path: string): EndpointCheck {
  return { path: shown(path), answers: 'not-asked', status: 0, tookSeconds: 0, problem: undefined };
}

function check(reply: Reply, path: string, connection: TargetConnection): EndpointCheck {
  const status = reply.kind === 'answer' ? reply.status : 0;
  const base = { path: shown(path), status, tookSeconds: reply.tookSeconds };
  const problem =
    reply.kind === 'answer' && isProfileThere(reply)
      ? undefined
      : (explain(reply, { ...connection, path: shown(path) }) ?? contentProblem(reply, shown(path)));
  // An answer that is too long is still an answer.
  if (problem === undefined || problem.kind === 'too-large') return { ...base, answers: 'yes', problem: undefined };
  return { ...base, answers: 'no', problem };
}

/** A login page answers every path with 200. */
function contentProblem(reply: Reply, path: string): Explanation | undefined {
  if (reply.kind !== 'answer') return undefined;
  if (path.startsWith('/metrics')) {
    return sniffExposition(reply.body) ? undefined : wrongContent(path, NOT_METRICS);
  }
  // Old versions of Go answer `seconds=0` with the profile itself.
  if (path.startsWith('/debug/pprof/'))
    return isGzip(reply.body) ? undefined : wrongContent(path, 'it is not a profile');
  return undefined;
}

/** Go's answer to `seconds=0` if it has the profile. */
export function isProfileThere({ status, headers }: Answer): boolean {
  return status === 400 && headers['x-go-pprof'] !== undefined;
}

function shown(path: string): string {
  return path.replace(/\?.*$/, '');
}
