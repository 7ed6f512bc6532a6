/**
 * Guesses the next frame.
 *
 * Goroutines of a large dump share few stacks, so after a frame nearly always comes the one that came after it the
 * last time. Comparing the text with that frame's needs one pass over it, where looking the frame up needs three: for
 * the ends of lines, the hash and the comparison.
 *
 * The guess is confirmed only for text in exactly the usual form, for which the lookup would give the same frame.
 */
import { hexDigit, type ByteScanner } from './byte-scan.ts';

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
  /** By frame + 1: the frame that followed it last, + 1. Entry 0 is for the first frame of a stack. */
  private next = new Uint32Array(this.capacity + 1);

  constructor(scanner: ByteScanner) {
    this.scanner = scanner;
    this.bytes = scanner.bytes;
  }

  /** Tells the text of a frame. */
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

  /** Tells that a frame came after another (-1 at the start of a stack). */
  follow(previous: number, frame: number): void {
    if (frame < this.capacity && this.nameSize[frame] > 0) this.next[previous + 1] = frame + 1;
  }

  /** The frame whose lines stand at `at`, when it is the one that is expected, else -1. */
  match(previous: number, at: number): number {
    if (previous >= this.capacity) return -1;
    const frame = this.next[previous + 1] - 1;
    if (frame < 0) return -1;
    const { bytes, scanner } = this;
    const open = at + this.nameSize[frame];
    const placeSize = this.placeSize[frame];
    if (open + placeSize + 8 > scanner.end) return -1;
    if (bytes[open] !== 0x28 || !scanner.equal(this.nameAt[frame], at, open - at)) return -1;
    const i = scanner.newlineOrParenthesis(open + 1);
    if (i === scanner.end || bytes[i] !== 10 || bytes[i - 1] !== 0x29) return -1;
    const inlined = i - open === 5 && bytes[open + 1] === 0x2e && bytes[open + 2] === 0x2e && bytes[open + 3] === 0x2e;
    if (inlined !== (this.inlined[frame] === 1)) return -1;
    const place = i + 2;
    const placeEnd = place + placeSize;
    if (bytes[i + 1] !== 9 || placeEnd >= scanner.end) return -1;
    if (bytes[placeEnd] !== 10 && bytes[placeEnd] !== 0x20) return -1;
    if (!scanner.equal(this.placeAt[frame], place, placeSize)) return -1;
    const newline = this.suffixEnd(placeEnd);
    if (newline < 0) return -1;
    this.newline = newline;
    return frame;
  }

  /** The newline behind ` +0x1` or ` +0x1 fp=0x2 sp=0x3 pc=0x4`, or -1. */
  private suffixEnd(at: number): number {
    const { bytes } = this;
    if (bytes[at] === 10) return at;
    if (bytes[at + 1] !== 0x2b || bytes[at + 2] !== 0x30 || bytes[at + 3] !== 0x78) return -1;
    let i = this.hexEnd(at + 4);
    while (i > 0 && bytes[i] === 0x20) {
      const isAddress = bytes[i + 2] === 0x70 || bytes[i + 2] === 0x63;
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
    this.next = widen(this.next, new Uint32Array(to + 1));
    this.capacity = to;
  }
}

function widen<T extends { set(from: T): void }>(from: T, to: T): T {
  to.set(from);
  return to;
}
