/**
 * Metric names by their bytes, each decoded once: the rest of a scan compares and counts without making strings.
 *
 *     slots   hash -> name index + 1      open addressing, at most half full
 */
import { decodeText } from '../../base/text.ts';
import type { ByteScanner } from '../goroutine-text/byte-scan.ts';

/** Types whose series end in `_bucket`, `_sum` and `_count`. */
const COMPOUND = new Set(['histogram', 'gaugehistogram', 'summary']);

export interface MetricName {
  readonly text: string;
  readonly selected: boolean;
  readonly start: number;
  readonly end: number;
  readonly hash: number;
  typed: boolean;
  compound: boolean;
  /** Series in the first scrape, and in scrape number `scrape`. */
  firstCount: number;
  count: number;
  scrape: number;
}

export class NameTable {
  readonly names: MetricName[] = [];
  private slots = new Int32Array(1024);
  private previous: MetricName | undefined;
  private readonly scanner: ByteScanner;
  private readonly isSelected: (name: string) => boolean;

  constructor(scanner: ByteScanner, isSelected: (name: string) => boolean) {
    this.scanner = scanner;
    this.isSelected = isSelected;
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

  setType(name: MetricName, type: string): void {
    name.typed = true;
    name.compound = COMPOUND.has(type);
  }

  private isAt(name: MetricName, start: number, end: number): boolean {
    return name.end - name.start === end - start && this.scanner.equal(name.start, start, end - start);
  }

  private add(start: number, end: number, hash: number): MetricName {
    if (this.names.length * 2 >= this.slots.length) this.grow();
    const text = decodeText(this.scanner.bytes, start, end);
    const selected = this.isSelected(text);
    const name: MetricName = {
      text,
      selected,
      start,
      end,
      hash,
      typed: false,
      compound: false,
      firstCount: 0,
      count: 0,
      scrape: 0,
    };
    this.names.push(name);
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
