// The checks that `npm test` and `npm run check` share. Each gives true, or prints how to mend what it found.
import { runNode } from './setup.mjs';

export function checkFormat() {
  const ok = runNode(['node_modules/prettier/bin/prettier.cjs', '--check', '--log-level=warn', '.']) === 0;
  return report('format', ok, 'npm run format');
}

export function checkTypes() {
  return report(
    'types',
    runNode(['node_modules/typescript/bin/tsc', '-p', '.']) === 0,
    'the lines above, then npm run check',
  );
}

function report(name, ok, fix) {
  process.stdout.write(ok ? `${name}: ok\n` : `${name}: FAILED, to fix: ${fix}\n`);
  return ok;
}
