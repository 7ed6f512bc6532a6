/** What a parser throws: where the input went wrong and what was expected there. One line, no stack for users. */
export class FormatError extends Error {
  override readonly name = 'FormatError';
  /** Byte offset into the (decompressed) input, when known. */
  readonly offset: number | undefined;
  /** 1-based line number, for text formats. */
  readonly line: number | undefined;

  constructor(message: string, where: { offset?: number; line?: number; cause?: unknown } = {}) {
    super(message, where.cause === undefined ? undefined : { cause: where.cause });
    this.offset = where.offset;
    this.line = where.line;
  }

  /** The message with its position: `bad varint at byte 17`. */
  describe(): string {
    if (this.line !== undefined) return `${this.message} at line ${this.line}`;
    if (this.offset !== undefined) return `${this.message} at byte ${this.offset}`;
    return this.message;
  }
}
