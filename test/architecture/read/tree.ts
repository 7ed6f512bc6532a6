/** The files under the rules, as plain data; planted offences are added to it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isCode, isData, isProduction } from '../paths.ts';
import { parseRepository, parseTexts, type ReadSource, ROOT } from './parser.ts';
import { readSource, readUnshipped } from './read-source.ts';
import type { Source } from './source.ts';

const FOLDERS = ['src', 'web', 'test', 'bench', 'lab', 'scripts'];
const WRITTEN = /\.([cm]?[jt]sx?|css|html|go|sh|ya?ml)$/;

export interface TreeFile {
  /** Undefined for data. */
  readonly lines: number | undefined;
  /** Undefined for files that are not code. */
  readonly source: Source | undefined;
}

/** Repository path -> file; every file below the six folders, data and tests too. */
export type Tree = ReadonlyMap<string, TreeFile>;

export function readTree(): Tree {
  const sources = parseRepository(read);
  const tree = new Map<string, TreeFile>();
  for (const path of FOLDERS.flatMap(listFiles)) {
    const source = sources.get(path);
    if (isCode(path) && source === undefined) throw new Error(`${path}: the compiler did not read it`);
    tree.set(path, { lines: isWritten(path) ? linesIn(readFileSync(join(ROOT, path), 'utf8')) : undefined, source });
  }
  return tree;
}

/** A small tree for each set of texts by path, all read in one run of the compiler. */
export function readTexts(sets: readonly Readonly<Record<string, string>>[]): Tree[] {
  const code = sets.flatMap((texts, set) =>
    Object.entries(texts).map(([path, text]) => [`${set}/${path}`, text] as const),
  );
  const sources = parseTexts(new Map(code.filter(([path]) => isCode(path))), (path, ...rest) =>
    read(path.replace(/^\d+\//, ''), ...rest),
  );
  return sets.map((texts, set) => {
    const files = Object.entries(texts).map(([path, text]): [string, TreeFile] => {
      return [path, { lines: isWritten(path) ? linesIn(text) : undefined, source: sources.get(`${set}/${path}`) }];
    });
    return new Map(files);
  });
}

const read: ReadSource<Source> = (path, file, isDeclared) =>
  isProduction(path) ? readSource(path, file, isDeclared) : readUnshipped(path, file);

function isWritten(path: string): boolean {
  return WRITTEN.test(path) && !isData(path);
}

function linesIn(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

function listFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap(entry => {
    const path = `${folder}/${entry.name}`;
    if (!entry.isDirectory()) return [path];
    return entry.name === 'node_modules' ? [] : listFiles(path);
  });
}
