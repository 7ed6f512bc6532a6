/**
 * Guesses the next frame.
 *
 * Goroutines of a large dump share few stacks, so after a frame nearly always comes the one that came after it the
 * last time. Comparing the text with that frame's needs one pass over it, where looking the frame up needs three: for
 * the ends of lines, the hash and the comparison.
 *
 * The guess is confirmed only for text in exactly the usual form, for which the lookup would give the same frame.
 */
import { hexDigit, type ByteScanner } from '../../../base/byte-scan.ts';

export class FrameGuesser {
  /** The newline behind the place of the frame matched last. */
  newline = 0;
  private readonly scanner: ByteScanner;
  private readonly bytes: Uint8Array;
  private capacity = 1 << 10;
  private nameAt = new Uint32Array(this.capacity);
  private nameSize = new Uint32Array(this.capacity);
  private placeAt = new Uint32Array(this.capacity);
  private placeSize = new Uint32Array(this.capacity);
  private inlined = new Uint8Array(this.capacity);
  /** By frame: the frame that followed it last, + 1. */
  private next = new Uint32Array(this.capacity);
  /** By frame at the bottom of a stack: the frame of its creator, + 1. */
  private creator = new Uint32Array(this.capacity);
  /** By state of the goroutine: the first frame of the stack, + 1. */
  private readonly first: number[] = [];

  constructor(scanner: ByteScanner) {
    this.scanner = scanner;
    this.bytes = scanner.bytes;
  }

  /** Remembers the text of a frame. */
  learn(
    frame: number,
    nameStart: number,
    nameEnd: number,
    inlined: boolean,
    placeStart: number,
    placeEnd: number,
  ): void {
    while (frame >= this.capacity) this.grow();
    this.nameAt[frame] = nameStart;
    this.nameSize[frame] = nameEnd - nameStart;
    this.placeAt[frame] = placeStart;
    this.placeSize[frame] = placeEnd - placeStart;
    this.inlined[frame] = inlined ? 1 : 0;
  }

  /** Remembers that a frame came after another. */
  follow(previous: number, frame: number): void {
    if (this.isKnown(previous) && this.isKnown(frame)) this.next[previous] = frame + 1;
  }

  /** Remembers the first frame of a goroutine in a state. */
  begin(state: number, frame: number): void {
    while (this.first.length <= state) this.first.push(0);
    if (this.isKnown(frame)) this.first[state] = frame + 1;
  }

  /** Remembers the creator of goroutines with this frame at the bottom. */
  createdBy(bottom: number, frame: number): void {
    if (this.isKnown(bottom) && this.isKnown(frame)) this.creator[bottom] = frame + 1;
  }

  /** The frame whose lines stand at `at`, when it is the one expected below another, else -1. */
  matchNext(previous: number, at: number): number {
    return previous < this.capacity ? this.match(this.next[previous] - 1, at) : -1;
  }

  /** The frame whose lines stand at `at`, when it is the one expected at the top of a stack, else -1. */
  matchFirst(state: number, at: number): number {
    return state < this.first.length ? this.match(this.first[state] - 1, at) : -1;
  }

  /** The frame whose name stands at `at`, and place at `place`, when it is the creator expected, else -1. */
  matchCreator(bottom: number, at: number, nameEnd: number, place: number): number {
    if (bottom < 0 || bottom >= this.capacity) return -1;
    const frame = this.creator[bottom] - 1;
    if (frame < 0 || nameEnd - at !== this.nameSize[frame] || this.inlined[frame] === 1) return -1;
    if (!this.scanner.equal(this.nameAt[frame], at, nameEnd - at)) return -1;
    return this.matchPlace(frame, place) ? frame : -1;
  }

  private isKnown(frame: number): boolean {
    return frame >= 0 && frame < this.capacity && this.nameSize[frame] > 0;
  }

  private match(frame: number, at: number): number {
    if (frame < 0) return -1;
    const { bytes, scanner } = this;
    const open = at + this.nameSize[frame];
    if (open >= scanner.end || bytes[open] !== 0x28 || !scanner.equal(this.nameAt[frame], at, open - at)) return -1;
    const i = scanner.newlineOrParenthesis(open + 1);
    if (i === scanner.end || bytes[i] !== 10 || bytes[i - 1] !== 0x29) return -1;
    const inlined = i - open === 5 && bytes[open + 1] === 0x2e && bytes[open + 2] === 0x2e && bytes[open + 3] === 0x2e;
    if (inlined !== (this.inlined[frame] === 1)) return -1;
    return this.matchPlace(frame, i + 1) ? frame : -1;
  }

  /** Whether the frame's place stands at `at`, behind a tab. */
  private matchPlace(frame: number, at: number): boolean {
    const { bytes, scanner } = this;
    const size = this.placeSize[frame];
    const end = at + 1 + size;
    if (bytes[at] !== 9 || end >= scanner.end) return false;
    if (bytes[end] !== 10 && bytes[end] !== 0x20) return false;
    if (!scanner.equal(this.placeAt[frame], at + 1, size)) return false;
    this.newline = this.suffixEnd(end);
    return this.newline >= 0;
  }

  /** The newline behind ` +0x1` or ` +0x1 fp=0x2 sp=0x3 pc=0x4`, or -1. */
  private suffixEnd(at: number): number {
    const { bytes } = this;
    if (bytes[at] === 10) return at;
    if (bytes[at + 1] !== 0x2b || bytes[at + 2] !== 0x30 || bytes[at + 3] !== 0x78) return -1;
    let i = this.hexEnd(at + 4);
    while (i > 0 && bytes[i] === 0x20) {
      const isAddress = bytes[i + 1] >= 97 && bytes[i + 1] <= 122 && (bytes[i + 2] === 0x70 || bytes[i + 2] === 0x63);
      if (!isAddress || bytes[i + 3] !== 0x3d || bytes[i + 4] !== 0x30 || bytes[i + 5] !== 0x78) return -1;
      i = this.hexEnd(i + 6);
    }
    return bytes[i] === 10 ? i : -1;
  }

  /** The end of the hexadecimal digits at `at`, or -1 when there are none. */
  private hexEnd(at: number): number {
    let i = at;
    while (hexDigit(this.bytes[i]) >= 0) i++;
    return i > at ? i : -1;
  }

  private grow(): void {
    const to = this.capacity * 2;
    this.nameAt = widen(this.nameAt, new Uint32Array(to));
    this.nameSize = widen(this.nameSize, new Uint32Array(to));
    this.placeAt = widen(this.placeAt, new Uint32Array(to));
    this.placeSize = widen(this.placeSize, new Uint32Array(to));
    this.inlined = widen(this.inlined, new Uint8Array(to));
    this.next = widen(this.next, new Uint32Array(to));
    this.creator = widen(this.creator, new Uint32Array(to));
    this.capacity = to;
  }
}

function widen<T extends { set(from: T): void }>(from: T, to: T): T {
  to.set(from);
  return to;
}
