import type { Hono } from 'hono';
import type { HttpBindings } from '@hono/node-server';

export interface ServerEnv {
  /** Absent if the app is called without a socket. */
  readonly Bindings: Partial<HttpBindings>;
}

/** Routes of a room above this one, such as plans, and what the rest of the server has to know about them. */
export interface MoreRoutes {
  addTo(api: Hono<ServerEnv>): void;
  /** Whether such a request is checked by its route, more strictly than requests that only read. */
  guardsItself(method: string, pathname: string): boolean;
  /** What the report about an incident says about them; '' for nothing. */
  story(incidentId: string): Promise<string>;
}
