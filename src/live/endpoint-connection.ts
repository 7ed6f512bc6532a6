import type { Via } from './reply.ts';
import type { Endpoint, SendRequest } from './request-sender.ts';
import type { TargetConnection } from './target-connection.ts';

/** A target behind an endpoint. */
export function endpointConnection(target: string, via: Via, endpoint: Endpoint, send: SendRequest): TargetConnection {
  return {
    target,
    via,
    address: endpoint.socketPath ?? endpoint.base.origin,
    get: (path, limits) => send(endpoint, { method: 'GET', path }, limits),
  };
}
