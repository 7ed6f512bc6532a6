/** A profile or dump named on the command line: a file, or `-` for stdin. */
import { resolve } from 'node:path';
import {
  DEFAULT_LIMITS,
  gatherBounded,
  readProfileBytes,
  readProfileFile,
  type ReadLimits,
} from '../../evidence/io/read-profile.ts';
import type { Reading, ReadOptions } from '../../evidence/formats/read.ts';
import type { Io } from '../terminal/io.ts';

export async function readSource(source: string, io: Io, options: ReadOptions = {}): Promise<Reading> {
  const limits = readLimits(io);
  if (source !== '-') return readProfileFile(resolve(io.cwd, source), options, limits);
  return readProfileBytes(await gatherBounded(io.stdin, limits), options, limits);
}

/** OAKUM_MAX_BYTES: how much decompressed input a command may read. */
export function readLimits(io: Io): ReadLimits {
  const maxBytes = Number(io.env['OAKUM_MAX_BYTES'] ?? '');
  return { maxBytes: maxBytes > 0 ? maxBytes : DEFAULT_LIMITS.maxBytes };
}
