/**
 * The first level: which top folder may import which. Imports only go down. records/arrows.txt lists the imports that
 * exist, folder by folder.
 */
import { folderOf, topOf } from '../graph/folders.ts';
import type { Arrow } from '../graph/graph.ts';
import { isProduction, isTest, type Tree } from '../read/tree.ts';
import type { Offence } from './offence.ts';

/** From the bottom up. Folders of one layer do not import each other. */
const LAYERS: readonly (readonly string[])[] = [
  ['base'],
  ['model'],
  ['formats', 'pprof', 'analysis', 'ports'],
  ['evidence'],
  ['knowledge'],
  ['redaction'],
  ['diagnosis', 'plan'],
  ['report'],
  ['engine'],
  ['adapters'],
  ['server'],
  ['cli', 'index', 'web'],
];

/** No I/O, no clock, no random numbers: the same data gives the same result, in Node and in a browser. */
export const PURE: ReadonlySet<string> = new Set(
  'base model formats pprof analysis evidence knowledge redaction diagnosis plan report'.split(' '),
);

/** Folders that may import less than everything below them. */
const ONLY: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ...Array.from(PURE, folder => [folder, PURE] as const),
  ['knowledge', new Set(['base', 'model', 'analysis', 'evidence'])],
  ['adapters', new Set(['base', 'model', 'formats', 'ports'])],
  // The library and the browser load the pure core.
  ['index', PURE],
  ['web', PURE],
]);

export function layerOffences(tree: Tree, arrows: readonly Arrow[]): Offence[] {
  const homeless = [...tree.keys()].filter(path => isProduction(path) && rankOf(folderOf(path)) < 0);
  const misplaced = homeless.map(path => {
    const problem = `${topOf(folderOf(path))} has no place in LAYERS of test/architecture/rules/layers.ts`;
    return { path, line: 0, problem };
  });
  const wrong = arrows.flatMap(({ from, load, to }) => {
    const problem = isProduction(from) ? problemOf(from, to) : isTest(to) ? `imports the test ${to}` : undefined;
    if (problem === undefined) return [];
    return [{ path: from, line: load.line, problem, key: `arrow ${folderOf(from)} -> ${folderOf(to)}` }];
  });
  return [...misplaced, ...wrong];
}

function problemOf(from: string, to: string): string | undefined {
  if (isTest(to)) return `imports the test ${to}`;
  if (!/^(src|web)\//.test(to)) return `imports ${to}, which does not ship`;
  const [folder, target] = [folderOf(from), folderOf(to)];
  if (isAllowed(folder, target)) return undefined;
  return `${folder} may not import ${target} (${to})`;
}

function isAllowed(folder: string, target: string): boolean {
  const [top, targetTop] = [topOf(folder), topOf(target)];
  if (top === targetTop) return top !== 'adapters' || adapterOf(folder) === adapterOf(target);
  // A folder without a place in LAYERS is reported separately.
  if (rankOf(folder) < 0 || rankOf(target) < 0) return true;
  return rankOf(target) < rankOf(folder) && (ONLY.get(top)?.has(targetTop) ?? true);
}

function rankOf(folder: string): number {
  return LAYERS.findIndex(layer => layer.includes(topOf(folder)));
}

/** adapters/http/tls -> http; adapters do not import each other. */
function adapterOf(folder: string): string | undefined {
  return folder.split('/')[1];
}
