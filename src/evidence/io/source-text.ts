/** Source files for -list, searched as pprof does: in the source path and all its parents. */
import { readFileSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { decodeText } from '../../base/text.ts';

export type SourceLines = { readonly lines: readonly string[] } | { readonly error: string };

export function sourceTextReader(
  searchPath: string,
  trimPath: (path: string) => string,
): (path: string) => SourceLines {
  const known = new Map<string, SourceLines>();
  return path => {
    let found = known.get(path);
    if (found === undefined) known.set(path, (found = readLines(trimPath(path), searchPath)));
    return found;
  };
}

function readLines(path: string, searchPath: string): SourceLines {
  if (isAbsolute(path)) return read(path);
  for (const start of searchPath.split(delimiter)) {
    for (let dir = start; ; dir = dirname(dir)) {
      const found = read(join(dir, path));
      if ('lines' in found) return found;
      if (dirname(dir) === dir) break;
    }
  }
  return { error: `could not find file ${path} on path ${searchPath}` };
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
  EISDIR: 'is a directory',
  ENOTDIR: 'not a directory',
};

/** Larger than any source file. */
const MAX_BYTES = 64 * 1024 * 1024;

function read(path: string): SourceLines {
  try {
    // The name is the profile's: it may be a device that never ends.
    const stats = statSync(path);
    if (!stats.isFile() && !stats.isDirectory()) return { error: `open ${path}: not a file` };
    if (stats.size > MAX_BYTES) return { error: `open ${path}: larger than ${MAX_BYTES} bytes` };
    const text = decodeText(readFileSync(path));
    const lines = text.split('\n');
    if (lines.at(-1) === '') lines.pop();
    return { lines: lines.map(line => (line.endsWith('\r') ? line.slice(0, -1) : line)) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { error: `open ${path}: ${REASONS[code ?? ''] ?? message}` };
  }
}
