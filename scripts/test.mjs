// npm test: build, format, types, then every unit test. Everything runs even if an earlier part fails.
// npm test -- WORD...: only the test files whose path contains one of the words, and nothing else.
import { checkFormat, checkTypes } from './checks.mjs';
import { ensureBuilt } from './build.mjs';
import { runTests } from './run-tests.mjs';
import { ensureInstalled, listFiles } from './setup.mjs';

const words = process.argv.slice(2);
const isTest = path => path.endsWith('.test.ts');
const all = ['src', 'web', 'lab', 'test', 'bench'].flatMap(folder => listFiles(folder, isTest));
const files = words.length === 0 ? all : all.filter(path => words.some(word => path.includes(word)));

ensureInstalled();
const failed = [];
if (!(await ensureBuilt())) failed.push('build');
if (words.length === 0) {
  if (!checkFormat()) failed.push('format (npm run format)');
  if (!checkTypes()) failed.push('types (npm run check)');
}
if (files.length === 0) {
  process.stdout.write(`no test file matches ${words.join(' ')}\n`);
  failed.push('tests');
} else if (!runTests(files)) {
  failed.push('tests');
}
if (failed.length > 0) {
  process.stdout.write(`npm test FAILED: ${failed.join(', ')}\n`);
  process.exitCode = 1;
}
