/** Runs batches of inputs in workers, and watches their deadlines and the memory of the process. */
import { Worker } from 'node:worker_threads';
import { TYPESCRIPT } from '../places.ts';
import { loadCorpus } from './corpus.ts';
import { makeInput, type Batch, type BatchResult, type Failure, type Subject, subjectsOf } from './inputs.ts';

export interface FuzzOptions {
  readonly seed: number;
  readonly count: number;
  readonly subject: Subject | undefined;
  readonly workers: number;
  /** Deadline of one input. */
  readonly deadlineMs: number;
  /** No batch starts after this time. */
  readonly totalMs: number;
  readonly heapMegabytes: number;
  /** For the whole process, since typed arrays are not in the heap. */
  readonly rssMegabytes: number;
  readonly crashFolder: string;
  readonly log: (line: string) => void;
}

interface Counts {
  tried: number;
  read: number;
  failed: number;
}

export interface FuzzResult {
  readonly count: number;
  readonly elapsedMs: number;
  readonly failures: readonly Failure[];
  readonly subjects: ReadonlyMap<string, Readonly<Counts>>;
}

const BATCH = 100;

/** A worker does not inherit the TypeScript loader of its parent. */
const WORKER = JSON.stringify(new URL('./worker.ts', import.meta.url).href);
const LOADER = `import(${JSON.stringify(TYPESCRIPT)}).then(() => import(${WORKER}))`;
const MAX_FAILURES = 200;

export async function runFuzz(options: FuzzOptions): Promise<FuzzResult> {
  const started = Date.now();
  const corpus = loadCorpus();
  const subjects = new Map<string, Counts>();
  for (const name of subjectsOf(corpus)) subjects.set(name, { tried: 0, read: 0, failed: 0 });
  const failures: Failure[] = [];
  let next = 0;
  let count = 0;

  const fail = (failure: Failure): void => {
    failures.push(failure);
    subjects.get(failure.subject)!.failed++;
    const again = `--seed ${options.seed} --only ${failure.index}`;
    const only = options.subject === undefined ? '' : ` --format ${options.subject}`;
    options.log(`FAILED ${failure.subject} (${failure.history.join(', ')}): ${failure.problem}`);
    options.log(`  again: npm run fuzz -- ${again}${only}${failure.file === undefined ? '' : `; ${failure.file}`}`);
  };
  const failAt = (index: number, problem: string): void => {
    const { subject, mutant } = makeInput(corpus, options.seed, index, options.subject);
    subjects.get(subject)!.tried++;
    count++;
    fail({ index, subject, history: mutant.history, problem, file: undefined });
  };
  const take = (result: BatchResult): void => {
    count += result.count;
    for (const [name, tried] of result.tried) subjects.get(name)!.tried += tried;
    for (const [name, read] of result.read) subjects.get(name)!.read += read;
    result.failures.forEach(fail);
  };
  /** The remaining inputs after a worker was lost in the middle of a batch. */
  const leftOver: Batch[] = [];
  const nextBatch = (): Batch | undefined => {
    const again = leftOver.pop();
    if (again !== undefined) return again;
    const stop = Date.now() - started > options.totalMs || failures.length >= MAX_FAILURES;
    if (stop || next >= options.count) return undefined;
    const from = next;
    next = Math.min(next + BATCH, options.count);
    return { seed: options.seed, from, to: next, subject: options.subject };
  };
  let reported = 0;
  const tick = (): void => {
    if (Date.now() - started < reported + 30_000) return;
    reported = Date.now() - started;
    options.log(`${count} inputs, ${failures.length} failures, ${Math.round(reported / 1000)} s`);
  };

  await Promise.all(
    Array.from({ length: options.workers }, () => workOn(options, nextBatch, take, failAt, leftOver, tick)),
  );
  return { count, elapsedMs: Date.now() - started, failures, subjects };
}

/** Keeps one worker busy until no batch is left; a lost worker is replaced. */
async function workOn(
  options: FuzzOptions,
  nextBatch: () => Batch | undefined,
  take: (result: BatchResult) => void,
  failAt: (index: number, problem: string) => void,
  leftOver: Batch[],
  tick: () => void,
): Promise<void> {
  for (let more = true; more;) {
    const progress = new SharedArrayBuffer(4);
    const current = new Int32Array(progress);
    const worker = new Worker(LOADER, {
      eval: true,
      workerData: { progress, crashFolder: options.crashFolder, corpus: loadCorpus() },
      resourceLimits: { maxOldGenerationSizeMb: options.heapMegabytes },
    });
    more = await new Promise<boolean>(resolve => {
      let batch: Batch | undefined;
      let watched = 0;
      let since = Date.now();
      let done = false;
      const end = (again: boolean): void => {
        if (done) return;
        done = true;
        clearInterval(timer);
        void worker.terminate().then(() => resolve(again));
      };
      const lost = (problem: string): void => {
        if (done) return;
        const index = Atomics.load(current, 0) - 1;
        if (batch !== undefined && index >= 0) {
          failAt(index, problem);
          // The batch is started again, because its results were lost with the worker.
          if (batch.from < index) leftOver.push({ ...batch, to: index });
          if (index + 1 < batch.to) leftOver.push({ ...batch, from: index + 1 });
          end(true);
        } else {
          options.log(`a worker ended: ${problem}`);
          end(false);
        }
      };
      const timer = setInterval(() => {
        tick();
        const index = Atomics.load(current, 0);
        if (index !== watched) {
          watched = index;
          since = Date.now();
        } else if (index !== 0 && Date.now() - since > options.deadlineMs) {
          lost(`no result within ${options.deadlineMs} ms`);
        }
        const rss = process.memoryUsage.rss() / 2 ** 20;
        if (index !== 0 && rss > options.rssMegabytes) lost(`memory grew to ${Math.round(rss)} MB`);
      }, 100);
      worker.on('error', error => lost(`worker lost: ${error.stack ?? error.message}`));
      worker.on('exit', code => lost(`worker ended with ${code}`));
      worker.on('message', (message: BatchResult | 'ready') => {
        if (message !== 'ready') take(message);
        batch = nextBatch();
        if (batch === undefined) end(false);
        else worker.postMessage(batch);
      });
    });
  }
}
