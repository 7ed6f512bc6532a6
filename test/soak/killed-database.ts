/** The stores of the kill test on a PostgreSQL of their own. */
import type { Postgres } from '../postgres/postgres-server.ts';
import type { KilledDatabase } from './kill-store.ts';

export function killedDatabase(server: Postgres): KilledDatabase {
  return {
    urlOf: name => server.urlOf(name),
    looseIn: async name =>
      new Set((await server.run('SELECT sha256 FROM loose_files', name)).map(row => String(row['sha256']))),
  };
}
