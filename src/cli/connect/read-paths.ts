/** The files that a command line names: files, folders and archives, and `-` for stdin. */
import { resolve } from 'node:path';
import { filePile } from '../../evidence/io/pile.ts';
import type { PileItem } from '../../evidence/pile.ts';
import type { Io } from '../terminal/io.ts';
import { readLimits } from './read-source.ts';

export function readPaths(paths: readonly string[], io: Io): AsyncIterable<PileItem> {
  const source = filePile({ limits: readLimits(io), stdin: io.stdin });
  return source.read(paths.map(path => (path === '-' ? path : resolve(io.cwd, path))));
}
