/**
 * Expected failures: what can go wrong without a bug in Oakum, and how it is reported.
 *
 *     throw new Failure('unreadable', 'heap.pb.gz: bad varint at byte 17');
 *
 *     command line   oakum: heap.pb.gz: bad varint at byte 17      exit code 3
 *     server         { "error": "heap.pb.gz: bad varint ..." }     status 422
 *
 * An error that is neither a `Failure` nor from the operating system is a bug.
 */
import { oneLine } from './text-layout.ts';

/** Exit codes. Scripts rely on these numbers: docs/exit-codes.md lists them, and none is reused. */
export const EXIT = {
  /** The work was done, whatever it found. */
  done: 0,
  /** A leak was found, and `--fail-on` makes that a failure. */
  leakFound: 1,
  /** The command line makes no sense. */
  usage: 2,
  /** The input is absent, forbidden or unreadable. */
  couldNotObserve: 3,
  /** Something could not be changed or written. */
  actionFailed: 4,
  /** A gate could not decide. */
  undecided: 5,
  /** A person was asked, and did not say yes. */
  declined: 6,
  /** A bug in Oakum (EX_SOFTWARE of sysexits.h). */
  internalError: 70,
  /** Ctrl-C during the work: what a shell reports after SIGINT. */
  interrupted: 130,
  /** The reader of our output went away: what a shell reports after SIGPIPE. */
  brokenPipe: 141,
} as const;

export type FailureCode =
  | 'usage' // the command line or the request makes no sense
  | 'cannot-listen' // the address to serve on cannot be used
  | 'unreadable' // the input is damaged or in an unknown format
  | 'too-large'
  | 'not-found'
  | 'not-permitted'
  | 'no-evidence' // the input is fine, but holds nothing to judge
  | 'no-answer' // a target, an API server or a Prometheus did not answer as it should
  | 'out-of-files'
  | 'system' // another error of the operating system
  | 'cannot-write'
  | 'plan-refused' // a plan that was changed, is too old, or does not fit the cluster any more
  | 'store-busy' // another process has it
  | 'store-damaged'
  | 'store-newer' // written by a later version
  | 'store-disk' // full, read-only, not permitted
  | 'store-lost' // another process took it over
  | 'store-unreachable' // the server of a database or a bucket does not answer
  | 'store-refused'; // the request is out of bounds

interface FailureReport {
  readonly exitCode: number;
  readonly httpStatus: number;
  /** What to do about it, if the message does not say so. */
  readonly hint: string;
}

export const FAILURES: Readonly<Record<FailureCode, FailureReport>> = {
  usage: { exitCode: EXIT.usage, httpStatus: 400, hint: '' },
  'cannot-listen': { exitCode: EXIT.usage, httpStatus: 500, hint: '' },
  unreadable: { exitCode: EXIT.couldNotObserve, httpStatus: 422, hint: '' },
  'too-large': { exitCode: EXIT.couldNotObserve, httpStatus: 413, hint: '' },
  'not-found': { exitCode: EXIT.couldNotObserve, httpStatus: 404, hint: '' },
  'not-permitted': { exitCode: EXIT.couldNotObserve, httpStatus: 403, hint: '' },
  'no-evidence': { exitCode: EXIT.couldNotObserve, httpStatus: 422, hint: '' },
  'no-answer': { exitCode: EXIT.couldNotObserve, httpStatus: 502, hint: '' },
  'out-of-files': { exitCode: EXIT.couldNotObserve, httpStatus: 503, hint: 'raise the limit with: ulimit -n 4096' },
  system: { exitCode: EXIT.couldNotObserve, httpStatus: 500, hint: '' },
  'cannot-write': { exitCode: EXIT.actionFailed, httpStatus: 507, hint: '' },
  'plan-refused': { exitCode: EXIT.actionFailed, httpStatus: 409, hint: '' },
  'store-busy': { exitCode: EXIT.actionFailed, httpStatus: 503, hint: '' },
  'store-damaged': { exitCode: EXIT.actionFailed, httpStatus: 500, hint: '' },
  'store-newer': { exitCode: EXIT.actionFailed, httpStatus: 500, hint: '' },
  'store-disk': { exitCode: EXIT.actionFailed, httpStatus: 507, hint: '' },
  'store-lost': { exitCode: EXIT.actionFailed, httpStatus: 503, hint: '' },
  'store-unreachable': { exitCode: EXIT.actionFailed, httpStatus: 503, hint: '' },
  'store-refused': { exitCode: EXIT.actionFailed, httpStatus: 422, hint: '' },
};

export class Failure extends Error {
  override readonly name: string = 'Failure';
  readonly code: FailureCode;

  constructor(code: FailureCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** One sentence for people; subclasses add the position. */
  describe(): string {
    return this.message;
  }
}

/** Thrown by parsers: where the input is wrong and what was expected there. Users see one line, without a stack. */
export class FormatError extends Failure {
  override readonly name: string = 'FormatError';
  /** Byte offset into the (decompressed) input, when known. */
  readonly offset: number | undefined;
  /** 1-based line number, for text formats. */
  readonly line: number | undefined;

  constructor(message: string, where: ErrorPlace = {}, code: FailureCode = 'unreadable') {
    super(code, printable(message), where.cause === undefined ? undefined : { cause: where.cause });
    this.offset = where.offset;
    this.line = where.line;
  }

  /** The message with its position: `bad varint at byte 17`. */
  override describe(): string {
    if (this.line !== undefined) return `${this.message} at line ${this.line}`;
    if (this.offset !== undefined) return `${this.message} at byte ${this.offset}`;
    return this.message;
  }
}

interface ErrorPlace {
  readonly offset?: number;
  readonly line?: number;
  readonly cause?: unknown;
}

const MAX_MESSAGE = 400;

/** Messages quote input, which may be long and contain control characters. */
function printable(message: string): string {
  const text = message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}...` : message;
  return text.replace(/[^\t\P{Cc}]/gu, '?');
}

/** Returns the error if it is expected and throws it if it is a bug. For callers that add to the message. */
export function expected(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw error;
}

export interface ExpectedFailure extends FailureReport {
  readonly code: FailureCode;
  readonly sentence: string;
}

/** How to report an error; undefined when it is a bug. `path` names the input if the error does not. */
export function expectedFailure(error: unknown, path?: string): ExpectedFailure | undefined {
  if (error instanceof Failure) {
    const place = path === undefined || error.code === 'cannot-write' ? '' : `${path}: `;
    return { code: error.code, sentence: place + oneLine(error.describe()), ...FAILURES[error.code] };
  }
  if (!isSystemError(error)) return undefined;
  const [code, reason] = SYSTEM_ERRORS[error.code] ?? ['system', undefined];
  const place = oneLine(error.path ?? path ?? error.syscall);
  return { code, sentence: reason === undefined ? oneLine(error.message) : `${place}: ${reason}`, ...FAILURES[code] };
}

/** What Node throws when a system call fails. */
interface SystemError extends Error {
  readonly code: string;
  readonly syscall: string;
  readonly path?: string;
}

export function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string';
}

const SYSTEM_ERRORS: Readonly<Record<string, readonly [code: FailureCode, reason: string]>> = {
  ENOENT: ['not-found', 'no such file or directory'],
  ENOTDIR: ['not-found', 'not a directory'],
  EISDIR: ['unreadable', 'is a directory'],
  EACCES: ['not-permitted', 'permission denied'],
  EPERM: ['not-permitted', 'operation not permitted'],
  EMFILE: ['out-of-files', 'too many open files'],
  ENOSPC: ['cannot-write', 'no space left on device'],
  EDQUOT: ['cannot-write', 'disk quota exceeded'],
  EROFS: ['cannot-write', 'read-only file system'],
  ECONNREFUSED: ['no-answer', 'connection refused'],
  ENOTFOUND: ['no-answer', 'no such host'],
};

/** Why the system refused, without Node's code, call and path. */
export function systemReason({ code = '', message }: { readonly code?: string; readonly message: string }): string {
  return SYSTEM_ERRORS[code]?.[1] ?? oneLine(message).replace(/^E[A-Z0-9]+: |, [a-z]+(?: '.*)?$/g, '');
}

/** Assertions catch bugs in Oakum. Bad input is a `FormatError`, a failed operation another `Failure`. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`bug: ${message}`);
}

/** The element at an index that must be in range, such as a row of one of a table's columns. */
export function elementAt<T>(list: ArrayLike<T>, index: number): T {
  const element = list[index];
  if (element === undefined) throw new Error(`bug: no element ${index} of ${list.length}`);
  return element;
}

export function unreachable(value: never): never {
  throw new Error(`bug: unexpected ${String(value)}`);
}
