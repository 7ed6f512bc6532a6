/**
 * PostgreSQL for tests, on a unix socket in a temporary folder. postgresAbsent says why there is none.
 *
 *     const server = await sharedPostgres();              // a database of its own on the one server of the test run
 *     const server = await new PostgresServer().start();  // a server of its own, to stop, fill or configure
 *     const url = server.newStore();                      // an address with a schema of its own
 *     await server.remove();
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { parseStoreUrl } from '../../src/store/io/postgres/store-url.ts';

const DEBIAN = '/usr/lib/postgresql';

/** The newest that is installed; OAKUM_POSTGRES names the folder of another. */
function findBinaries(): string | undefined {
  const given = process.env['OAKUM_POSTGRES'];
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const found = [...(given === undefined ? [] : [given]), ...versions.map(version => join(DEBIAN, version, 'bin'))];
  return found.find(folder => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
}

const binaries = findBinaries();
/** PostgreSQL refuses to run as root. */
const owner = process.getuid?.() === 0 ? otherUser() : undefined;

/** Why tests of it are skipped; false if they are not. */
export const postgresAbsent: string | false =
  binaries === undefined
    ? 'PostgreSQL is not installed (Debian: postgresql)'
    : process.getuid?.() === 0 && owner === undefined
      ? 'PostgreSQL does not run as root, and there is no user nobody'
      : false;

function otherUser(): { readonly uid: number; readonly gid: number } | undefined {
  for (const name of ['postgres', 'nobody']) {
    const { status, stdout } = spawnSync('id', ['-u', name], { encoding: 'utf8' });
    if (status !== 0) continue;
    return { uid: Number(stdout), gid: Number(execFileSync('id', ['-g', name], { encoding: 'utf8' })) };
  }
  return undefined;
}

export interface PostgresOptions {
  /** More settings: `fsync=on`. */
  readonly settings?: readonly string[];
  /** Also listens there, on loopback. */
  readonly port?: number;
  /** The folder in which its folder is; that for temporary files by default. */
  readonly parent?: string;
  readonly walSegmentMegabytes?: number;
}

const USUAL_PORT = 5432;

/** One database of a server. */
abstract class Postgres {
  /** The folder of the socket; tests may put files of their own there. */
  abstract readonly folder: string;
  abstract readonly port: number;
  abstract readonly database: string;
  #stores = 0;

  abstract remove(): Promise<void>;

  get socketPath(): string {
    return join(this.folder, `.s.PGSQL.${this.port}`);
  }

  /** The address of a new store, in a schema of its own. */
  newStore(): string {
    return this.urlOf(`store_${++this.#stores}`);
  }

  urlOf(schema: string, user = 'oakum'): string {
    return `postgres://${user}@/${this.database}?host=${encodeURIComponent(this.folder)}&schema=${schema}`;
  }

  /** One statement, or several, on a connection of its own. */
  async run(sql: string, schema = 'public'): Promise<readonly Record<string, unknown>[]> {
    const client = new pg.Client({ host: this.folder, port: this.port, user: 'oakum', database: this.database });
    client.on('error', () => {});
    await client.connect();
    try {
      await client.query(`SET search_path = "${schema}"`);
      return ((await client.query(sql)) as { rows?: Record<string, unknown>[] }).rows ?? [];
    } finally {
      await client.end();
    }
  }
}

export type { Postgres };

export class PostgresServer extends Postgres {
  readonly folder: string;
  readonly port: number;
  readonly database = 'postgres';
  settings: readonly string[];
  #process: ChildProcess | undefined;

  constructor({ settings = [], port, parent = tmpdir(), walSegmentMegabytes = 16 }: PostgresOptions = {}) {
    super();
    this.settings = port === undefined ? settings : ['listen_addresses=127.0.0.1', `port=${port}`, ...settings];
    this.port = port ?? USUAL_PORT;
    this.folder = mkdtempSync(join(parent, 'oakum-postgres-'));
    if (owner !== undefined) chownSync(this.folder, owner.uid, owner.gid);
    const { status, stderr } = spawnSync(
      join(binaries ?? '', 'initdb'),
      [
        ...['-D', join(this.folder, 'data'), '-U', 'oakum', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
        `--wal-segsize=${walSegmentMegabytes}`,
      ],
      { ...owner, cwd: this.folder, encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(`initdb failed: ${stderr}`);
    process.once('exit', this.#kill);
  }

  /** Ready when it resolves. */
  async start(): Promise<this> {
    const settings = ['listen_addresses=', 'fsync=off', 'max_connections=60', 'shared_buffers=64MB', ...this.settings];
    const args = ['-D', join(this.folder, 'data'), '-k', this.folder, ...settings.flatMap(one => ['-c', one])];
    // Ends with its standard input, and so with this process, however that ends.
    const script = '"$@" & read -r _; kill -QUIT $! 2>/dev/null; wait $!';
    const started = spawn('sh', ['-c', script, 'sh', join(binaries ?? '', 'postgres'), ...args], {
      ...owner,
      cwd: this.folder,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    started.stdin?.on('error', () => {});
    this.#process = started;
    for (let attempt = 0; ; attempt++) {
      try {
        await this.run('SELECT 1');
        return this;
      } catch (error) {
        if (attempt > 600) throw error;
        await new Promise(resolve => setTimeout(resolve, 50));
      }
    }
  }

  /** At once, as in a crash. */
  async stop(): Promise<void> {
    const running = this.#process;
    this.#process = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const ended = new Promise(resolve => running.once('exit', resolve));
    running.stdin?.end();
    await ended;
  }

  async remove(): Promise<void> {
    process.off('exit', this.#kill);
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  readonly #kill = (): void => {
    this.#process?.stdin?.end();
    rmSync(this.folder, { recursive: true, force: true });
  };

  /** Writes a file into its data folder that only the server can read, such as a key. */
  write(name: string, content: string): void {
    const path = join(this.folder, 'data', name);
    writeFileSync(path, content, { mode: 0o600 });
    if (owner !== undefined) chownSync(path, owner.uid, owner.gid);
  }

  /** Of the server itself. */
  get pid(): number {
    return Number(readFileSync(join(this.folder, 'data/postmaster.pid'), 'utf8').split('\n')[0]);
  }
}

/** Locks, notifications and statistics of a database are its own, so test files do not see each other. */
class SharedDatabase extends Postgres {
  readonly folder: string;
  readonly port = USUAL_PORT;
  readonly database: string;

  constructor(folder: string, database: string) {
    super();
    this.folder = folder;
    this.database = database;
  }

  async remove(): Promise<void> {
    await new SharedDatabase(this.folder, 'postgres').run(`DROP DATABASE ${this.database} WITH (FORCE)`);
  }
}

declare global {
  /** Asks the test runner for the folder of the server that all test files share; see scripts/test/worker.mjs. */
  var sharedPostgresFolder: (() => Promise<string>) | undefined;
}

let databases = 0;

/** A new database on the server of the test run; on a server of its own if there is no runner. */
export async function sharedPostgres(): Promise<Postgres> {
  if (globalThis.sharedPostgresFolder === undefined) return new PostgresServer().start();
  const database = `test_${process.pid}_${++databases}`;
  const folder = await globalThis.sharedPostgresFolder();
  // The small template is copied file by file: quicker than through the log.
  await new SharedDatabase(folder, 'postgres').run(`CREATE DATABASE ${database} TEMPLATE template0 STRATEGY file_copy`);
  return new SharedDatabase(folder, database);
}

export function schemaIn(url: string): string {
  return parseStoreUrl(url).schema;
}
