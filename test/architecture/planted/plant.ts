/** Files added to the real sources, and what the rules must report about them. */
export interface Plant {
  readonly name: string;
  /** Text by path. */
  readonly files: Readonly<Record<string, string>>;
  /** `path: problem`, or its beginning, for each offence; empty for a near miss. */
  readonly offences: readonly string[];
}

const INNOCENT_FOLDERS = `src/base src/profile src/evidence src/evidence/io src/knowledge src/judge src/report src/live
  src/live/capture src/live/io src/store src/watch src/watch/server src/act src/gate src/cli/planted src/cli/commands
  web/planted test/double`;

/** Harmless files for planted code to import. */
export const TARGETS: Readonly<Record<string, string>> = Object.fromEntries(
  [...INNOCENT_FOLDERS.split(/\s+/).map(folder => `${folder}/innocent.ts`), 'src/base/innocent.test.ts'].map(path => [
    path,
    'export const x = 1;\nexport type X = number;\n',
  ]),
);

/** One file with one offence. */
export function offence(name: string, path: string, text: string, problem: string): Plant {
  return { name, files: { [path]: text }, offences: [`${path}: ${problem}`] };
}

/** One file with none. */
export function nearMiss(name: string, path: string, text: string): Plant {
  return { name, files: { [path]: text }, offences: [] };
}

/** `length` lines of code. */
export function longText(length: number): string {
  return Array.from({ length }, (_, line) => `export const x${line} = ${line};\n`).join('');
}
