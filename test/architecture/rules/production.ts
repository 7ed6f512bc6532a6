/** Code that ships is used by code that ships: code for tests belongs in test/, and unused code is deleted. */
import { type Arrow, fileGraph } from '../graph/graph.ts';
import { isProduction, isTest, type Tree } from '../read/tree.ts';
import type { Offence } from './offence.ts';

/** Entry points of the launcher, library users, the browser and the build. */
const ENTRIES = /^src\/cli\/(?:sea-)?main\.ts$|^src\/index\.ts$|^web\/main\.tsx$|^scripts\/[^/]+\.mjs$/;

export function productionOffences(
  tree: Tree,
  arrows: readonly Arrow[],
  isEntry: (path: string) => boolean,
): Offence[] {
  const graph = fileGraph(arrows);
  const reached = new Set([...tree.keys()].filter(path => ENTRIES.test(path) || isEntry(path)));
  for (const path of reached) for (const next of graph.get(path) ?? []) reached.add(next);
  const unreached = [...tree.keys()].filter(path => isProduction(path) && !reached.has(path));
  return unreached.map(path => {
    const users = arrows.filter(({ from, to }) => to === path && !isProduction(from)).map(({ from }) => from);
    const problem =
      users.length === 0
        ? 'nothing that ships imports it; delete it'
        : `only ${users.every(isTest) ? 'tests import' : 'code that does not ship imports'} it (${users[0]}); move it to test/`;
    return { path, line: 0, problem, key: `unneeded ${path}` };
  });
}
