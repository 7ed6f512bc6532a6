/** Real S3 servers, built with Go from the module proxy into the lab's cache: gofakes3, and versitygw on a folder. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../until.ts';

const SOURCES = {
  gofakes3: 'github.com/johannesboyne/gofakes3/cmd/gofakes3@v1.2.0',
  versitygw: 'github.com/versity/versitygw/cmd/versitygw@v1.8.0',
} as const;

export const KEYS = { AWS_ACCESS_KEY_ID: 'e2e-user', AWS_SECRET_ACCESS_KEY: 'e2e/secret+of-nobody' } as const;
export const BUCKET = 'evidence';

export interface RealServer {
  readonly name: keyof typeof SOURCES;
  readonly url: string;
  readonly checksSignatures: boolean;
  readonly process: ChildProcess;
}

/** Why they cannot be built; undefined if they are. */
export function buildServers(): string | undefined {
  if (spawnSync('go', ['version']).status !== 0) return 'there is no go on the path: install Go 1.26';
  for (const [name, source] of Object.entries(SOURCES)) {
    if (existsSync(join(cacheFolder(), name))) continue;
    console.log(`building ${source}; the first time takes minutes`);
    mkdirSync(cacheFolder(), { recursive: true });
    const env = { ...process.env, GOBIN: cacheFolder(), CGO_ENABLED: '0', GOFLAGS: '-mod=mod', GOWORK: 'off' };
    const { status, stderr } = spawnSync('nice', ['-n', '10', 'go', 'install', '-p', '2', source], {
      env,
      cwd: tmpdir(),
      encoding: 'utf8',
    });
    if (status !== 0) return `${source} cannot be built: ${stderr.trim().split('\n').at(-1)}`;
  }
  return undefined;
}

function cacheFolder(): string {
  const base = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(process.env.OAKUM_LAB_CACHE || join(base, 'oakum-lab'), 's3');
}

/** In memory; it takes every signature. */
export async function startGofakes3(): Promise<RealServer> {
  const port = await freePort();
  const args = ['-backend', 'memory', '-initialbucket', BUCKET, '-host', `127.0.0.1:${port}`];
  return started('gofakes3', port, args, false);
}

/** On a folder, which may be a small file system. */
export async function startVersitygw(folder: string): Promise<RealServer> {
  const port = await freePort();
  mkdirSync(join(folder, BUCKET), { recursive: true });
  const keys = ['--access', KEYS.AWS_ACCESS_KEY_ID, '--secret', KEYS.AWS_SECRET_ACCESS_KEY];
  const sidecar = mkdtempSync(join(tmpdir(), 'oakum-e2e-s3-metadata-'));
  return started(
    'versitygw',
    port,
    ['--port', `127.0.0.1:${port}`, ...keys, 'posix', '--sidecar', sidecar, folder],
    true,
  );
}

async function started(
  name: RealServer['name'],
  port: number,
  args: readonly string[],
  checksSignatures: boolean,
): Promise<RealServer> {
  const child = spawn(join(cacheFolder(), name), args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint = (complaint + text).slice(-2000)));
  const url = `http://127.0.0.1:${port}`;
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`${name} ended: ${complaint}`);
    return fetch(url).then(
      () => true,
      () => false,
    );
  });
  return { name, url, checksSignatures, process: child };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise(resolve => server.close(resolve));
  return port;
}
