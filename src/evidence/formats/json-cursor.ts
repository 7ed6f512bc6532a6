/**
 * A cursor over JSON text: reads the values that are needed and skips the rest, so that millions of samples become
 * columns of numbers without an object for each.
 */
import { FormatError } from '../../base/errors.ts';
import { textOf } from '../../base/json.ts';
import { decodeText } from '../../base/text.ts';

const MAX_DEPTH = 64;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

export class JsonCursor {
  readonly bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  /** The first character of what comes next; '' at the end. */
  peek(): string {
    const { bytes } = this;
    let { at } = this;
    while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at++;
    this.at = at;
    return at < bytes.length ? String.fromCharCode(bytes[at]) : '';
  }

  /** Steps over `char` when it comes next. */
  take(char: string): boolean {
    if (this.peek() !== char) return false;
    this.at++;
    return true;
  }

  expect(char: string): void {
    if (!this.take(char)) this.fail(`${char} expected`);
  }

  /** Calls `member` for each key, which must read or skip the value. */
  object(member: (key: string) => void): void {
    this.expect('{');
    if (this.take('}')) return;
    do {
      const key = this.string();
      this.expect(':');
      member(key);
    } while (this.take(','));
    this.expect('}');
  }

  array(item: () => void): void {
    this.expect('[');
    if (this.take(']')) return;
    do item();
    while (this.take(','));
    this.expect(']');
  }

  string(): string {
    if (this.peek() !== '"') this.fail('a string expected');
    const start = this.at;
    const { bytes } = this;
    let escaped = false;
    for (let i = start + 1; i < bytes.length; i++) {
      if (bytes[i] === BACKSLASH) {
        escaped = true;
        i++;
      } else if (bytes[i] === QUOTE) {
        this.at = i + 1;
        return escaped ? this.unescaped(start, i + 1) : decodeText(bytes, start + 1, i);
      }
    }
    this.at = bytes.length;
    return this.fail('a quote expected');
  }

  private unescaped(start: number, end: number): string {
    try {
      return textOf(JSON.parse(decodeText(this.bytes, start, end)));
    } catch {
      return this.fail('a string with a wrong escape');
    }
  }

  /** A number, true, false or null, as it is written. */
  word(): string {
    this.peek();
    const { bytes, at } = this;
    let end = at;
    while (end < bytes.length && isWordByte(bytes[end])) end++;
    if (end === at) this.fail('a value expected');
    this.at = end;
    return decodeText(bytes, at, end);
  }

  /** A plain number such as 1794772040.25, stepped over; NaN, and nothing stepped over, when it has another form. */
  plainNumber(): number {
    const { bytes } = this;
    let { at } = this;
    let digits = 0;
    let scale = -1;
    for (; ; at++) {
      const digit = bytes[at] - 0x30;
      if (digit >= 0 && digit <= 9) {
        digits = digits * 10 + digit;
        if (scale >= 0) scale++;
      } else if (bytes[at] === 0x2e && scale < 0) scale = 0;
      else break;
    }
    // Both are exact up to here, so the division is the nearest number.
    if (at === this.at || digits >= 2 ** 53 || scale > 22 || (bytes[at] | 0x20) === 0x65) return NaN;
    this.at = at;
    return scale > 0 ? digits / 10 ** scale : digits;
  }

  skip(depth = 0): void {
    if (depth > MAX_DEPTH) this.fail(`nested more than ${MAX_DEPTH} deep`);
    const next = this.peek();
    if (next === '{') this.object(() => this.skip(depth + 1));
    else if (next === '[') this.array(() => this.skip(depth + 1));
    else if (next === '"') this.string();
    else this.word();
  }

  fail(problem: string): never {
    const isCut = this.at >= this.bytes.length;
    throw new FormatError(isCut ? 'the JSON ends too early' : `not JSON as Prometheus writes it: ${problem}`, {
      offset: this.at,
    });
  }
}

/** A byte of `-1.5e+07` or `null`. */
function isWordByte(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x30 && byte <= 0x39) || '+-.E'.includes(String.fromCharCode(byte));
}
