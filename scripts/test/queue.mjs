// Which file comes next: those that took longest come first, so that the workers end together.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../setup.mjs';

const TIMES = join(ROOT, '.cache/test-times.json');

/** Files in the same folder of these go to the same worker: they share one browser. */
const TOGETHER = ['test/browser/'];

export class Queue {
  #waiting;
  #owners = new Map();

  constructor(files, times = readTimes()) {
    const msOf = file => times[file] ?? guessMs(file);
    // One worker has to run all of a folder's files, so they come first, whatever each takes.
    this.#waiting = [...files].sort(
      (a, b) => Number(folderOf(a) === undefined) - Number(folderOf(b) === undefined) || msOf(b) - msOf(a),
    );
  }

  get length() {
    return this.#waiting.length;
  }

  /** The next file for a worker; undefined when there is none that it may run. */
  take(worker) {
    const at = this.#waiting.findIndex(file => (this.#owners.get(folderOf(file)) ?? worker) === worker);
    if (at === -1) return undefined;
    const [file] = this.#waiting.splice(at, 1);
    const folder = folderOf(file);
    if (folder !== undefined) this.#owners.set(folder, worker);
    return file;
  }

  /** A worker has gone: others may run what was kept for it. */
  release(worker) {
    for (const [folder, owner] of this.#owners) if (owner === worker) this.#owners.delete(folder);
  }
}

function folderOf(file) {
  return TOGETHER.find(folder => file.startsWith(folder));
}

/** For files that never ran here. */
function guessMs(file) {
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
