/**
 * Metric names by their bytes, each decoded once: the rest of a scan compares and counts without making strings.
 *
 *     slots   hash -> name index + 1      open addressing, at most half full
 */
import { decodeText } from '../../base/text.ts';
import { ByteScanner, startsWith } from '../../base/byte-scan.ts';

/** Types whose series end in `_bucket`, `_sum` and `_count`. */
const COMPOUND = new Set(['histogram', 'gaugehistogram', 'summary']);

export interface MetricName {
  readonly text: string;
  readonly selected: boolean;
  readonly bytes: Uint8Array;
  readonly hash: number;
  /** Where it was seen last, in block number `block`: nearer to compare with than `bytes`. */
  start: number;
  block: number;
  typed: boolean;
  compound: boolean;
  /** Series in the first scrape, and in scrape number `scrape`. */
  firstCount: number;
  count: number;
  scrape: number;
}

export class NameTable {
  readonly names: MetricName[] = [];
  /** Of all names. */
  byteCount = 0;
  private slots = new Int32Array(1024);
  private previous: MetricName | undefined;
  private scanner = new ByteScanner(new Uint8Array(0));
  private block = 0;
  private readonly isSelected: (name: string) => boolean;

  constructor(isSelected: (name: string) => boolean) {
    this.isSelected = isSelected;
  }

  /** Offsets are into this block from here on. */
  scan(block: ByteScanner): void {
    this.scanner = block;
    this.block++;
  }

  /** The name at bytes[start, end); most lines have the name of the line before. */
  at(start: number, end: number): MetricName {
    const { previous, scanner } = this;
    if (previous !== undefined && this.isAt(previous, start, end)) return previous;
    const hash = scanner.hash(start, end, 0);
    const mask = this.slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const index = this.slots[slot] - 1;
      if (index < 0) return this.add(start, end, hash);
      const name = this.names[index];
      if (name.hash === hash && this.isAt(name, start, end)) return (this.previous = name);
    }
  }

  /** The name of the line before, if this line begins with it, too. */
  again(start: number): MetricName | undefined {
    const { previous, scanner } = this;
    if (previous === undefined) return undefined;
    const end = start + previous.bytes.length;
    return end < scanner.end && NAME_BYTE[scanner.bytes[end]] === 0 && this.isAt(previous, start, end)
      ? previous
      : undefined;
  }

  /** The name that the line begins with; undefined if it begins otherwise. */
  beginning(start: number): MetricName | undefined {
    const { bytes, end } = this.scanner;
    let at = start;
    while (at < end && NAME_BYTE[bytes[at]] === 1) at++;
    return at === start ? undefined : this.at(start, at);
  }

  setType(name: MetricName, type: string): void {
    name.typed = true;
    name.compound = COMPOUND.has(type);
  }

  private isAt(name: MetricName, start: number, end: number): boolean {
    const { length } = name.bytes;
    if (length !== end - start) return false;
    if (name.block === this.block) return this.scanner.equal(name.start, start, length);
    const { bytes } = this.scanner;
    for (let i = 0; i < length; i++) if (bytes[start + i] !== name.bytes[i]) return false;
    name.start = start;
    name.block = this.block;
    return true;
  }

  private add(start: number, end: number, hash: number): MetricName {
    if (this.names.length * 2 >= this.slots.length) this.grow();
    const bytes = this.scanner.bytes.slice(start, end);
    const text = decodeText(bytes);
    const selected = this.isSelected(text);
    const name: MetricName = {
      text,
      selected,
      bytes,
      hash,
      start,
      block: this.block,
      typed: false,
      compound: false,
      firstCount: 0,
      count: 0,
      scrape: 0,
    };
    this.names.push(name);
    this.byteCount += bytes.length;
    this.place(hash, this.names.length);
    return name;
  }

  private place(hash: number, value: number): void {
    const mask = this.slots.length - 1;
    let slot = hash & mask;
    while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
    this.slots[slot] = value;
  }

  private grow(): void {
    this.slots = new Int32Array(this.slots.length * 2);
    this.names.forEach((name, index) => this.place(name.hash, index + 1));
  }
}

/** The bytes of one sample line: `name{label="value"} 1.5 1794772040`. */
export const NEWLINE = 0x0a;
export const HASH = 0x23;
export const OPEN = 0x7b;
const CLOSE = 0x7d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

export const NAME_BYTE: Uint8Array = byteClass('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:.');
export const NUMBER_BYTE: Uint8Array = byteClass('0123456789+-.eEnNaAiIfFtTyY');

function byteClass(chars: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const char of chars) table[char.charCodeAt(0)] = 1;
  return table;
}

export function skipSpaces(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x09) at++;
  return at;
}

export function isEndOrSpace(bytes: Uint8Array, at: number, end: number): boolean {
  return at >= end || bytes[at] <= 0x20;
}

/** Where the labels that begin at `at` end, after the brace; -1 when they do not on this line. */
export function labelsEndAt(bytes: Uint8Array, at: number, end: number): number {
  for (let i = at; i < end; i++) {
    const byte = bytes[i];
    if (byte === CLOSE) return i + 1;
    if (byte === NEWLINE) return -1;
    if (byte === QUOTE) {
      i = quoteEndAt(bytes, i + 1, end);
      if (i < 0) return -1;
    }
  }
  return -1;
}

/** Where the quote that begins before `at` closes; -1 when it does not on this line. */
function quoteEndAt(bytes: Uint8Array, at: number, end: number): number {
  for (let i = at; i < end; i++) {
    if (bytes[i] === QUOTE) return i;
    if (bytes[i] === BACKSLASH) i++;
    if (bytes[i] === NEWLINE) return -1;
  }
  return -1;
}

const NAME_LABEL = '__name__="';

/**
 * Where the name stands in labels that have it: `{"my.metric",a="b"}` of OpenMetrics, `{__name__="up",a="b"}` as
 * Prometheus dumps its own database. An empty range when they have none.
 */
export function nameInLabels(bytes: Uint8Array, start: number, end: number): readonly [from: number, to: number] {
  let at = skipSpaces(bytes, start + 1);
  if (bytes[at] !== QUOTE) {
    while (at < end && !startsWith(bytes, NAME_LABEL, at, end)) {
      if (bytes[at] === QUOTE) at = quoteEndAt(bytes, at + 1, end);
      at++;
    }
    at += NAME_LABEL.length - 1;
  }
  const to = quoteEndAt(bytes, at + 1, end);
  return to < 0 ? [0, 0] : [at + 1, to];
}
