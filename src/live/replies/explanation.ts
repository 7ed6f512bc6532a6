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
