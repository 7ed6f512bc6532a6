/**
 * Labels as Go prints them, in three styles that one reader understands:
 *
 *     {"controller":"kcp-kube-quota", "logicalcluster":"lc1"}      debug=1
 *     {"controller": "kcp-kube-quota", "logicalcluster": "lc1"}    debug=2, Go 1.26
 *     {controller: "kcp-kube-quota", logicalcluster: lc1}          debug=2, Go 1.27: quoted only when needed
 */
import { compareText, decodeText, encodeText } from '../../../base/text.ts';
import { hexDigit } from '../../../base/byte-scan.ts';
import { SequenceInterner, type StringTable } from './interners.ts';

const simpleEscapes = new Map([
  [0x61, 7],
  [0x62, 8],
  [0x66, 12],
  [0x6e, 10],
  [0x72, 13],
  [0x74, 9],
  [0x76, 11],
]);

/** Reads label sets and numbers distinct ones; set 0 is the empty set. */
export class LabelReader {
  private readonly bytes: Uint8Array;
  private readonly strings: StringTable;
  private readonly sets = new SequenceInterner();
  private scratch = new Int32Array(16);
  private at = 0;

  constructor(bytes: Uint8Array, strings: StringTable) {
    this.bytes = bytes;
    this.strings = strings;
    this.sets.intern(this.scratch, 0);
  }

  /** Where the set read last ends: behind its `}`. */
  get endOffset(): number {
    return this.at;
  }

  /** Reads the set whose `{` stands at `open`. Its index, or -1 when it is not a label set. */
  read(open: number, end: number): number {
    this.at = open;
    if (!this.skip(0x7b)) return -1;
    let size = 0;
    if (this.skip(0x7d)) return 0;
    for (;;) {
      const key = this.text(end);
      if (key < 0 || !this.skip(0x3a)) return -1;
      this.skip(0x20);
      const value = this.text(end);
      if (value < 0) return -1;
      size = this.push(size, key, value);
      if (this.skip(0x7d)) {
        this.sort(size);
        return this.sets.intern(this.scratch, size);
      }
      if (!this.skip(0x2c)) return -1;
      this.skip(0x20);
    }
  }

  /** The distinct sets, as the columns of a LabelSetTable. */
  finish(): { length: number; start: Uint32Array; key: Uint32Array; value: Uint32Array } {
    const length = this.sets.length;
    const start = new Uint32Array(length + 1);
    for (let i = 0; i < length; i++) start[i + 1] = this.sets.endOf(i) / 2;
    const key = new Uint32Array(start[length]);
    const value = new Uint32Array(start[length]);
    const items = this.sets.items;
    for (let i = 0; i < start[length]; i++) {
      key[i] = items[2 * i];
      value[i] = items[2 * i + 1];
    }
    return { length, start, key, value };
  }

  private push(size: number, key: number, value: number): number {
    if (size + 2 > this.scratch.length) {
      const wider = new Int32Array(size * 2);
      wider.set(this.scratch);
      this.scratch = wider;
    }
    this.scratch[size] = key;
    this.scratch[size + 1] = value;
    return size + 2;
  }

  /** Sorts the pairs by key, then value. Go prints them sorted, so there is nearly always nothing to do. */
  private sort(size: number): void {
    const { scratch } = this;
    const { strings } = this.strings;
    const compare = (a: number, b: number): number =>
      compareText(strings[scratch[a]], strings[scratch[b]]) ||
      compareText(strings[scratch[a + 1]], strings[scratch[b + 1]]);
    let sorted = true;
    for (let i = 2; i < size && sorted; i += 2) sorted = compare(i - 2, i) <= 0;
    if (sorted) return;
    const order = Array.from({ length: size / 2 }, (_, i) => 2 * i).sort(compare);
    scratch.set(order.flatMap(i => [scratch[i], scratch[i + 1]]));
  }

  private skip(byte: number): boolean {
    if (this.bytes[this.at] !== byte) return false;
    this.at++;
    return true;
  }

  /** Reads a quoted or bare text; its string index or -1. */
  private text(end: number): number {
    const bytes = this.bytes;
    if (bytes[this.at] !== 0x22) {
      const start = this.at;
      let i = start;
      while (i < end && bytes[i] !== 0x3a && bytes[i] !== 0x2c && bytes[i] !== 0x7d && bytes[i] !== 0x22) i++;
      this.at = i;
      return i > start && i < end ? this.strings.internRange(start, i) : -1;
    }
    const start = this.at + 1;
    let escaped = false;
    let i = start;
    while (i < end && bytes[i] !== 0x22) {
      if (bytes[i] === 0x5c) {
        escaped = true;
        i++;
      }
      i++;
    }
    if (i >= end) return -1;
    this.at = i + 1;
    if (!escaped) return this.strings.internRange(start, i);
    const text = unquote(bytes, start, i);
    return text === undefined ? -1 : this.strings.intern(text);
  }
}

/** The text between quotes with its escapes undone, or undefined when one is not Go's. */
function unquote(bytes: Uint8Array, start: number, end: number): string | undefined {
  // Escapes can stand for single bytes, so the text is put together as bytes.
  const out: number[] = [];
  for (let i = start; i < end; i++) {
    if (bytes[i] !== 0x5c) {
      out.push(bytes[i]);
      continue;
    }
    const kind = bytes[++i];
    const simple = simpleEscapes.get(kind);
    const digits = kind === 0x78 ? 2 : kind === 0x75 ? 4 : kind === 0x55 ? 8 : 0;
    if (simple !== undefined) {
      out.push(simple);
    } else if (kind === 0x5c || kind === 0x22 || kind === 0x27) {
      out.push(kind);
    } else if (digits > 0 && i + digits < end) {
      const code = hexNumber(bytes, i + 1, digits);
      if (code < 0 || code > 0x10ffff) return undefined;
      if (digits === 2) out.push(code);
      else out.push(...encodeText(String.fromCodePoint(code)));
      i += digits;
    } else {
      return undefined;
    }
  }
  return decodeText(Uint8Array.from(out));
}

function hexNumber(bytes: Uint8Array, at: number, digits: number): number {
  let value = 0;
  for (let i = at; i < at + digits; i++) {
    const digit = hexDigit(bytes[i]);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}
