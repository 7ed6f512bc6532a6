import { Failure, type FailureCode } from './failure.ts';

/** Thrown by parsers: where the input is wrong and what was expected there. Users see one line, without a stack. */
export class FormatError extends Failure {
  override readonly name: string = 'FormatError';
  /** Byte offset into the (decompressed) input, when known. */
  readonly offset: number | undefined;
  /** 1-based line number, for text formats. */
  readonly line: number | undefined;

  constructor(message: string, where: ErrorPlace = {}, code: FailureCode = 'unreadable') {
    super(code, oneLine(message), where.cause === undefined ? undefined : { cause: where.cause });
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
function oneLine(message: string): string {
  const text = message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}...` : message;
  return text.replace(/[^\t\P{Cc}]/gu, '?');
}
