/** Where npm packages and modules of Node may be imported. */
import { folderOf, isWithin } from '../graph/folders.ts';
import { isProduction, type Tree } from '../read/tree.ts';
import type { Offence } from './offence.ts';

/** Package -> the folders that may import it, and those below them. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  '@hono/node-server': ['server'],
  '@kubernetes/client-node': ['adapters/kube'],
  '@preact/signals': ['web'],
  aws4fetch: ['adapters/s3'],
  hono: ['server'],
  'modern-tar': ['adapters/archive', 'adapters/files', 'web/reader'],
  'node-sqlite3-wasm': ['adapters/sqlite'],
  pg: ['adapters/postgres'],
  preact: ['web'],
  re2js: ['pprof'],
  // When run from the sources, a thread is loaded like the tests.
  tsx: ['adapters/threads'],
  uplot: ['web/charts'],
  valibot: ['plan/file', 'server'],
  yaml: ['knowledge', 'plan/file', 'report', 'adapters/kube', 'cli'],
};

/** Top folders that may import Node modules. */
const NODE = new Set(['adapters', 'server', 'cli']);

/** Node modules that fewer folders may import; none may import those that load code without an import. */
const RESTRICTED: Readonly<Record<string, readonly string[]>> = {
  // The credential plugins of a kubeconfig, and the command that a user gives.
  'node:child_process': ['adapters/kube', 'cli'],
  'node:cluster': [],
  'node:dgram': [],
  'node:dns': ['server'],
  'node:http': ['adapters/http', 'adapters/kube', 'server'],
  'node:http2': [],
  'node:https': ['adapters/http'],
  'node:inspector': [],
  'node:module': [],
  'node:net': ['adapters/http', 'server'],
  'node:repl': [],
  'node:sqlite': [],
  'node:test': [],
  'node:tls': ['adapters/http'],
  'node:vm': [],
  'node:wasi': [],
  'node:worker_threads': ['adapters/threads', 'cli/watch'],
};

export function packageOffences(tree: Tree): Offence[] {
  const found: Offence[] = [];
  for (const [path, { source }] of tree) {
    if (!isProduction(path)) continue;
    for (const { kind, specifier, line } of source?.loads ?? []) {
      if (kind !== 'module' || specifier === undefined || specifier.startsWith('.')) continue;
      const problem = problemOf(folderOf(path), specifier);
      if (problem === undefined) continue;
      const key = `arrow ${folderOf(path)} -> ${packageOf(specifier)}`;
      found.push({ path, line, problem, key });
    }
  }
  return found;
}

function problemOf(folder: string, specifier: string): string | undefined {
  const name = packageOf(specifier);
  const folders = name.startsWith('node:') ? (RESTRICTED[name] ?? [...NODE]) : PACKAGES[name];
  if (folders === undefined)
    return `imports ${specifier}, which is not in PACKAGES of test/architecture/rules/packages.ts`;
  if (folders.some(allowed => isWithin(folder, allowed))) return undefined;
  const places = folders.length === 0 ? 'nothing that ships may' : `only ${folders.join(', ')} may`;
  return `${folder} may not import ${specifier}: ${places}`;
}

/** @hono/node-server/serve-static -> @hono/node-server; node:fs/promises -> node:fs */
export function packageOf(specifier: string): string {
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : parts[0];
}

/** Entries of the table that nothing uses. */
export function unusedPackages(tree: Tree): string[] {
  const uses = new Map<string, Set<string>>();
  for (const [path, { source }] of tree) {
    if (!isProduction(path)) continue;
    for (const { specifier } of source?.loads ?? []) {
      if (specifier === undefined) continue;
      uses.set(packageOf(specifier), (uses.get(packageOf(specifier)) ?? new Set()).add(folderOf(path)));
    }
  }
  return Object.entries({ ...PACKAGES, ...RESTRICTED }).flatMap(([name, folders]) => {
    const unused = folders.filter(allowed => ![...(uses.get(name) ?? [])].some(folder => isWithin(folder, allowed)));
    return unused.map(folder => `${folder} no longer imports ${name}`);
  });
}
