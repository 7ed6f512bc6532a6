// What every script needs first: the dependencies, and the paths. Uses only Node, because it runs before they are
// installed.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Runs Node with `args` in the repository, showing its output; returns its exit code. */
export function runNode(args, options = {}) {
  const result = spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit', ...options });
  if (result.error) throw result.error;
  return result.status ?? 1;
}

/** Runs Node with `args` in the repository, beside other work; returns its exit code and output. */
export function startNode(args) {
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', text => (output += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', status => resolve({ status: status ?? 1, output }));
  });
}

/** Installs the dependencies of the lock file, without running their scripts, unless they are installed already. */
export function ensureInstalled() {
  requireNode();
  if (isInstalled()) return;
  process.stderr.write('oakum: installing the dependencies (once)\n');
  const fresh = !existsSync(join(ROOT, 'node_modules'));
  const args = [
    fresh ? 'ci' : 'install',
    '--ignore-scripts',
    '--include=dev',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  // npm_execpath is the npm that runs this script; the shell finds npm.cmd on Windows.
  const npm = process.env.npm_execpath;
  const result = npm?.endsWith('npm-cli.js')
    ? spawnSync(process.execPath, [npm, ...args], { cwd: ROOT, stdio: ['ignore', 2, 2] })
    : spawnSync('npm', args, { cwd: ROOT, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
  if (result.status !== 0 || !isInstalled()) {
    process.stderr.write('oakum: the dependencies could not be installed; try: npm ci --ignore-scripts\n');
    process.exit(1);
  }
}

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  process.stderr.write(`oakum: needs Node.js 20.19 or newer, this is ${process.version}\n`);
  process.exit(1);
}

// npm writes the tree it installed to node_modules/.package-lock.json as its last step.
function isInstalled() {
  const installed = readPackages('node_modules/.package-lock.json');
  if (installed === undefined) return false;
  const wanted = readPackages('package-lock.json') ?? {};
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '' || (entry.optional && !isForThisMachine(entry))) return true;
    return installed[path]?.version === entry.version && existsSync(join(ROOT, path, 'package.json'));
  });
}

function readPackages(path) {
  try {
    return JSON.parse(readFileSync(join(ROOT, path), 'utf8')).packages;
  } catch {
    return undefined;
  }
}

function isForThisMachine(entry) {
  const fits = (list, value) => list === undefined || list.includes(value);
  // A package for one C library only cannot be judged from here; npm has.
  return fits(entry.os, process.platform) && fits(entry.cpu, process.arch) && entry.libc === undefined;
}

/** Repository paths below `folder` that `accept`, sorted, with forward slashes; empty if the folder does not exist. */
export function listFiles(folder, accept) {
  if (!existsSync(join(ROOT, folder))) return [];
  const found = [];
  for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      if (entry.name !== 'node_modules') found.push(...listFiles(path, accept));
    } else if (accept(path)) {
      found.push(path);
    }
  }
  return found.sort();
}

/** One hash over the names and the contents of files. */
export function hashFiles(paths) {
  const hash = createHash('sha256');
  for (const path of paths) {
    const content = readFileSync(join(ROOT, path));
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}
