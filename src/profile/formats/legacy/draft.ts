/**
 * A legacy profile while it is read: addresses, not yet symbols or mappings.
 *
 *     stacks     begin[s] .. end[s]  into `stack`, leaf first; removing the frame after the leaf moves `begin`
 *     stack      indexes into the address table
 *     addresses  lo/hi halves, in order of first use; a hash table over typed arrays, because a Map stops at 2^24
 *
 * `finish` numbers the locations as pprof does, in the order in which samples first use them.
 */
import { Uint32ColumnBuilder } from '../../../base/columns.ts';
import { Int64ColumnBuilder, int64Column } from '../../../base/int64.ts';
import type { Mapping, Profile, ValueType } from '../../profile.ts';
import type { Int } from './go-strings.ts';

class AddressTable {
  readonly lo: Uint32ColumnBuilder = new Uint32ColumnBuilder();
  readonly hi: Uint32ColumnBuilder = new Uint32ColumnBuilder();
  /** Pairs of 1 + index and low half: a look-up that fails touches this array only. */
  private slots = new Uint32Array(512);

  get length(): number {
    return this.lo.length;
  }

  /** The index of an address, added on first use. */
  intern(lo: number, hi: number): number {
    const slot = this.slotOf(lo, hi);
    const found = this.slots[slot];
    if (found !== 0) return found - 1;
    this.lo.push(lo);
    this.hi.push(hi);
    this.slots[slot] = this.length;
    this.slots[slot + 1] = lo;
    if (this.length * 4 > this.slots.length) this.grow();
    return this.length - 1;
  }

  find(lo: number, hi: number): number {
    return this.slots[this.slotOf(lo, hi)] - 1;
  }

  value(index: number): bigint {
    return (BigInt(this.hi.items[index]) << 32n) | BigInt(this.lo.items[index]);
  }

  /** The slot that has the address, or the free one where it goes. */
  private slotOf(lo: number, hi: number): number {
    const slots = this.slots;
    const his = this.hi.items;
    const mask = slots.length - 2;
    let slot = (hash(lo, hi) * 2) & mask;
    while (slots[slot] !== 0 && (slots[slot + 1] !== lo || his[slots[slot] - 1] !== hi)) slot = (slot + 2) & mask;
    return slot;
  }

  private grow(): void {
    this.slots = new Uint32Array(this.slots.length * 2);
    const { slots, lo, hi } = this;
    const mask = slots.length - 2;
    for (let i = 0; i < this.length; i++) {
      let slot = (hash(lo.items[i], hi.items[i]) * 2) & mask;
      while (slots[slot] !== 0) slot = (slot + 2) & mask;
      slots[slot] = i + 1;
      slots[slot + 1] = lo.items[i];
    }
  }
}

// A seed per process keeps hostile addresses from all landing in one slot.
const SEED = (Math.random() * 0x100000000) | 0;

function hash(lo: number, hi: number): number {
  let h = Math.imul(lo ^ SEED, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 15) ^ hi, 0xc2b2ae35);
  h = Math.imul(h ^ (h >>> 13), 0x27d4eb2f);
  return h ^ (h >>> 16);
}

/** What a Java profile says of a location, or a `#` line of Go. */
export interface DraftLine {
  readonly fn: number;
  readonly line: Int;
}

interface DraftFunction {
  readonly name: string;
  readonly filename: string;
}

export class Draft {
  sampleTypes: readonly ValueType[];
  periodType: ValueType;
  period: bigint;
  durationNanos = 0n;
  dropFrames = '';
  keepFrames = '';
  readonly addresses: AddressTable = new AddressTable();
  readonly values: readonly Int64ColumnBuilder[];
  readonly begin: Uint32ColumnBuilder = new Uint32ColumnBuilder();
  readonly end: Uint32ColumnBuilder = new Uint32ColumnBuilder();
  readonly stack: Uint32ColumnBuilder = new Uint32ColumnBuilder();
  /** The value of each sample's numeric label `bytes`; empty for kinds that have none. */
  readonly blockSizes: Int64ColumnBuilder = new Int64ColumnBuilder();
  mappings: Mapping[] = [];
  /** Mapping index of each ordered location, -1 for none. */
  locationMapping: Int32Array = new Int32Array(0);
  /** Address indexes in the order of location ids. */
  order: Uint32Array = new Uint32Array(0);
  readonly lines: Map<number, readonly DraftLine[]> = new Map();
  functions: DraftFunction[] = [];
  /** Whether the profile keeps its addresses; Java's does not. */
  keepAddresses = true;
  private opened = 0;

  constructor(
    sampleTypes: readonly ValueType[],
    periodType: ValueType,
    period: Int,
    columns: number = sampleTypes.length,
  ) {
    this.sampleTypes = sampleTypes;
    this.periodType = periodType;
    this.period = BigInt(period);
    this.values = Array.from({ length: columns }, () => new Int64ColumnBuilder());
  }

  get sampleCount(): number {
    return this.begin.length;
  }

  /** Adds a frame to the sample that `endStack` will close. */
  pushFrame(lo: number, hi: number): void {
    this.stack.push(this.addresses.intern(lo, hi));
  }

  /** Adds the frame of the call that returns to this address: the address before it. */
  pushCaller(lo: number, hi: number): void {
    if (lo > 0) this.pushFrame(lo - 1, hi);
    else this.pushFrame(0xffffffff, hi === 0 ? 0xffffffff : hi - 1);
  }

  endStack(): void {
    this.begin.push(this.opened);
    this.end.push(this.stack.length);
    this.opened = this.stack.length;
  }

  /** The address index of the frame that called the leaf, or -1. */
  secondFrame(sample: number): number {
    const at = this.begin.items[sample] + 1;
    return at < this.end.items[sample] ? this.stack.items[at] : -1;
  }

  removeSecondFrame(sample: number): void {
    const at = this.begin.items[sample]++;
    this.stack.items[at + 1] = this.stack.items[at];
  }

  /**
   * The leaf may be there twice, once from the signal's context and once, less 1, from unwinding the stack: drop the
   * second.
   */
  removeDuplicateLeaves(): void {
    const { lo, hi } = this.addresses;
    for (let s = 0; s < this.sampleCount; s++) {
      const second = this.secondFrame(s);
      if (second < 0) continue;
      const leaf = this.stack.items[this.begin.items[s]];
      const nextLo = (lo.items[second] + 1) >>> 0;
      const nextHi = nextLo === 0 ? (hi.items[second] + 1) >>> 0 : hi.items[second];
      if (lo.items[leaf] === nextLo && hi.items[leaf] === nextHi) this.removeSecondFrame(s);
    }
  }

  /** Orders the locations by their first use in a sample; those no sample uses any more are left out. */
  orderLocations(): void {
    const seen = new Uint8Array(this.addresses.length);
    const order = new Uint32Array(this.addresses.length);
    let count = 0;
    for (let s = 0; s < this.sampleCount; s++) {
      for (let k = this.begin.items[s]; k < this.end.items[s]; k++) {
        const index = this.stack.items[k];
        if (seen[index] === 1) continue;
        seen[index] = 1;
        order[count++] = index;
      }
    }
    this.order = order.slice(0, count);
    this.locationMapping = new Int32Array(count).fill(-1);
  }

  finish(): Profile {
    const strings = new StringTable();
    const n = this.sampleCount;
    const position = new Uint32Array(this.addresses.length);
    this.order.forEach((index, i) => (position[index] = i));
    const stackStart = new Uint32Array(n + 1);
    for (let s = 0; s < n; s++) stackStart[s + 1] = stackStart[s] + this.end.items[s] - this.begin.items[s];
    const stackLocations = new Uint32Array(stackStart[n]);
    for (let s = 0, at = 0; s < n; s++) {
      for (let k = this.begin.items[s]; k < this.end.items[s]; k++)
        stackLocations[at++] = position[this.stack.items[k]];
    }
    const labels = this.blockSizes.length;
    const bytesKey = labels === 0 ? 0 : strings.intern('bytes');
    return {
      sampleTypes: this.sampleTypes,
      defaultSampleType: '',
      samples: {
        length: n,
        stackStart,
        stackLocations,
        values: this.values.map(column => column.finish()),
        labelStart: labels === 0 ? new Uint32Array(n + 1) : countingUp(n + 1),
        labels: {
          length: labels,
          key: new Uint32Array(labels).fill(bytesKey),
          str: new Uint32Array(labels),
          num: this.blockSizes.finish(),
          unit: new Uint32Array(labels),
        },
      },
      mappings: this.mappings,
      ...this.finishLocations(strings),
      strings: strings.items,
      comments: [],
      docUrl: '',
      dropFrames: this.dropFrames,
      keepFrames: this.keepFrames,
      timeNanos: 0n,
      durationNanos: this.durationNanos,
      periodType: this.periodType,
      period: this.period,
    };
  }

  private finishLocations(strings: StringTable): Pick<Profile, 'locations' | 'functions'> {
    const n = this.order.length;
    const address = new BigUint64Array(n);
    const lineStart = new Uint32Array(n + 1);
    const lineFn: number[] = [];
    const lineNumber = new Int64ColumnBuilder();
    // Functions are numbered in the order in which locations use them; unused ones are left out.
    const fnNumber = new Map<number, number>();
    for (let i = 0; i < n; i++) {
      const index = this.order[i];
      if (this.keepAddresses) address[i] = this.addresses.value(index);
      for (const { fn, line } of this.lines.get(index) ?? []) {
        if (!fnNumber.has(fn)) fnNumber.set(fn, fnNumber.size);
        lineFn.push(fnNumber.get(fn)!);
        lineNumber.push(line);
      }
      lineStart[i + 1] = lineFn.length;
    }
    const used = [...fnNumber.keys()].map(fn => this.functions[fn]);
    const name = Uint32Array.from(used, fn => strings.intern(fn.name));
    return {
      locations: {
        length: n,
        id: idsFromOne(n),
        mapping: this.locationMapping,
        address,
        isFolded: new Uint8Array(n),
        lineStart,
        lines: {
          length: lineFn.length,
          fn: Int32Array.from(lineFn),
          line: lineNumber.finish(),
          column: int64Column(lineFn.map(() => 0)),
        },
      },
      functions: {
        length: used.length,
        id: idsFromOne(used.length),
        name,
        systemName: name,
        filename: Uint32Array.from(used, fn => strings.intern(fn.filename)),
        startLine: int64Column(used.map(() => 0)),
      },
    };
  }
}

function idsFromOne(length: number): BigUint64Array {
  const ids = new BigUint64Array(length);
  for (let i = 0; i < length; i++) ids[i] = BigInt(i + 1);
  return ids;
}

function countingUp(length: number): Uint32Array {
  const numbers = new Uint32Array(length);
  for (let i = 0; i < length; i++) numbers[i] = i;
  return numbers;
}

class StringTable {
  readonly items: string[] = [''];
  private readonly index = new Map<string, number>([['', 0]]);

  intern(text: string): number {
    let at = this.index.get(text);
    if (at === undefined) {
      at = this.items.length;
      this.items.push(text);
      this.index.set(text, at);
    }
    return at;
  }
}

/** A reader's answer to input that is not its kind, so that the next reader gets its turn. */
export interface Unrecognized {
  readonly kind: 'unrecognized';
  /** The line that no longer fitted; the reader that came furthest probably knows best. */
  readonly line: number;
}

export function unrecognized(line: number): Unrecognized {
  return { kind: 'unrecognized', line };
}

export function isUnrecognized(result: Draft | Unrecognized): result is Unrecognized {
  return 'kind' in result;
}
