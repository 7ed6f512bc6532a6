/**
 * Lines as pprof's scanner gives them: without `\n` and one `\r`, and at most 64 KiB long.
 *
 *     const lines = new LineScanner(bytes);
 *     while (lines.scan()) use(bytes, lines.start, lines.end);
 *     lines.check();                                 // a line that was too long ended the scan
 *
 * Lines are byte ranges, because most of them (comments, rows) never need to become strings.
 */
import { FormatError } from '../../../base/errors.ts';
import { decodeText } from '../../../base/text.ts';
import { indexOfAscii } from './go-strings.ts';

const MAX_LINE_BYTES = 65536;

export class LineScanner {
  readonly bytes: Uint8Array;
  /** The current line; empty before the first scan and after the last. */
  start = 0;
  end = 0;
  /** 1-based number of the current line. */
  line = 0;
  private next: number;
  private tooLong = false;

  constructor(bytes: Uint8Array, from = 0) {
    this.bytes = bytes;
    this.next = from;
  }

  scan(): boolean {
    const bytes = this.bytes;
    const from = this.next;
    if (from >= bytes.length) return this.stop();
    let newline = bytes.indexOf(10, from);
    if (newline < 0) newline = bytes.length;
    if (newline - from >= MAX_LINE_BYTES) {
      if (!this.tooLong) {
        this.tooLong = true;
        this.line++;
        this.start = this.end = from;
        return false;
      }
      // After the error, pprof's scanner hands out its full buffer once.
      newline = from + MAX_LINE_BYTES;
      this.next = bytes.length;
    } else {
      this.line++;
      this.next = newline + 1;
    }
    this.start = from;
    this.end = newline > from && bytes[newline - 1] === 13 ? newline - 1 : newline;
    return true;
  }

  /** Throws when the scan ended at a line that was too long. */
  check(): void {
    if (this.tooLong) throw this.error('bufio.Scanner: token too long');
  }

  get text(): string {
    return decodeText(this.bytes, this.start, this.end);
  }

  /** Whether this line begins the memory map. */
  get isMemoryMapSentinel(): boolean {
    return (
      indexOfAscii(this.bytes, '--- Memory map: ---', this.start, this.end) >= 0 ||
      indexOfAscii(this.bytes, 'MAPPED_LIBRARIES:', this.start, this.end) >= 0
    );
  }

  error(message: string): FormatError {
    return new FormatError(message, { line: this.line, offset: this.start });
  }

  private stop(): false {
    this.start = this.end = this.next = this.bytes.length;
    return false;
  }
}
