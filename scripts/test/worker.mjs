// Runs test files in this one process, each as a suite of its own, one after another as the pool names them.
// What a file changes of the process (environment, folder, exit code) is put back before the next.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chdir, cwd, env } from 'node:process';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../setup.mjs';
import { explain, passedOn, tellPool } from './events.mjs';

/** The files of the run as the pool bundled them; those that it could not are loaded one by one. */
const { load = {} } = process.argv[2] === undefined ? {} : await import(process.argv[2]);

const strayErrors = [];
for (const event of ['uncaughtException', 'unhandledRejection']) process.on(event, error => strayErrors.push(error));

// The pool has gone.
process.on('disconnect', () => process.exit(1));

// A test waited for what will never come, and nothing else is left to do: node:test names it, then this process ends.
let isEnding = false;
process.on('beforeExit', () => (isEnding = true));

/** Closes what the files of this process share, such as a browser. */
globalThis.afterTestFiles = [];

/** The folder of the PostgreSQL that all test files of the run share. */
let postgresFolder;
globalThis.sharedPostgresFolder = () => (postgresFolder ??= askForPostgres());

// Threads start from the build: a tenth of the time that it takes to load the sources.
env.OAKUM_BUILD_URL = pathToFileURL(join(ROOT, 'dist/cli/')).href;

const initialEnv = { ...env };
const initialOpen = tally(process.getActiveResourcesInfo());

void test('files', async () => {
  for (;;) {
    await tellPool({ kind: 'ready' });
    process.channel.ref();
    const [{ file }] = await once(process, 'message');
    // While a file runs, the channel does not keep this process alive: a test that waits for nothing ends it.
    process.channel.unref();
    if (file === undefined) break;
    await runFile(file);
    if (isEnding) return;
  }
  for (const close of globalThis.afterTestFiles) await close();
  await tellPool({ kind: 'done' });
});

async function runFile(file) {
  process.exitCode = undefined;
  strayErrors.length = 0;
  const cpuBefore = cpuMs();
  const childrenBefore = childrenMs();
  const ended = passedOn(file);
  void describe(file, load[file] ?? (() => import(pathToFileURL(join(ROOT, file)).href)));
  await ended;
  if (isEnding) return;
  // What was just closed is gone after a turn or two.
  for (let i = 0; i < 3; i++) await new Promise(resolve => setImmediate(resolve));
  await tellPool({
    kind: 'file-end',
    file,
    cpuMs: cpuMs() - cpuBefore,
    childrenMs: childrenMs() - childrenBefore,
    exitCode: process.exitCode ?? 0,
    strayErrors: strayErrors.map(explain),
    open: stillOpen(),
  });
  restoreEnv();
  if (cwd() !== ROOT) chdir(ROOT);
}

async function askForPostgres() {
  process.channel.ref();
  const answered = once(process, 'message');
  await tellPool({ kind: 'postgres' });
  const [{ folder, error }] = await answered;
  process.channel.unref();
  if (error !== undefined) throw new Error(error);
  return folder;
}

/** Of this process and, on Linux, of its children that have ended. */
function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + childrenMs();
}

function childrenMs() {
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1');
    // After the name in brackets; the kernel counts in hundredths of a second here.
    const [cutime, cstime] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(13, 15)
      .map(Number);
    return (cutime + cstime) * 10;
  } catch {
    return 0;
  }
}

/** What keeps this process alive, beyond what did when it started: `{ Timeout: 1 }` */
function stillOpen() {
  const now = tally(process.getActiveResourcesInfo());
  return Object.fromEntries(
    Object.entries(now)
      .map(([name, count]) => [name, count - (initialOpen[name] ?? 0)])
      .filter(([, count]) => count > 0),
  );
}

function tally(names) {
  const counts = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

function restoreEnv() {
  for (const name of Object.keys(env)) if (!(name in initialEnv)) delete env[name];
  for (const [name, value] of Object.entries(initialEnv)) if (env[name] !== value) env[name] = value;
}
