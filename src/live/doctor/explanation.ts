import type { Via } from '../reply.ts';
import { nodeName } from '../../evidence/target.ts';

/** Why something could not be observed, in words for people: what happened and what to do about it. */
export interface Explanation {
  readonly kind: FailureKind;
  /** One sentence without a full stop. */
  readonly sentence: string;
  /** What to do next, as one sentence without a full stop. */
  readonly nextStep: string;
  /** Whether the same request may succeed later: the target is down, slow or busy. */
  readonly passing: boolean;
}

/** The next step if nothing is wrong: the target just does not have it. */
export const GO_WITHOUT_IT = 'go without it';

export type FailureKind =
  | 'bad-request'
  | 'unauthorized'
  | 'forbidden'
  | 'no-such-node'
  | 'no-such-pod'
  | 'no-such-profile'
  | 'no-such-path'
  | 'handlers-off'
  | 'profiling-off'
  | 'method-refused'
  | 'redirected'
  | 'busy'
  | 'authorizer-down'
  | 'server-error'
  | 'target-down'
  | 'target-unreachable'
  | 'target-tls'
  | 'gateway'
  | 'throttled'
  | 'tls'
  | 'refused'
  | 'dns'
  | 'unreachable'
  | 'socket'
  | 'proxy'
  | 'credentials'
  | 'reset'
  | 'not-http'
  | 'timeout'
  | 'cut'
  | 'too-large'
  | 'stopped'
  | 'other';

/** What was requested from whom, and their names in sentences. */
export interface RequestContext {
  readonly target: string;
  readonly via: Via;
  readonly address: string;
  readonly path: string;
}

/** What the user calls the target. */
export function nameOf({ target, via }: RequestContext): string {
  const node = nodeName(target);
  if (node !== undefined) return `the kubelet of ${node}`;
  return via === 'api-server' ? 'the API server' : target;
}

/** Who answers first. */
export function peerOf(request: RequestContext): string {
  if (request.via === 'api-server-proxy' || request.via === 'api-server') return `the API server ${request.address}`;
  return request.via === 'kubelet' ? `the kubelet at ${request.address}` : request.address;
}

/** An answer of 200 that is not what was requested, such as a login page. */
export function wrongContent(path: string, why: string): Explanation {
  return {
    kind: 'other',
    sentence: `${path} was answered, but ${why}`,
    nextStep: 'check that the address is that of a Go process with /debug/pprof',
    passing: false,
  };
}

export const NOT_METRICS = 'it is not metrics text';
