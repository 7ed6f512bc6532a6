/**
 * Any profile or dump, as `oakum pprof` and the library read it. If several formats fit, the first that can read the
 * content wins. Errors have pprof's words.
 *
 * Input is uncompressed: gunzipping is the adapters' work.
 */
import { FormatError } from '../../base/errors.ts';
import { isGzip } from '../../base/sniff.ts';
import { FileContent } from './file-content.ts';
import { UnrecognizedProfileError, type Stacks } from '../../profile/formats/unrecognized.ts';
import { mayBeOtherFormat } from '../../profile/formats/pprof/decode.ts';
import { FORMATS, PROFILE_FORMAT_NAMES, type ProfileFormatName } from './registry.ts';

/**
 * Which text formats keep the symbols in their `#` lines. `go tool pprof` throws all of them away; 'goroutines' keeps
 * those of goroutine profiles only, so that every other report has pprof's bytes.
 */
export type TextSymbols = 'all' | 'goroutines' | 'none';

export interface ReadOptions {
  readonly textSymbols?: TextSymbols;
  /** Whether the labels of a profile.proto are wanted; text formats keep theirs. */
  readonly labels?: boolean;
}

export interface Reading extends Stacks {
  readonly format: ProfileFormatName;
}

export function readAny(input: Uint8Array, options: ReadOptions = {}): Reading {
  if (input.length === 0) throw new FormatError('empty input file', { offset: 0 });
  const file = new FileContent(input);
  const skipped = SKIPPED[options.textSymbols ?? 'all'];
  let protoError: FormatError | undefined;
  for (const format of PROFILE_FORMAT_NAMES) {
    if (skipped.includes(format) || !FORMATS[format].sniff(file)) continue;
    try {
      return { format, ...FORMATS[format].read(file) };
    } catch (error) {
      if (format === 'pprof' && error instanceof FormatError && mayBeOtherFormat(error)) protoError = error;
      else if (!(error instanceof UnrecognizedProfileError)) throw error;
    }
  }
  try {
    // Its title may follow more comments than the head holds. If it fails, it knows the line.
    return { format: 'legacy', ...FORMATS.legacy.read(file) };
  } catch (error) {
    if (!(error instanceof UnrecognizedProfileError)) throw error;
    if (isGzip(input)) {
      throw new FormatError('unrecognized profile format: it is gzip; decompress it first', { cause: error });
    }
    throw protoError === undefined ? error : new UnrecognizedProfileError({ cause: protoError });
  }
}

/** Formats that are read as pprof reads them: as a legacy format. */
const SKIPPED: Readonly<Record<TextSymbols, readonly ProfileFormatName[]>> = {
  all: [],
  goroutines: ['heap-text', 'contention-text'],
  none: ['debug1', 'heap-text', 'contention-text'],
};
