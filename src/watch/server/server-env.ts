import type { HttpBindings } from '@hono/node-server';

export interface ServerEnv {
  /** Absent if the app is called without a socket. */
  readonly Bindings: Partial<HttpBindings>;
}
