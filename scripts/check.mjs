// npm run check: formatting, types and the direction of imports; the quick part of npm test.
import { checkFormat, checkTypes } from './checks.mjs';
import { ensureInstalled } from './setup.mjs';
import { runTests } from './run-tests.mjs';

ensureInstalled();
const results = [checkFormat(), checkTypes(), runTests(['test/architecture.test.ts'])];
process.exitCode = results.every(Boolean) ? 0 : 1;
