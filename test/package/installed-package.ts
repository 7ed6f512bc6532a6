/** The package as npm publishes it, installed in an empty folder. Nothing is fetched. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../places.ts';

export interface InstalledPackage {
  /** The folder that a user would run `npm install oakum` in. */
  readonly folder: string;
  /** name -> bytes of its files */
  readonly packages: ReadonlyMap<string, number>;
  remove(): void;
}

export interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the npm that runs these tests; undefined if there is none. */
export function npm(cwd: string, ...args: string[]): Outcome | undefined {
  const script = process.env.npm_execpath;
  const options = { cwd, encoding: 'utf8', env: outsideOfNpm() } as const;
  const result = script?.endsWith('npm-cli.js')
    ? spawnSync(process.execPath, [script, ...args], options)
    : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' });
  return result.error === undefined ? result : undefined;
}

/** What `npm test` sets would point the npm that is started at this repository, not at the empty folder. */
export function outsideOfNpm(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|INIT_CWD$)/i.test(name)));
}

/**
 * Packs the repository and what it depends on at run time, and installs both offline: the dependency is packed from
 * node_modules, so that neither a registry nor npm's cache is asked. A dependency more fails the installation.
 */
export function installPackage(): InstalledPackage {
  const folder = mkdtempSync(join(tmpdir(), 'oakum-package-'));
  try {
    const tarballs = join(folder, 'tarballs');
    mkdirSync(tarballs);
    pack(ROOT, tarballs);
    pack(join(ROOT, 'node_modules/node-sqlite3-wasm'), tarballs, '--ignore-scripts');
    writeFileSync(join(folder, 'package.json'), '{"private": true}\n');
    const files = readdirSync(tarballs).map(name => join(tarballs, name));
    const flags = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund', `--cache=${join(folder, 'cache')}`];
    succeed('npm install', npm(folder, 'install', ...flags, ...files));
    return { folder, packages: packagesIn(join(folder, 'node_modules')), remove: () => removeFolder(folder) };
  } catch (error) {
    removeFolder(folder);
    throw error;
  }
}

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

function pack(folder: string, into: string, ...flags: string[]): void {
  succeed(`npm pack ${folder}`, npm(folder, 'pack', `--pack-destination=${into}`, ...flags));
}

function succeed(what: string, outcome: Outcome | undefined): void {
  if (outcome?.status !== 0) throw new Error(`${what} failed: ${outcome?.stderr ?? 'npm is missing'}`);
}

function packagesIn(folder: string): ReadonlyMap<string, number> {
  const names = readdirSync(folder).filter(name => !name.startsWith('.'));
  return new Map(names.sort().map(name => [name, bytesBelow(join(folder, name))]));
}

function bytesBelow(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile());
  return entries.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
