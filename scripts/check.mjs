// npm run check: formatting, types, the architecture and the links in the docs; the quick part of npm test.
import { checkFormat, checkTypes } from './checks.mjs';
import { ensureKnowledge } from './make-knowledge.mjs';
import { ensureInstalled, listFiles } from './setup.mjs';
import { runTests } from './test/run-tests.mjs';

ensureInstalled();
ensureKnowledge();
const architecture = listFiles('test/architecture', path => path.endsWith('.test.ts'));
const checks = [checkFormat(), checkTypes()];
const ok = await runTests([...architecture, 'test/docs/links.test.ts'], async () => (await Promise.all(checks)).flat());
process.exitCode = ok ? 0 : 1;
