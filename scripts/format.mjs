// npm run format: rewrites the files that are not formatted.
import { FORMAT_CACHE } from './checks.mjs';
import { ensureInstalled, runNode } from './setup.mjs';

ensureInstalled();
process.exitCode = runNode([
  'node_modules/prettier/bin/prettier.cjs',
  '--write',
  '--log-level=warn',
  ...FORMAT_CACHE,
  '.',
]);
