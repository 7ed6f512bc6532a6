/**
 * A PostgreSQL of its own for a test: in a temporary folder, on a unix socket, ended with the test file.
 *
 *     const server = startPostgres();              // undefined, with postgresAbsent saying why, if there is none
 *     const url = server.newStore();               // an address with a schema of its own
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

export class PostgresServer {
  readonly folder: string;
  readonly port: number;
  settings: readonly string[];
  #process: ChildProcess | undefined;
  #stores = 0;

  constructor({ settings = [], port, parent = tmpdir(), walSegmentMegabytes = 16 }: PostgresOptions = {}) {
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

  get socketPath(): string {
    return join(this.folder, `.s.PGSQL.${this.port}`);
  }

  /** The address of a new store, in a schema of its own. */
  newStore(): string {
    return this.urlOf(`store_${++this.#stores}`);
  }

  urlOf(schema: string, user = 'oakum'): string {
    return `postgres://${user}@/postgres?host=${encodeURIComponent(this.folder)}&schema=${schema}`;
  }

  /** One statement, or several, on a connection of its own. */
  async run(sql: string, schema = 'public'): Promise<readonly Record<string, unknown>[]> {
    const client = new pg.Client({ host: this.folder, port: this.port, user: 'oakum', database: 'postgres' });
    client.on('error', () => {});
    await client.connect();
    try {
      await client.query(`SET search_path = "${schema}"`);
      return ((await client.query(sql)) as { rows?: Record<string, unknown>[] }).rows ?? [];
    } finally {
      await client.end();
    }
  }

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

export function schemaIn(url: string): string {
  return parseStoreUrl(url).schema;
}
