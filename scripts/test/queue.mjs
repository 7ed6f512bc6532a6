// Which file comes next: those that took longest come first, so that the workers end together.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../setup.mjs';

const TIMES = join(ROOT, '.cache/test-times.json');

/** The files in one of these folders go to two workers: those of a worker share one browser. */
const TOGETHER = ['test/browser/'];
const MAX_OWNERS = 2;

/** What takes far longer than others in its folder: an estimate until a run has measured it. */
const KNOWN_SLOW_MS = {
  'test/browser/demo-story.test.ts': 35_000,
  'test/docs/examples.test.ts': 27_000,
  'src/cli/commands/bundle.test.ts': 25_000,
  'test/browser/profile.test.ts': 23_000,
  'src/store/io/postgres/silent-server.test.ts': 20_000,
  'src/store/io/postgres/watch-store-faults.test.ts': 9_000,
  'src/cli/gate/command.test.ts': 8_000,
  'src/evidence/snapshots/read-pile.test.ts': 7_000,
  'src/cli/watch/several-clusters.test.ts': 7_000,
  'src/watch/sampling/demo.test.ts': 7_000,
  'src/watch/state/read-history.test.ts': 7_000,
  'bench/ages/evaluate.test.ts': 6_000,
  'bench/detect/cohorts/run-fleet.test.ts': 4_000,
};

export class Queue {
  #waiting;
  #owners = new Map();

  constructor(files, times = readTimes()) {
    const msOf = file => times[file] ?? guessMs(file);
    // Two workers have to run all of a folder's files, so they come first, whatever each takes.
    this.#waiting = [...files].sort(
      (a, b) => Number(folderOf(a) === undefined) - Number(folderOf(b) === undefined) || msOf(b) - msOf(a),
    );
  }

  get length() {
    return this.#waiting.length;
  }

  /** The next file for a worker; undefined when there is none that it may run. */
  take(worker) {
    const at = this.#waiting.findIndex(file => this.#mayRun(worker, folderOf(file)));
    if (at === -1) return undefined;
    const [file] = this.#waiting.splice(at, 1);
    const folder = folderOf(file);
    if (folder !== undefined) this.#owners.set(folder, new Set([...this.#ownersOf(folder), worker]));
    return file;
  }

  /** A worker has gone: others may run what was kept for it. */
  release(worker) {
    for (const owners of this.#owners.values()) owners.delete(worker);
  }

  #ownersOf(folder) {
    return this.#owners.get(folder) ?? new Set();
  }

  #mayRun(worker, folder) {
    const owners = this.#ownersOf(folder);
    return folder === undefined || owners.has(worker) || owners.size < MAX_OWNERS;
  }
}

function folderOf(file) {
  return TOGETHER.find(folder => file.startsWith(folder));
}

/** For files that never ran here. */
function guessMs(file) {
  if (file in KNOWN_SLOW_MS) return KNOWN_SLOW_MS[file];
  if (file.startsWith('test/')) return 5000;
  return file.startsWith('src/cli/commands/') ? 2000 : 100;
}

function readTimes() {
  try {
    return JSON.parse(readFileSync(TIMES, 'utf8'));
  } catch {
    return {};
  }
}

/** Remembers how long each file took. */
export function keepTimes(results) {
  const times = readTimes();
  for (const { file, ms, failed } of results) if (failed === 0) times[file] = Math.round(ms);
  mkdirSync(dirname(TIMES), { recursive: true });
  writeFileSync(TIMES, `${JSON.stringify(times, undefined, 1)}\n`);
}
