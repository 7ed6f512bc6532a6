/**
 * What nobody needs, what only one file needs, and what is there twice:
 *
 * - code that ships is used by code that ships; code for tests belongs in test/;
 * - an export is imported by another file, if only by a test, since tests stand beside their source;
 * - a short file with one importer belongs in it;
 * - no function or class of code that ships is there twice.
 */
import { type Arrow, graphOf } from '../graph.ts';
import type { Offence } from '../offence.ts';
import { isProduction, isTest, roomOf } from '../paths.ts';
import type { Tree } from '../read/tree.ts';

/** Entry points of the launcher, library users, the browser and the build. */
const ENTRIES = /^src\/cli\/(?:sea-)?main\.ts$|^src\/index\.ts$|^web\/(?:file-)?main\.tsx$|^scripts\/[^/]+\.mjs$/;
/** A file with fewer lines is folded into its only importer. */
const MIN_LINES = 60;

/** `isNeeded` adds files that are needed without being imported. */
export function useOffences(tree: Tree, arrows: readonly Arrow[], isNeeded: (path: string) => boolean): Offence[] {
  const isEntry = (path: string): boolean => ENTRIES.test(path) || isNeeded(path);
  const own = [...tree.keys()].filter(path => isProduction(path) && !isEntry(path));
  return [
    ...unreached(tree, arrows, isEntry),
    ...own.flatMap(deadExports(tree, arrows)),
    ...own.flatMap(onlyImported(tree, arrows)),
    ...copies(tree),
  ];
}

function unreached(tree: Tree, arrows: readonly Arrow[], isEntry: (path: string) => boolean): Offence[] {
  const graph = graphOf(arrows, 'imports');
  const reached = new Set([...tree.keys()].filter(isEntry));
  for (const path of reached) for (const next of graph.get(path) ?? []) reached.add(next);
  const unreached = [...tree.keys()].filter(path => isProduction(path) && !reached.has(path));
  return unreached.map(path => {
    const users = arrows.filter(({ from, to }) => to === path && !isProduction(from)).map(({ from }) => from);
    const problem =
      users.length === 0
        ? 'nothing that ships imports it; delete it'
        : `only ${users.every(isTest) ? 'tests import' : 'code that does not ship imports'} it (${users[0]}); move it to test/`;
    return { rule: 'unneeded', path, line: 0, problem };
  });
}

function deadExports(tree: Tree, arrows: readonly Arrow[]): (path: string) => Offence[] {
  const used = new Map<string, Set<string>>();
  const opaque = new Set<string>();
  for (const { from, load, to } of arrows) {
    if (from === to) continue;
    if (load.names === undefined) opaque.add(to);
    const names = used.get(to) ?? new Set();
    used.set(to, names);
    for (const name of load.names ?? []) names.add(name);
  }
  return path => {
    // Nobody imports the file: it is reported as a whole.
    if (opaque.has(path) || !used.has(path)) return [];
    const dead = tree.get(path)?.source?.exports.filter(({ name }) => !used.get(path)?.has(name)) ?? [];
    return dead.map(({ name, line }) => ({
      rule: 'dead-export',
      path,
      line,
      problem: `nothing else imports ${name}; do not export it`,
    }));
  };
}

function onlyImported(tree: Tree, arrows: readonly Arrow[]): (path: string) => Offence[] {
  const importers = graphOf(
    arrows.filter(({ from }) => isProduction(from)),
    'importers',
  );
  // A chunk or a thread of its own.
  const isSeparate = new Set(arrows.filter(({ load }) => load.kind !== 'module').map(({ to }) => to));
  return path => {
    const { lines = 0 } = tree.get(path) ?? {};
    const [importer, other] = importers.get(path) ?? [];
    if (lines >= MIN_LINES || importer === undefined || other !== undefined || isSeparate.has(path)) return [];
    if (roomOf(importer) !== roomOf(path)) return [];
    return [
      { rule: 'small-file', path, line: 0, problem: `has ${lines} lines and one importer; move it into ${importer}` },
    ];
  };
}

/** Of functions and classes with the same body, all but the first. */
function copies(tree: Tree): Offence[] {
  const first = new Map<string, string>();
  const found: Offence[] = [];
  for (const [path, { source }] of tree) {
    for (const { name, line, text } of source?.functions ?? []) {
      const original = first.get(text);
      if (original === undefined) first.set(text, `${name} of ${path}`);
      else found.push({ rule: 'copy', path, line, problem: `${name} is a copy of ${original}; import it` });
    }
  }
  return found;
}
