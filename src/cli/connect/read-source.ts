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
import type { Io } from '../io.ts';
import { filePile } from '../../evidence/io/pile.ts';
import type { PileItem } from '../../evidence/pile.ts';
import { FormatError } from '../../base/errors.ts';
import { readBoundedFile, readBoundedText } from '../../evidence/io/read-bounded-file.ts';
import { type DescribedTargets, readAttributeFile } from '../../evidence/read-attribute-file.ts';

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

/** The files that a command line names: files, folders and archives, and `-` for stdin. */
export function readPaths(paths: readonly string[], io: Io): AsyncIterable<PileItem> {
  const source = filePile({ limits: readLimits(io), stdin: io.stdin });
  return source.read(paths.map(path => (path === '-' ? path : resolve(io.cwd, path))));
}

const MIN_KEY_BYTES = 16;
const MAX_KEY_BYTES = 2 ** 20;

/** The key for the hashes of a redaction. A short key could be guessed, and with it every name. */
export async function readKeyFile(path: string, cwd: string): Promise<Uint8Array> {
  const key = await readBoundedFile(resolve(cwd, path), MAX_KEY_BYTES, path);
  if (key.length >= MIN_KEY_BYTES) return key;
  throw new FormatError(
    `${path}: a key needs ${MIN_KEY_BYTES} bytes or more, it has ${key.length}; make one with: head -c 32 /dev/urandom > ${path}`,
  );
}

const MAX_BYTES = 64 * 2 ** 20;

/** `--attributes FILE`: what targets are, as CSV or JSON. */
export async function readAttributes(path: string | undefined, io: Io): Promise<DescribedTargets | undefined> {
  if (path === undefined) return undefined;
  return readAttributeFile(await readBoundedText(resolve(io.cwd, path), MAX_BYTES, path), path);
}
