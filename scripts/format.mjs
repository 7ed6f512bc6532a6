// npm run format: rewrites the files that are not formatted.
import { ensureInstalled, runNode } from './setup.mjs';

ensureInstalled();
process.exitCode = runNode(['node_modules/prettier/bin/prettier.cjs', '--write', '--log-level=warn', '.']);
