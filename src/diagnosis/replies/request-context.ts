/** Who was asked for what, and what they are called in sentences. */
import type { Via } from '../../model/reply.ts';
import { nodeName } from '../../model/target.ts';

export interface RequestContext {
  readonly target: string;
  readonly via: Via;
  readonly address: string;
  readonly path: string;
}

/** What the user knows the target as. */
export function nameOf({ target, via }: RequestContext): string {
  const node = nodeName(target);
  if (node !== undefined) return `the kubelet of ${node}`;
  return via === 'api-server' ? 'the API server' : target;
}

/** Who spoke, or was to speak, first. */
export function peerOf(asked: RequestContext): string {
  if (asked.via === 'api-server-proxy' || asked.via === 'api-server') return `the API server ${asked.address}`;
  return asked.via === 'kubelet' ? `the kubelet at ${asked.address}` : asked.address;
}
