/** A worker: makes inputs from seed and index, and exercises them. The main thread watches its deadline. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import type { ProfileFormatName } from '../../src/formats/registry.ts';
import { loadCorpus } from './corpus.ts';
import { exercise } from './exercise.ts';
import { makeInput, type Batch, type BatchResult, type Failure } from './inputs.ts';

process.env['TZ'] = 'UTC';
const { progress, crashFolder } = workerData as { progress: SharedArrayBuffer; crashFolder: string };
/** The current index, plus one; 0 between batches. */
const current = new Int32Array(progress);
const corpus = loadCorpus();

parentPort!.on('message', async (batch: Batch) => {
  const failures: Failure[] = [];
  const read = new Map<string, number>();
  const tried = new Map<ProfileFormatName, number>();
  let refused = 0;
  for (let index = batch.from; index < batch.to; index++) {
    Atomics.store(current, 0, index + 1);
    const { format, mutant, symbols } = makeInput(corpus, batch.seed, index, batch.format);
    tried.set(format, (tried.get(format) ?? 0) + 1);
    const outcome = await exercise(mutant.bytes, symbols);
    if (outcome.kind === 'read') read.set(format, (read.get(format) ?? 0) + 1);
    else if (outcome.kind === 'refused') refused++;
    else {
      mkdirSync(crashFolder, { recursive: true });
      const file = join(crashFolder, `${format}-${batch.seed}-${index}`);
      writeFileSync(file, mutant.bytes);
      failures.push({ index, format, history: mutant.history, problem: outcome.problem, file });
    }
  }
  Atomics.store(current, 0, 0);
  const result: BatchResult = { count: batch.to - batch.from, failures, read: [...read], tried: [...tried], refused };
  parentPort!.postMessage(result);
});
parentPort!.postMessage('ready');
