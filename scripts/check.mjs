// npm run check: formatting, types and the architecture; the quick part of npm test.
import { checkFormat, checkTypes } from './checks.mjs';
import { ensureInstalled, listFiles } from './setup.mjs';
import { runTests } from './run-tests.mjs';

ensureInstalled();
const architecture = listFiles('test/architecture', path => path.endsWith('.test.ts'));
const results = [checkFormat(), checkTypes(), runTests(architecture)];
process.exitCode = results.every(Boolean) ? 0 : 1;
