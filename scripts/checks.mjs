// The checks that `npm test` and `npm run check` share. Each runs beside other work, prints its result when it ends,
// and returns what failed: nothing, or its name with how to fix it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, startNode } from './setup.mjs';

const PRETTIER = 'node_modules/prettier/bin/prettier.cjs';
const TSC = 'node_modules/typescript/bin/tsc';
/** Files whose content was well formatted last time are not read again. */
export const FORMAT_CACHE = ['--cache', '--cache-strategy=content', '--cache-location=.cache/prettier'];

export async function checkFormat() {
  const result = await startNode([PRETTIER, '--check', '--log-level=warn', ...FORMAT_CACHE, '.']);
  return report('format', [result], 'npm run format');
}

/** The UI and its tests use a browser's globals; other code does not. */
export async function checkTypes() {
  return report('types', [await tsc('.'), await tsc('web'), await checkIndexing()], 'npm run check');
}

/** The compiler checks again only what has changed since the last time, and what depends on it. */
function tsc(project, ...args) {
  const known = `.cache/types-${project.replaceAll('.', '-')}.tsbuildinfo`;
  // One thread: several would each work out the same types, and a third more in all.
  return startNode([TSC, '-p', project, '--singleThreaded', '--incremental', '--tsBuildInfoFile', known, ...args]);
}

/**
 * The compiler checks indexed access (`list[i]` may be undefined) for a whole program or not at all, and a program
 * includes everything its files import. So only errors in what tsconfig.indexed.json includes and does not exclude count.
 */
async function checkIndexing() {
  const project = 'tsconfig.indexed.json';
  const { include, exclude } = JSON.parse(readFileSync(join(ROOT, project), 'utf8'));
  const { output } = await tsc(project, '--pretty', 'false');
  // A diagnostic is a line, with indented lines that explain it: src/cli/run.ts(3,5): error TS2532: ...
  const found = output.split(/\n(?=\S)/).filter(text => {
    const isInFile = /^\S.*?\(\d+,\d+\): /.test(text);
    const isIn = path => text.startsWith(`${path}/`) || text.startsWith(`${path}(`);
    return isInFile ? include.some(isIn) && !exclude.some(isIn) : text.trim() !== '';
  });
  return { output: found.map(text => `${text.trimEnd()}\n`).join(''), status: found.length === 0 ? 0 : 1 };
}

function report(name, results, fix) {
  for (const { output } of results) process.stdout.write(output);
  const ok = results.every(({ status }) => status === 0);
  process.stdout.write(ok ? `${name}: ok\n` : `${name}: FAILED, to fix: ${fix}\n`);
  return ok ? [] : [`${name} (${fix})`];
}
