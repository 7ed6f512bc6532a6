/**
 * Piles of files: any mixture of files, folders, gzip and tar, in any nesting.
 *
 *     for await (const item of readPileFiles(['node-17/', 'captures.tar.gz'])) ...
 *
 * The content tells what a file is. Names are only names, so an archive cannot reach outside itself. Everything is
 * bounded, and what cannot be read is an item that says why.
 */
import { open, readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { PileItem, PileLimits, PileSource } from '../pile.ts';
import { Layers } from './pile-layers.ts';

const DEFAULT_PILE_LIMITS: PileLimits = {
  maxBytes: 2 ** 30,
  maxMembers: 20_000,
  maxDepth: 16,
  maxNesting: 4,
};

const CHUNK_BYTES = 256 * 1024;

export interface PileOptions {
  readonly limits?: Partial<PileLimits>;
  /** What `-` stands for. */
  readonly stdin?: AsyncIterable<Uint8Array>;
}

export function filePile(options: PileOptions = {}): PileSource {
  return { read: paths => readPileFiles(paths, options) };
}

export async function* readPileFiles(paths: readonly string[], options: PileOptions = {}): AsyncGenerator<PileItem> {
  const limits = { ...DEFAULT_PILE_LIMITS, ...options.limits };
  const layers = new Layers(limits);
  for (const [argument, path] of paths.entries()) {
    const items = path === '-' ? layers.read('-', options.stdin ?? [], undefined) : readPath(path, limits, layers);
    for await (const item of items) yield item.kind === 'member' ? { ...item, argument } : item;
  }
}

async function* readPath(path: string, limits: PileLimits, layers: Layers): AsyncGenerator<PileItem> {
  const folders: { path: string; depth: number }[] = [];
  try {
    const info = await stat(path);
    if (info.isDirectory()) folders.push({ path, depth: 0 });
    else yield* readFile(path, path, layers);
  } catch (error) {
    yield problem(path, error);
  }
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const { path: parent, depth } = folder;
    try {
      const entries = await readdir(parent, { withFileTypes: true });
      entries.sort((a, b) => (a.name < b.name ? -1 : 1));
      const inner: string[] = [];
      for (const entry of entries) {
        if (entry.name.startsWith('.')) continue;
        if (layers.isFull) break;
        const child = join(parent, entry.name);
        if (entry.isDirectory()) inner.push(child);
        else if (entry.isFile()) yield* readFile(child, child, layers);
        else if (entry.isSymbolicLink()) yield* readLink(child, path, layers);
      }
      if (layers.isFull) return;
      if (depth < limits.maxDepth) folders.push(...inner.reverse().map(path => ({ path, depth: depth + 1 })));
      else if (inner.length > 0) {
        yield { kind: 'problem', path: parent, message: `folders deeper than ${limits.maxDepth} are not read` };
      }
    } catch (error) {
      yield problem(parent, error);
    }
  }
}

/**
 * Reads what a link leads to if it is a file in the folder that the user gave. Evidence is often unpacked from archives
 * of others, and a link out of it may lead to any file of this machine. Links to folders may form circles; devices and
 * sockets are not read.
 */
async function* readLink(path: string, root: string, layers: Layers): AsyncGenerator<PileItem> {
  let target: string;
  try {
    target = await realpath(path);
    if (!(await stat(target)).isFile()) return;
    if (!target.startsWith(join(await realpath(root), sep))) {
      yield { kind: 'problem', path, message: 'a link out of the folder, which is not followed' };
      return;
    }
  } catch {
    return;
  }
  yield* readFile(path, target, layers);
}

async function* readFile(path: string, target: string, layers: Layers): AsyncGenerator<PileItem> {
  try {
    // Opening it first shows whether it may be read.
    const handle = await open(target);
    const stream = handle.createReadStream({ highWaterMark: CHUNK_BYTES });
    try {
      const { mtimeMs, size } = await handle.stat();
      yield* layers.read(path, stream, Math.floor(mtimeMs / 1000), size);
    } finally {
      stream.destroy();
    }
  } catch (error) {
    yield problem(path, error);
  }
}

function problem(path: string, error: unknown): PileItem {
  const { code, message } = error as NodeJS.ErrnoException;
  const known: Readonly<Record<string, string>> = {
    ENOENT: 'no such file or directory',
    EACCES: 'permission denied',
    EISDIR: 'is a directory',
  };
  return { kind: 'problem', path, message: known[code ?? ''] ?? message };
}
