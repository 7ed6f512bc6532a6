/**
 * The TypeScript compiler's own parser and binder, without library files and without module resolution.
 *
 * The compiler runs as a child process behind TypeScript's `unstable` API, which may change with any release: only this
 * folder uses it. The child reads the files of the repository itself, since callbacks would take four times as long.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Identifier, isShorthandPropertyAssignment, type SourceFile } from 'typescript/unstable/ast';
import { createVirtualFileSystem } from 'typescript/unstable/fs';
import { API, type APIOptions, type Checker } from 'typescript/unstable/sync';

const HERE = forwardSlashes(dirname(fileURLToPath(import.meta.url)));
const CONFIG = `${HERE}/every-source.tsconfig.json`;
export const ROOT: string = forwardSlashes(join(HERE, '../../..'));

/** Called for each file while the compiler runs; `file` must not be used afterwards. */
export type ReadSource<T> = (path: string, file: SourceFile, isDeclared: IsDeclared) => T;

/** For each name, whether the file declares or imports it. If not, it is a global. */
export type IsDeclared = (names: readonly Identifier[]) => readonly boolean[];

/** Reads every source of the repository; the keys are its paths, with forward slashes. */
export function parseRepository<T>(read: ReadSource<T>): Map<string, T> {
  return parse({ cwd: ROOT }, CONFIG, ROOT, read);
}

/** Reads sources that are not on disk, by their path. */
export function parseTexts<T>(texts: ReadonlyMap<string, string>, read: ReadSource<T>): Map<string, T> {
  const root = '/texts';
  const { compilerOptions } = JSON.parse(readFileSync(CONFIG, 'utf8')) as { compilerOptions: unknown };
  const config = { compilerOptions, files: [...texts.keys()] };
  const fs = createVirtualFileSystem({
    ...Object.fromEntries(Array.from(texts, ([path, text]) => [`${root}/${path}`, text])),
    [`${root}/tsconfig.json`]: JSON.stringify(config),
  });
  return parse({ cwd: root, fs }, `${root}/tsconfig.json`, root, read);
}

function parse<T>(options: APIOptions, config: string, root: string, read: ReadSource<T>): Map<string, T> {
  const api = new API(options);
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (project === undefined) throw new Error(`${config}: the compiler did not open it`);
    const { program, checker } = project;
    // In a file that does not parse, an import may be hidden behind the mistake.
    const [mistake] = program.getSyntacticDiagnostics();
    if (mistake !== undefined) throw new Error(`${mistake.fileName ?? config}: ${mistake.text}`);
    const found = new Map<string, T>();
    for (const name of program.getSourceFileNames()) {
      const file = program.getSourceFile(name);
      if (file === undefined || !name.startsWith(`${root}/`)) throw new Error(`${name}: the compiler did not read it`);
      const path = name.slice(root.length + 1);
      found.set(
        path,
        read(path, file, names => declared(checker, names)),
      );
    }
    return found;
  } finally {
    api.close();
  }
}

function declared(checker: Checker, names: readonly Identifier[]): boolean[] {
  if (names.length === 0) return [];
  const symbols = checker.getSymbolAtLocation(names);
  return names.map((name, index) => {
    // In `{ fetch }` the name is also the property's; the variable is what counts.
    const shorthand = isShorthandPropertyAssignment(name.parent);
    const symbol = shorthand ? checker.getShorthandAssignmentValueSymbol(name.parent) : symbols[index];
    // Without a declaration: `globalThis`, and the left of an unknown `NodeJS.Timeout`.
    return symbol !== undefined && symbol.declarations.length > 0;
  });
}

function forwardSlashes(path: string): string {
  return path.replaceAll('\\', '/');
}
