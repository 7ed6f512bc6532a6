/** Brings the programs of the zoo into the cache: Debian packages unpacked, Go modules built. Nothing is installed. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { LabError } from '../lab-error.ts';
import type { Source } from './members.ts';
import { CACHE, GO_SOURCES } from './places.ts';

const run = promisify(execFile);
type Say = (line: string) => void;

/** The path of the program, after it was brought. */
export async function bring(source: Source, say: Say): Promise<string> {
  if ('deb' in source) return bringPackage(source.deb, source.path, say);
  return 'own' in source ? buildOwn(source.own, say) : buildModule(source, say);
}

async function bringPackage(name: string, path: string, say: Say): Promise<string> {
  const folder = join(CACHE, 'deb', name);
  const program = join(folder, path);
  if (existsSync(program)) return program;
  say(`downloading ${name}`);
  const downloads = join(CACHE, 'downloads', name);
  rmSync(downloads, { recursive: true, force: true });
  mkdirSync(downloads, { recursive: true });
  await orExplain(`${name} cannot be downloaded; run apt-get update, on Debian 12 or like it`, () =>
    run('apt-get', ['download', name], { cwd: downloads }),
  );
  const [file] = readdirSync(downloads);
  mkdirSync(folder, { recursive: true });
  await run('dpkg', ['-x', join(downloads, file), folder]);
  rmSync(downloads, { recursive: true });
  return program;
}

async function buildModule(source: Extract<Source, { module: string }>, say: Say): Promise<string> {
  const folder = join(CACHE, 'bin', `${source.module.replaceAll('/', '_')}@${source.version}`);
  const program = join(folder, source.binary);
  if (existsSync(program)) return program;
  const wanted = `${source.module}@${source.version}`;
  say(`building ${wanted}`);
  // A module of ours that requires it: `go install` refuses modules with replace directives, as etcd's.
  const module = join(CACHE, 'modules', basename(folder));
  mkdirSync(module, { recursive: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(module, 'go.mod'), 'module zoo\n\ngo 1.26.0\n');
  const go = (...args: readonly string[]): Promise<unknown> =>
    run('nice', ['-n', '10', 'go', ...args], {
      cwd: module,
      env: { ...process.env, GOWORK: 'off', GOFLAGS: '-mod=mod -buildvcs=false' },
      maxBuffer: 64 * 2 ** 20,
    });
  await orExplain(`${wanted} cannot be built`, async () => {
    await go('get', wanted);
    await go('build', '-p', '2', '-trimpath', '-o', `${program}.partial`, source.module);
    renameSync(`${program}.partial`, program);
  });
  return program;
}

async function buildOwn(name: string, say: Say): Promise<string> {
  const hash = createHash('sha256');
  const files = readdirSync(GO_SOURCES, { recursive: true, encoding: 'utf8' }).sort();
  for (const file of files.filter(file => /\.go$|go\.(?:mod|sum)$/.test(file))) {
    hash.update(`${file}\0`).update(readFileSync(join(GO_SOURCES, file)));
  }
  const folder = join(CACHE, 'own', hash.digest('hex').slice(0, 16));
  const program = join(folder, name);
  if (existsSync(program)) return program;
  say('building the small programs');
  const partial = `${folder}.partial`;
  mkdirSync(partial, { recursive: true });
  await orExplain('the small programs cannot be built', () =>
    run('nice', ['-n', '10', 'go', 'build', '-p', '2', '-trimpath', '-o', `${partial}/`, './member', './load'], {
      cwd: GO_SOURCES,
      env: { ...process.env, CGO_ENABLED: '1', GOWORK: 'off', GOFLAGS: '-buildvcs=false' },
    }),
  );
  renameSync(partial, folder);
  return program;
}

async function orExplain(what: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const { stderr = '', message } = error as Error & { readonly stderr?: string };
    throw new LabError(`${what}: ${stderr.trim().split('\n').slice(-3).join('\n') || message}`);
  }
}
