/** What was requested from whom, and their names in sentences. */
import type { Via } from '../reply.ts';
import { nodeName } from '../../evidence/target.ts';

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
