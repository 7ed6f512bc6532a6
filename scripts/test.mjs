// npm test: build, format, types, then every unit test. Everything runs even if an earlier part fails.
// npm test -- WORD...: only the test files whose path contains one of the words, and nothing else.
// npm test -- --times: also what each of the slowest files took.
import { checkFormat, checkTypes } from './checks.mjs';
import { ensureBuilt } from './build.mjs';
import { ensureKnowledge } from './make-knowledge.mjs';
import { ensureInstalled, listFiles } from './setup.mjs';
import { unpackRecordings } from './test/recordings.mjs';
import { runTests } from './test/run-tests.mjs';

const words = process.argv.slice(2).filter(word => word !== '--times');
const times = process.argv.includes('--times');
const isTest = path => path.endsWith('.test.ts');
const all = ['src', 'web', 'lab', 'test', 'bench'].flatMap(folder => listFiles(folder, isTest));
const files = words.length === 0 ? all : all.filter(path => words.some(word => path.includes(word)));

ensureInstalled();
ensureKnowledge();
// Beside the build and the tests: there may be a core to spare while a test waits.
const checks = words.length === 0 ? [checkFormat(), checkTypes()] : [];
unpackRecordings();
const buildFailed = (await ensureBuilt()) ? [] : ['build'];
if (files.length === 0) process.stdout.write(`no test file matches ${words.join(' ')}\n`);
const ok = await runTests(files, async () => [...buildFailed, ...(await Promise.all(checks)).flat()], { times });
process.exitCode = ok && files.length > 0 ? 0 : 1;
