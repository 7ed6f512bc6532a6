/** Generated inputs: the same bytes on every machine, cached until the code that makes them changes. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BENCH, CACHE, ROOT } from './places.ts';

const MAKERS = ['goroutine-stacks.ts', 'make-goroutines.ts', 'make-heap.ts', 'make-inputs.ts', 'random.ts'];

/** The path of an input that make-inputs.ts knows by `name`. */
export function input(name: string): string {
  const folder = join(CACHE, `inputs-${version()}`);
  const path = join(folder, name);
  if (existsSync(path)) return path;
  removeOlder(folder);
  mkdirSync(folder, { recursive: true });
  process.stderr.write(`bench: making ${name} (once)\n`);
  const draft = `${path}.${process.pid}`;
  const args = ['--import', 'tsx', join(BENCH, 'make-inputs.ts'), name, draft];
  const { status } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) throw new Error(`could not make ${name}`);
  renameSync(draft, path);
  return path;
}

function version(): string {
  const hash = createHash('sha256');
  for (const file of MAKERS) hash.update(readFileSync(join(BENCH, file)));
  return hash.digest('hex').slice(0, 16);
}

function removeOlder(folder: string): void {
  if (!existsSync(CACHE)) return;
  for (const entry of readdirSync(CACHE)) {
    const path = join(CACHE, entry);
    if (entry.startsWith('inputs-') && path !== folder) rmSync(path, { recursive: true, force: true });
  }
}
