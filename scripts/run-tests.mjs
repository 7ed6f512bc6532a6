// Runs test files with node:test and the reporter beside this file; true when none failed.
import { availableParallelism } from 'node:os';
import { runNode } from './setup.mjs';

const FILE_TIMEOUT_MS = 8 * 60 * 1000;

export function runTests(files) {
  const status = runNode([
    '--import',
    'tsx',
    '--test',
    `--test-concurrency=${availableParallelism()}`,
    `--test-timeout=${FILE_TIMEOUT_MS}`,
    '--test-reporter=./scripts/test-reporter.mjs',
    '--test-reporter-destination=stdout',
    ...files,
  ]);
  return status === 0;
}
