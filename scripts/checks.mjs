// The checks that `npm test` and `npm run check` share. Each runs beside other work, prints how it went when it ends,
// and gives what failed: nothing, or its name with how to mend it.
import { startNode } from './setup.mjs';

const PRETTIER = 'node_modules/prettier/bin/prettier.cjs';
/** Files that were well formatted last time, by their content, are not read again. */
const CACHE = ['--cache', '--cache-strategy=content', '--cache-location=.cache/prettier'];

export async function checkFormat() {
  const result = await startNode([PRETTIER, '--check', '--log-level=warn', ...CACHE, '.']);
  return report('format', [result], 'npm run format');
}

/** The UI and its tests know a browser's names, the rest does not. */
export async function checkTypes() {
  const tsc = project => startNode(['node_modules/typescript/bin/tsc', '-p', project]);
  return report('types', [await tsc('.'), await tsc('web')], 'npm run check');
}

function report(name, results, fix) {
  for (const { output } of results) process.stdout.write(output);
  const ok = results.every(({ status }) => status === 0);
  process.stdout.write(ok ? `${name}: ok\n` : `${name}: FAILED, to fix: ${fix}\n`);
  return ok ? [] : [`${name} (${fix})`];
}
