/**
 * The PostgreSQL that all test files of a run share; scripts/test/shared-postgres.mjs starts this file when the first
 * of them asks for it. Prints the folder of the socket when the server is ready, and ends with its standard input.
 */
import { once } from 'node:events';
import { PostgresServer } from './postgres-server.ts';

// Nothing here has to survive a crash, and every worker may have a file with many connections.
const settings = ['synchronous_commit=off', 'full_page_writes=off', 'autovacuum=off', 'max_connections=200'];
const server = await new PostgresServer({ settings }).start();
process.stdout.write(`${server.folder}\n`);
await once(process.stdin.resume(), 'end');
await server.remove();
