/**
 * The records beside the rules: plain lines, so that changes show in reviews. `npm run architecture -- write` updates
 * them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './read/parser.ts';

export interface Records {
  /** What each folder imports, as `adapters/http -> ports`. */
  readonly arrows: readonly string[];
  /** Offences that still exist, by their key. */
  readonly known: readonly string[];
  /** Path -> lines of files that are still too long. */
  readonly longFiles: ReadonlyMap<string, number>;
}

const HEADS = {
  arrows: ['What each folder imports: other folders, npm packages, modules of Node.'],
  known: [
    'Cycles (files, folders), wrong arrows (arrow) and code that ships for nobody (unneeded) that are still there.',
    'The list may only get shorter.',
  ],
  'long-files': ['Lines of the files that are still too long. The figures may only go down.'],
};

export function readRecords(): Records {
  const longFiles = readLines('long-files').map((line): [string, number] => {
    const [lines, path] = line.split(' ');
    return [path, Number(lines)];
  });
  return { arrows: readLines('arrows'), known: readLines('known'), longFiles: new Map(longFiles) };
}

export function writeRecords({ arrows, known, longFiles }: Records): void {
  writeLines('arrows', arrows);
  writeLines('known', known);
  const byLength = [...longFiles].sort(([, a], [, b]) => b - a);
  writeLines(
    'long-files',
    byLength.map(([path, lines]) => `${lines} ${path}`),
  );
}

function readLines(name: keyof typeof HEADS): string[] {
  const lines = readFileSync(fileOf(name), 'utf8').split(/\r?\n/);
  return lines.filter(line => line !== '' && !line.startsWith('#'));
}

function writeLines(name: keyof typeof HEADS, lines: readonly string[]): void {
  const head = [...HEADS[name], 'npm run architecture -- write'].map(line => `# ${line}`);
  writeFileSync(fileOf(name), [...head, ...lines, ''].join('\n'));
}

function fileOf(name: string): string {
  return join(ROOT, 'test/architecture/records', `${name}.txt`);
}
