/**
 * Profiles older than profile.proto, read as pprof reads them.
 *
 *     const profile = readLegacy(bytes);   // throws a FormatError with pprof's own message
 *
 * Readers are tried in this order; the first that recognises the input decides.
 */
import type { Profile } from '../../profile.ts';
import { UnrecognizedProfileError } from '../unrecognized.ts';
import { readContention } from './contention.ts';
import { readCpuBinary } from './cpu-binary.ts';
import type { Draft } from './draft.ts';
import { legacyFrameInfo } from './frame-info.ts';
import { readGoCount } from './go-count.ts';
import { readHeap } from './heap.ts';
import { readJava } from './java.ts';
import { readThreadz } from './threadz.ts';
import { isUnrecognized, type Unrecognized } from './unrecognized.ts';

const READERS: readonly ((bytes: Uint8Array) => Draft | Unrecognized)[] = [
  readCpuBinary,
  readHeap,
  readGoCount,
  readThreadz,
  readContention,
  readJava,
];

export function readLegacy(bytes: Uint8Array): Profile {
  let furthestLine = 1;
  for (const read of READERS) {
    const result = read(bytes);
    if (isUnrecognized(result)) furthestLine = Math.max(furthestLine, result.line);
    else return finishLegacy(result);
  }
  throw new UnrecognizedProfileError({ line: furthestLine });
}

export function finishLegacy(draft: Draft): Profile {
  const { dropFrames, keepFrames } = legacyFrameInfo(draft.sampleTypes);
  draft.dropFrames = dropFrames;
  draft.keepFrames = keepFrames;
  return draft.finish();
}
