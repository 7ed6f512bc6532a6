/**
 * Builds the programs once, into a cache outside the repository:
 *
 *     CACHE/modules/1.36.3/go.mod, node/main.go    where `go build` runs
 *     CACHE/bin/KEY/kubelet                        KEY: hash of module, sources, flags and Go version
 *     CACHE/building                               the pid of the builder; one at a time
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { LabError } from './lab-error.ts';
import { goModOf, linkerFlagsOf, PROGRAMS, type Program, type ProgramName } from './programs.ts';

const SOURCES = join(dirname(fileURLToPath(import.meta.url)), 'go');
const LOCK_POLL_MS = 1000;

export type BuiltPrograms = ReadonlyMap<ProgramName, string>;
type Say = (line: string) => void;

/** Paths of the programs, after building those that the cache lacks. */
export async function buildPrograms(names: readonly ProgramName[], say: Say): Promise<BuiltPrograms> {
  const cache = cacheFolder();
  const goVersion = findGo();
  const paths = new Map(names.map(name => [name, pathOf(PROGRAMS[name], cache, goVersion)]));
  const missing = (): ProgramName[] => names.filter(name => !existsSync(paths.get(name)!));
  if (missing().length === 0) return paths;

  mkdirSync(cache, { recursive: true });
  await withLock(join(cache, 'building'), say, async () => {
    const wanted = missing();
    for (const [index, name] of wanted.entries()) {
      say(`building ${name} (${index + 1} of ${wanted.length}; the first time takes minutes)`);
      await buildOne(PROGRAMS[name], cache, paths.get(name)!);
    }
  });
  return paths;
}

function cacheFolder(): string {
  const base = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return process.env.OAKUM_LAB_CACHE || join(base, 'oakum-lab');
}

function findGo(): string {
  const result = spawnSync('go', ['env', 'GOVERSION'], { encoding: 'utf8' });
  if (result.status !== 0)
    throw new LabError('the lab is built with Go, and there is no `go` on the path: install Go 1.26');
  const version = result.stdout.trim();
  const minor = Number(/^go1\.(\d+)/.exec(version)?.[1] ?? 0);
  if (minor < 26) throw new LabError(`Kubernetes 1.36 is built with Go 1.26 or newer, this is ${version}`);
  return version;
}

function sourceFolder(program: Program): string | undefined {
  return program.package.startsWith('./') ? join(SOURCES, program.package) : undefined;
}

function pathOf(program: Program, cache: string, goVersion: string): string {
  const hash = createHash('sha256');
  const parts = [goVersion, process.arch, program.package, goModOf(program.module), linkerFlagsOf(program.module)];
  hash.update(parts.join('\0'));
  const folder = sourceFolder(program);
  if (folder !== undefined) {
    for (const file of readdirSync(folder).sort()) hash.update(`\0${file}\0`).update(readFileSync(join(folder, file)));
  }
  return join(cache, 'bin', hash.digest('hex').slice(0, 16), program.name);
}

async function buildOne(program: Program, cache: string, output: string): Promise<void> {
  const module = join(cache, 'modules', program.module);
  mkdirSync(module, { recursive: true });
  // go build adds missing entries to go.mod and go.sum, so they are only rewritten if ours changed.
  const goMod = goModOf(program.module);
  const stamp = join(module, 'go.mod.wanted');
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== goMod) {
    rmSync(join(module, 'go.sum'), { force: true });
    writeFileSync(join(module, 'go.mod'), goMod);
    writeFileSync(stamp, goMod);
  }
  const folder = sourceFolder(program);
  if (folder !== undefined) cpSync(folder, join(module, basename(folder)), { recursive: true });

  mkdirSync(dirname(output), { recursive: true });
  const partial = `${output}.partial`;
  const args = ['build', '-p', '2', '-trimpath', '-ldflags', linkerFlagsOf(program.module), '-o', partial];
  const environment = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=mod -buildvcs=false', GOWORK: 'off' };
  const go = spawn('nice', ['-n', '10', 'go', ...args, program.package], { cwd: module, env: environment });
  let log = '';
  go.stdout.resume();
  go.stderr.setEncoding('utf8').on('data', (text: string) => (log = (log + text).slice(-8000)));
  const code = await new Promise<number>((resolve, reject) => {
    go.on('error', reject);
    go.on('close', status => resolve(status ?? 1));
  });
  if (code !== 0) {
    const reasons = log.split('\n').filter(line => line !== '' && !line.startsWith('go: downloading'));
    throw new LabError(`building ${program.name} failed:\n${reasons.slice(-15).join('\n')}`);
  }
  renameSync(partial, output);
}

async function withLock(path: string, say: Say, work: () => Promise<void>): Promise<void> {
  for (let told = false; ; told = true) {
    try {
      writeFileSync(path, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if (!told) say('waiting for another build to end');
    await delay(LOCK_POLL_MS);
    const holder = Number(readIfThere(path));
    if (holder > 0 && !existsSync(`/proc/${holder}`)) rmSync(path, { force: true });
  }
  try {
    await work();
  } finally {
    rmSync(path, { force: true });
  }
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
