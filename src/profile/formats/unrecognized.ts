/** What users read about a file that no format claims. */
import { FormatError } from '../../base/errors.ts';

/** Used by every command but `oakum pprof`, which has pprof's words. */
export const UNRECOGNIZED_FILE = 'not a profile, a dump, metrics, kubectl JSON or a log';

export const EMPTY_FILE = 'the file is empty';

/** The input is not a profile, or not the kind that its reader expected: another reader may know it. */
export class UnrecognizedProfileError extends FormatError {
  constructor(where: { line?: number; cause?: unknown } = {}) {
    super('unrecognized profile format', where);
  }
}
