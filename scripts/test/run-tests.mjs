// Runs test files and prints a line for each, then what failed and where, what was skipped and why, and the totals.
import { runFiles } from './pool.mjs';
import { keepTimes } from './queue.mjs';
import { slowestOf, summaryOf, totalsOf } from './summary.mjs';

/** True when nothing failed; `otherFailures` gives what else did, one text each. The totals are the closing line. */
export async function runTests(files, otherFailures = async () => [], { times = false } = {}) {
  const print = line => process.stdout.write(`${line}\n`);
  const results = await runFiles(files, { onEnd: ({ line }) => print(line) });
  keepTimes(results);
  const failed = await otherFailures();
  if (results.some(result => result.failed > 0)) failed.push('tests');
  for (const line of summaryOf(results)) print(line);
  if (times) for (const line of slowestOf(results)) print(line);
  print('');
  if (failed.length > 0) print(`FAILED: ${failed.join(', ')}`);
  print(totalsOf(results));
  return failed.length === 0;
}
