/** A PostgreSQL of a test's own: a new cluster in a new folder, on a port of loopback. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const DEBIAN = '/usr/lib/postgresql';

/** Where its programs are; undefined if it is not installed. */
export function postgresPrograms(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map(version => join(DEBIAN, version, 'bin')), ...(process.env['PATH'] ?? '').split(':')];
  return folders.find(folder => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
}

/** Why no test can have one here. */
export function whyNoPostgres(): string | undefined {
  if (postgresPrograms() === undefined) return 'PostgreSQL is not installed';
  if (process.getuid?.() === 0 && serverUser() === undefined)
    return 'PostgreSQL does not run as root, and there is no user postgres';
  return undefined;
}

interface User {
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL refuses to run as root. */
function serverUser(): User | undefined {
  const [uid, gid] = ['-u', '-g'].map(flag => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout));
  return uid > 0 && gid > 0 ? { uid, gid } : undefined;
}

export class PostgresServer {
  readonly #folder: string;
  readonly #programs: string;
  readonly #user: User | undefined;
  readonly port: number;
  #process: ChildProcess | undefined;

  private constructor(folder: string, programs: string, user: User | undefined, port: number) {
    this.#folder = folder;
    this.#programs = programs;
    this.#user = user;
    this.port = port;
  }

  static async start(): Promise<PostgresServer> {
    const programs = postgresPrograms();
    if (programs === undefined) throw new Error('PostgreSQL is not installed');
    const folder = mkdtempSync(join(tmpdir(), 'oakum-postgres-'));
    const user = process.getuid?.() === 0 ? serverUser() : undefined;
    if (user !== undefined) chownSync(folder, user.uid, user.gid);
    chmodSync(folder, 0o700);
    execFileSync(
      join(programs, 'initdb'),
      ['-D', join(folder, 'data'), '-U', 'oakum', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
      { stdio: 'ignore', cwd: folder, ...user },
    );
    const server = new PostgresServer(folder, programs, user, await freePort());
    await server.run();
    return server;
  }

  get url(): string {
    return this.urlAt(this.port);
  }

  urlAt(port: number): string {
    return `postgres://oakum@127.0.0.1:${port}/postgres`;
  }

  async run(): Promise<void> {
    const settings = ['fsync=off', 'max_connections=60', `unix_socket_directories=${this.#folder}`];
    this.#process = spawn(
      join(this.#programs, 'postgres'),
      [
        '-D',
        join(this.#folder, 'data'),
        '-h',
        '127.0.0.1',
        '-p',
        String(this.port),
        ...settings.flatMap(s => ['-c', s]),
      ],
      { stdio: 'ignore', cwd: this.#folder, ...this.#user },
    );
    for (let tries = 0; tries < 600; tries++) {
      if (this.#process.exitCode !== null) throw new Error(`PostgreSQL ended with ${this.#process.exitCode}`);
      if (await answers(this.port)) {
        const ready = spawnSync(join(this.#programs, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(this.port)]);
        if (ready.status === 0) return;
      }
      await delay(50);
    }
    throw new Error('PostgreSQL does not answer');
  }

  /** `SIGINT` is a fast shutdown, `SIGQUIT` a crash. */
  async stop(signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null) return;
    const ended = new Promise<void>(resolve => child.once('exit', () => resolve()));
    child.kill(signal);
    await ended;
  }

  async remove(): Promise<void> {
    await this.stop('SIGQUIT');
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function freePort(): Promise<number> {
  return new Promise(resolve => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
