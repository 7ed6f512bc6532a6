/**
 * `npm run fuzz`: mutated files of every format through every reader and report, whole piles through every command and
 * into bundles, and requests to the server.
 *
 *     npm run fuzz -- --count 100000 --seed 1 --format pprof --minutes 10
 *     npm run fuzz -- --seed 1 --only 4711      one input again, in detail
 *
 * Each input has a deadline and each worker a memory limit: a hang or an exhausted heap is a failure like a crash.
 * Failed inputs are kept in node_modules/.cache/oakum-fuzz.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../conformance/places.ts';
import { loadCorpus } from './corpus.ts';
import { exerciseInput, exerciseUnchanged } from './exercise.ts';
import { stopServer } from './exercise-request.ts';
import { makeInput, type Subject } from './inputs.ts';
import { runFuzz } from './run.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '100000' },
    format: { type: 'string' },
    minutes: { type: 'string', default: '30' },
    workers: { type: 'string', default: String(Math.max(1, Math.min(availableParallelism(), 8))) },
    only: { type: 'string' },
  },
});
const seed = Number(values.seed);
const subject = values.format as Subject | undefined;

if (values.only !== undefined) {
  const input = makeInput(loadCorpus(), seed, Number(values.only), subject);
  process.stdout.write(`${input.subject}: ${input.mutant.history.join(', ')}; ${input.mutant.bytes.length} bytes\n`);
  const outcome = await exerciseInput(input);
  await stopServer();
  process.stdout.write(`${JSON.stringify(outcome, undefined, 2)}\n`);
  if (outcome.kind === 'crash') process.exitCode = 1;
} else {
  const problems = subject === undefined ? await exerciseUnchanged(loadCorpus()) : [];
  for (const problem of problems) process.stdout.write(`FAILED unchanged: ${problem}\n`);
  const result = await runFuzz({
    seed,
    count: Number(values.count),
    subject,
    workers: Number(values.workers),
    deadlineMs: 20_000,
    totalMs: Number(values.minutes) * 60_000,
    heapMegabytes: 1024,
    rssMegabytes: 4096,
    crashFolder: join(ROOT, 'node_modules/.cache/oakum-fuzz'),
    log: line => process.stdout.write(`${line}\n`),
  });
  process.stdout.write(
    `\n${'subject'.padEnd(16)} ${'inputs'.padStart(8)} ${'read'.padStart(8)} ${'failed'.padStart(8)}\n`,
  );
  for (const [name, { tried, read, failed }] of result.subjects) {
    process.stdout.write(`${name.padEnd(16)} ${tried.toString().padStart(8)} ${read.toString().padStart(8)} `);
    process.stdout.write(`${failed.toString().padStart(8)}\n`);
  }
  const seconds = (result.elapsedMs / 1000).toFixed(0);
  process.stdout.write(`${result.count} inputs in ${seconds} s, ${result.failures.length} failures, seed ${seed}\n`);
  if (result.failures.length + problems.length > 0) process.exitCode = 1;
}
