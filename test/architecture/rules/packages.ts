/** Where npm packages and modules of Node may be imported. */
import type { Offence } from '../offence.ts';
import { doesIo, folderOf, isProduction, isWithin } from '../paths.ts';
import type { Tree } from '../read/tree.ts';

/** Package -> the folders that may import it, and those below them. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  '@hono/node-server': ['watch/server'],
  '@kubernetes/client-node': ['live/io/kube'],
  '@preact/signals': ['web'],
  aws4fetch: ['store/io'],
  hono: ['watch/server', 'act/io'],
  'modern-tar': ['evidence/io', 'web/reader'],
  'node-sqlite3-wasm': ['store/io/sqlite'],
  pg: ['store/io/postgres'],
  preact: ['web'],
  re2js: ['profile/pprof'],
  // When run from the sources, a thread is loaded like the tests.
  tsx: ['store/io'],
  uplot: ['web/charts'],
  valibot: ['act/plan', 'watch/server'],
  yaml: ['knowledge', 'act', 'report', 'live/io/kube', 'cli'],
};

/** Node modules that only some of the folders with I/O may import; none may import those that load code without an import. */
const RESTRICTED: Readonly<Record<string, readonly string[]>> = {
  // The credential plugins of a kubeconfig, and the command that a user gives.
  'node:child_process': ['live/io/kube', 'cli'],
  'node:cluster': [],
  'node:dgram': [],
  'node:dns': ['watch/server'],
  'node:http': ['live/io', 'watch/server'],
  'node:http2': [],
  'node:https': ['live/io'],
  'node:inspector': [],
  'node:module': [],
  'node:net': ['live/io', 'watch/server'],
  'node:process': [],
  'node:repl': [],
  'node:sqlite': [],
  'node:test': [],
  'node:tls': ['live/io'],
  'node:vm': [],
  'node:wasi': [],
  'node:worker_threads': ['store/io', 'cli/watch'],
};

export function packageOffences(tree: Tree): Offence[] {
  const found: Offence[] = [];
  for (const [path, { source }] of tree) {
    if (!isProduction(path)) continue;
    for (const { kind, specifier, line } of source?.loads ?? []) {
      if (kind === 'url' || specifier === undefined || specifier.startsWith('.')) continue;
      const problem = problemOf(folderOf(path), specifier);
      if (problem !== undefined) found.push({ rule: 'package', path, line, problem });
    }
  }
  return found;
}

function problemOf(folder: string, specifier: string): string | undefined {
  const name = packageOf(specifier);
  if (name.startsWith('node:') && !doesIo(folder)) return `${folder} may not import ${specifier}: I/O belongs in io/`;
  if (name.startsWith('node:') && RESTRICTED[name] === undefined) return undefined;
  const folders = name.startsWith('node:') ? RESTRICTED[name] : PACKAGES[name];
  if (folders === undefined)
    return `imports ${specifier}, which is not in PACKAGES of test/architecture/rules/packages.ts`;
  if (folders.some(allowed => isWithin(folder, allowed))) return undefined;
  const places = folders.length === 0 ? 'nothing that ships may' : `only ${folders.join(', ')} may`;
  return `${folder} may not import ${specifier}: ${places}`;
}

/** @hono/node-server/serve-static -> @hono/node-server; node:fs/promises -> node:fs */
function packageOf(specifier: string): string {
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
