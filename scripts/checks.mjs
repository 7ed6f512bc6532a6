// The checks that `npm test` and `npm run check` share. Each gives true, or prints how to mend what it found.
import { runNode } from './setup.mjs';

export function checkFormat() {
  const ok = runNode(['node_modules/prettier/bin/prettier.cjs', '--check', '--log-level=warn', '.']) === 0;
  return report('format', ok, 'npm run format');
}

/** The UI and its tests know a browser's names, the rest does not. */
export function checkTypes() {
  const results = ['.', 'web'].map(project => runNode(['node_modules/typescript/bin/tsc', '-p', project]));
  return report(
    'types',
    results.every(status => status === 0),
    'the lines above, then npm run check',
  );
}

function report(name, ok, fix) {
  process.stdout.write(ok ? `${name}: ok\n` : `${name}: FAILED, to fix: ${fix}\n`);
  return ok;
}
