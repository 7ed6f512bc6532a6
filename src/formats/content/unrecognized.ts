/** What is said about a file that no format claims. */
import { FormatError } from '../../base/errors.ts';

/** The one sentence for it, in every command but `oakum pprof`, which speaks pprof's words. */
export const UNRECOGNIZED_FILE = 'not a profile, a dump, metrics, kubectl JSON or a log';

export const EMPTY_FILE = 'the file is empty';

/** Input that is no profile, or not the kind that its reader took it for: another reader may know it. */
export class UnrecognizedProfileError extends FormatError {
  constructor(where: { line?: number; cause?: unknown } = {}) {
    super('unrecognized profile format', where);
  }
}
