/** How to reach a continuous profiler, and what its answers mean. */
import { parseJsonBytes } from '../base/json.ts';
import { oneLine } from '../base/text-layout.ts';
import { type Answer, type Reply, deliveryOf } from './reply.ts';
import type { RequestLimits, Credentials, Endpoint, CredentialFiles } from './ports.ts';
import { Failure } from '../base/errors.ts';

export interface ProfilerOptions {
  /** With the path before its API, if there is one. */
  readonly url: string;
  /** '' for none. */
  readonly tokenFile: string;
  /** Sent with every request, such as X-Scope-OrgID for a tenant. */
  readonly headers: Readonly<Record<string, string>>;
}

export const PROFILER_LIMITS: RequestLimits = { deadlineSeconds: 60, maxBytes: 268_435_456 };

export function profilerEndpoint(base: URL, options: ProfilerOptions, files: CredentialFiles): Endpoint {
  const credentials = async (): Promise<Credentials> => {
    const token =
      options.tokenFile === '' ? {} : { authorization: `Bearer ${await files.readToken(options.tokenFile)}` };
    return { headers: { ...options.headers, ...token } };
  };
  return { base, tls: {}, credentials };
}

/** Throws a Failure that says what came instead. */
export function answered(reply: Reply, address: string): Answer {
  if (reply.kind === 'refused') {
    throw new Failure('no-answer', `${address} refuses the connection: nothing listens there; check its address`);
  }
  const delivery = deliveryOf(reply);
  if (reply.kind !== 'answer' || delivery.kind !== 'delivered') {
    const why = delivery.kind === 'delivered' ? '' : delivery.why;
    throw new Failure('no-answer', `${address}: ${oneLine(why)}`);
  }
  if (reply.cut !== undefined) throw new Failure('no-answer', `${address}: ${oneLine(reply.cut.message)}`);
  return reply;
}

export function answeredJson(reply: Reply, address: string): unknown {
  const value = parseJsonBytes(answered(reply, address).body, PROFILER_LIMITS.maxBytes);
  if (value === undefined) throw new Failure('no-answer', `${address}: it answered something other than JSON`);
  return value;
}
