// Runs test files in a few processes and gives a FileResult for each.
// A file that crashes its process, ends it early or hangs has failed, by name; a new process goes on with the rest.
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../setup.mjs';
import { bundleTests } from './bundle.mjs';
import { Queue } from './queue.mjs';
import { FileResult } from './results.mjs';
import { SharedPostgres } from './shared-postgres.mjs';

/** A worker that says nothing for so long hangs. Far longer than any test takes on a slow machine. */
const SILENCE_MS = 10 * 60 * 1000;
/** A worker whose files have all ended ends by itself, unless one of them left something open. */
const LINGER_MS = 60 * 1000;

const WORKER = fileURLToPath(new URL('worker.mjs', import.meta.url));
const TYPESCRIPT = new URL('typescript.mjs', import.meta.url).href;
const REPORTER = new URL('events.mjs', import.meta.url).href;

/** Two more than there are cores: tests also wait, for a browser, a database or a deadline. */
const WORKERS = availableParallelism() + 2;

const DEFAULTS = { workers: WORKERS, silenceMs: SILENCE_MS, lingerMs: LINGER_MS, onEnd: () => {} };

/** `onEnd` hears of each result as soon as there is one. */
export async function runFiles(files, options = {}) {
  const { workers, silenceMs, lingerMs, onEnd } = { ...DEFAULTS, ...options };
  const queue = new Queue(files);
  const bundle = await bundleTests(files);
  const postgres = new SharedPostgres();
  const results = [];
  const end = result => {
    results.push(result);
    onEnd(result);
  };
  const lane = async () => {
    while (queue.length > 0) if (!(await runWorker({ queue, bundle, postgres, end, silenceMs, lingerMs }))) break;
  };
  try {
    await Promise.all(Array.from({ length: Math.min(workers, files.length) }, lane));
  } finally {
    await postgres.stop();
    bundle?.remove();
  }
  for (const file of files) {
    if (!results.some(result => result.file === file)) end(failed(file, 'it never ran: no process could be started'));
  }
  return results;
}

function failed(file, why) {
  const result = new FileResult(file);
  result.fail('', why);
  return result;
}

/** True when the worker ran a file. */
function runWorker({ queue, bundle, postgres, end, silenceMs, lingerMs }) {
  const worker = fork(WORKER, bundle === undefined ? [] : [bundle.url], {
    cwd: ROOT,
    execArgv: [
      ...['--import', TYPESCRIPT, '--disable-warning=ExperimentalWarning'],
      ...[`--test-reporter=${REPORTER}`, '--test-reporter-destination=stdout'],
    ],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const history = [];
  let current;
  let watchdog;
  let killedFor = '';
  let isDone = false;
  let hasFailed = false;

  const kill = why => {
    killedFor = why;
    worker.kill('SIGKILL');
  };
  const expectNews = (ms, why) => {
    clearTimeout(watchdog);
    watchdog = setTimeout(() => kill(why), ms);
  };
  const giveNext = () => {
    const file = queue.take(worker);
    current = file === undefined ? undefined : new FileResult(file);
    worker.send({ file });
  };

  worker.on('message', message => {
    if (message.kind === 'ready') {
      giveNext();
    } else if (message.kind === 'postgres') {
      postgres.folder().then(
        folder => worker.send({ folder }),
        error => worker.send({ error: error.message }),
      );
    } else if (message.kind === 'file-end') {
      current.end(message);
      history.push({ file: message.file, open: message.open });
      hasFailed ||= current.failed > 0;
      end(current);
      current = undefined;
    } else if (message.nesting > 0) {
      current?.hear(message);
    }
    isDone ||= message.kind === 'done';
    if (isDone) expectNews(lingerMs, leftOpen(history));
    else expectNews(silenceMs, `no test ended for ${Math.round(silenceMs / 1000)} s`);
  });

  return new Promise((resolve, reject) => {
    worker.on('error', reject);
    worker.on('exit', (code, signal) => {
      clearTimeout(watchdog);
      queue.release(worker);
      const how = killedFor !== '' ? killedFor : `its process ended early with ${signal ?? `exit code ${code}`}`;
      if (current !== undefined) {
        if (!current.isReported || current.failed === 0)
          current.fail('', `${how}; the last test heard of: ${current.lastTest || 'none'}`);
        end(current);
      } else if (history.length > 0 && (killedFor !== '' || !isDone || (code !== 0 && !hasFailed))) {
        end(failed(history.at(-1).file, how));
      }
      resolve(history.length > 0 || current !== undefined);
    });
  });
}

/** `Timeout, since src/x.test.ts` */
function leftOpen(history) {
  const last = history.at(-1)?.open ?? {};
  const parts = Object.keys(last).map(name => {
    const before = history.findLastIndex(({ open }) => !(name in open));
    return `${name}, since ${history[before + 1].file}`;
  });
  return `the tests ended, but their process did not; still open: ${parts.join('; ') || 'nothing known'}`;
}
