/** A source of `oakum pprof`: a file if one has that name, else a URL. Failures use pprof's messages. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { FetchOptions } from '../../live/io/fetch-profile.ts';
import { readBoundedFile } from '../../evidence/io/read-bounded-file.ts';
import { GunzipError, readProfileBytes, TooLargeError } from '../../evidence/io/read-profile.ts';
import { FormatError, Failure, isSystemError, systemReason } from '../../base/errors.ts';
import type { Reading, ReadOptions } from '../../evidence/formats/read.ts';
import type { Io } from '../io.ts';
import { readLimits, readSource } from './read-source.ts';
import type { ProfileSource } from '../../live/ports.ts';
import { MalformedProfileError } from '../../profile/formats/pprof/wire.ts';

const MAX_CERTIFICATE_BYTES = 4 * 1024 * 1024;

export function pprofSource(
  io: Io,
  options: ReadOptions,
  fetchOptions: Omit<FetchOptions, 'maxBytes' | 'readFile'>,
): ProfileSource {
  const limits = readLimits(io);
  return {
    async fetch(source) {
      const missing = source === '-' ? undefined : whyMissing(resolve(io.cwd, source), source);
      if (missing === undefined) {
        const reading = await readingAs(() => readSource(source, io, options), source);
        return { profile: reading.profile, url: undefined, notes: reading.notes };
      }
      const { fetchProfileBytes, profileUrl } = await import('../../live/io/fetch-profile.ts');
      const target = profileUrl(source, fetchOptions);
      if (target === undefined) throw new Failure('not-found', missing);
      io.stderr.write(`Fetching profile over HTTP from ${target.text}\n`);
      if (fetchOptions.seconds > 0) io.stderr.write(`Please wait... (${goSeconds(fetchOptions.seconds)})\n`);
      const readFile = (path: string): Promise<Uint8Array> => readBoundedFile(path, MAX_CERTIFICATE_BYTES, path);
      const bytes = await fetchProfileBytes(target, { ...fetchOptions, readFile, maxBytes: limits.maxBytes });
      const reading = await readingAs(() => readProfileBytes(bytes, options, limits), source);
      return { profile: reading.profile, url: target.text, notes: reading.notes };
    },
  };
}

function whyMissing(path: string, source: string): string | undefined {
  try {
    statSync(path);
    return undefined;
  } catch (error) {
    const reasons: Readonly<Record<string, string>> = { EACCES: 'permission denied', ENOTDIR: 'not a directory' };
    return `stat ${source}: ${reasons[(error as NodeJS.ErrnoException).code ?? ''] ?? 'no such file or directory'}`;
  }
}

async function readingAs(read: () => Promise<Reading>, source: string): Promise<Reading> {
  try {
    return await read();
  } catch (error) {
    throw readFailure(error, source);
  }
}

/** The failure as pprof words it. Bugs pass unchanged. */
function readFailure(error: unknown, source: string): unknown {
  if (error instanceof FormatError) return new Failure(error.code, formatMessage(error), { cause: error });
  if (!isSystemError(error)) return error;
  const call = error.code === 'EISDIR' ? 'read' : 'open';
  return new Failure('unreadable', `${call} ${source}: ${systemReason(error)}`, { cause: error });
}

/** pprof's sentence first, because scripts match it; then where and why. */
function formatMessage(error: FormatError): string {
  if (error instanceof TooLargeError) return error.message; // it names the byte itself
  if (error instanceof GunzipError) return error.describe();
  if (error instanceof MalformedProfileError) return `malformed profile: ${error.message}`;
  const cause = error.cause instanceof FormatError ? error.cause : error;
  if (error.message !== 'unrecognized profile format' && error.message !== 'malformed profile format') {
    return error.message === 'empty input file'
      ? `parsing profile: ${error.message}`
      : `parsing profile: ${error.describe()}`;
  }
  const where =
    cause.line !== undefined ? `line ${cause.line}` : cause.offset !== undefined ? `byte ${cause.offset}` : '';
  const why = cause === error ? '' : `${cause.message}; `;
  const at = where === '' ? '' : `at ${where}: `;
  const expected = 'expected a pprof profile, a goroutine, heap, mutex or block dump, or folded stacks';
  return `parsing profile: ${error.message} (${at}${why}${expected})`;
}

/** A whole number of seconds as Go prints a duration: 90 is 1m30s. */
function goSeconds(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const rest = `${seconds % 60}s`;
  if (hours > 0) return `${hours}h${minutes}m${rest}`;
  return minutes > 0 ? `${minutes}m${rest}` : rest;
}
