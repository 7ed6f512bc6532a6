/** A worker: makes inputs from seed and index, and exercises them. The main thread watches its deadline. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import type { Corpus } from './corpus.ts';
import { exerciseInput } from './exercise.ts';
import { stopServer } from './exercise-request.ts';
import { makeInput, type Batch, type BatchResult, type Failure, type Subject } from './inputs.ts';

process.env['TZ'] = 'UTC';
interface Start {
  readonly progress: SharedArrayBuffer;
  readonly crashFolder: string;
  /** Read once, for all workers. */
  readonly corpus: Corpus;
}

const { progress, crashFolder, corpus } = workerData as Start;
/** The current index, plus one; 0 between batches. */
const current = new Int32Array(progress);

parentPort!.on('message', async (batch: Batch) => {
  const failures: Failure[] = [];
  const read = new Map<string, number>();
  const tried = new Map<Subject, number>();
  let refused = 0;
  for (let index = batch.from; index < batch.to; index++) {
    Atomics.store(current, 0, index + 1);
    const input = makeInput(corpus, batch.seed, index, batch.subject);
    const { subject, mutant } = input;
    tried.set(subject, (tried.get(subject) ?? 0) + 1);
    const outcome = await exerciseInput(input);
    if (outcome.kind === 'read') read.set(subject, (read.get(subject) ?? 0) + 1);
    else if (outcome.kind === 'refused') refused++;
    else {
      mkdirSync(crashFolder, { recursive: true });
      const file = join(crashFolder, `${subject}-${batch.seed}-${index}`);
      writeFileSync(file, mutant.bytes);
      failures.push({ index, subject, history: mutant.history, problem: outcome.problem, file });
    }
  }
  Atomics.store(current, 0, 0);
  await stopServer();
  const result: BatchResult = { count: batch.to - batch.from, failures, read: [...read], tried: [...tried], refused };
  parentPort!.postMessage(result);
});
parentPort!.postMessage('ready');
