/**
 * The binary CPU profile of gperftools and of Go before 1.7: words of 32 or 64 bits, either byte order.
 *
 *     0 3 LANGUAGE PERIOD-µs 0      header; LANGUAGE is 0 for C++ and Go, 1 for Java
 *     COUNT DEPTH ADDRESS...        samples, leaf first
 *     0 1 0                         end; then a memory map (or Java's symbols) as text
 */
import type { ValueType } from '../../profile.ts';
import { Draft, unrecognized, type Unrecognized } from './draft.ts';
import { narrow } from './go-strings.ts';
import { finishJava, readJavaLocations } from './java.ts';
import { LineScanner } from './line-scanner.ts';
import { readMemoryMap } from './memory-map.ts';

const CPU: ValueType = { type: 'cpu', unit: 'nanoseconds' };
const SAMPLE_TYPES: readonly ValueType[] = [{ type: 'samples', unit: 'count' }, CPU];

export function readCpuBinary(bytes: Uint8Array): Draft | Unrecognized {
  const header = readHeader(bytes);
  if (header === undefined) return unrecognized(1);
  const { words, isJava, periodMicros } = header;
  return isJava ? readJava(words, periodMicros) : readNative(words, periodMicros);
}

export function isCpuBinary(bytes: Uint8Array): boolean {
  return readHeader(bytes) !== undefined;
}

interface Header {
  readonly words: WordReader;
  readonly isJava: boolean;
  readonly periodMicros: bigint;
}

function readHeader(bytes: Uint8Array): Header | undefined {
  for (const [wordBytes, littleEndian] of [
    [4, true],
    [4, false],
    [8, true],
    [8, false],
  ] as const) {
    const words = new WordReader(bytes, wordBytes, littleEndian);
    const [zero, three, language, periodMicros, padding] = [0, 1, 2, 3, 4].map(() => words.next());
    if (words.isExhausted || zero !== 0n || three !== 3n || periodMicros === 0n || padding !== 0n) continue;
    if (language === 0n || language === 1n) return { words, isJava: language === 1n, periodMicros };
  }
  return undefined;
}

class WordReader {
  readonly bytes: Uint8Array;
  at = 0;
  lo = 0;
  hi = 0;
  /** The input ended inside a word; from then on all words are 0. */
  isExhausted = false;
  private readonly view: DataView;
  private readonly wordBytes: 4 | 8;
  private readonly littleEndian: boolean;

  constructor(bytes: Uint8Array, wordBytes: 4 | 8, littleEndian: boolean) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.wordBytes = wordBytes;
    this.littleEndian = littleEndian;
  }

  /** Bytes left; none once exhausted. */
  get left(): number {
    return this.isExhausted ? 0 : this.bytes.length - this.at;
  }

  /** Reads a word into `lo` and `hi`. */
  read(): void {
    this.lo = this.hi = 0;
    if (this.left < this.wordBytes) {
      this.isExhausted = true;
      return;
    }
    if (this.wordBytes === 4) {
      this.lo = this.view.getUint32(this.at, this.littleEndian);
    } else {
      this.lo = this.view.getUint32(this.at + (this.littleEndian ? 0 : 4), this.littleEndian);
      this.hi = this.view.getUint32(this.at + (this.littleEndian ? 4 : 0), this.littleEndian);
    }
    this.at += this.wordBytes;
  }

  next(): bigint {
    this.read();
    return (BigInt(this.hi) << 32n) | BigInt(this.lo);
  }
}

function newDraft(periodMicros: bigint): Draft {
  return new Draft(SAMPLE_TYPES, CPU, BigInt.asIntN(64, periodMicros * 1000n));
}

function readNative(words: WordReader, periodMicros: bigint): Draft | Unrecognized {
  const draft = newDraft(periodMicros);
  if (!readSamples(words, draft, true)) return unrecognized(1);
  removeHandlerFrames(draft);
  readMemoryMap(new LineScanner(words.bytes, words.isExhausted ? words.bytes.length : words.at), draft);
  draft.removeDuplicateLeaves();
  return draft;
}

function readJava(words: WordReader, periodMicros: bigint): Draft | Unrecognized {
  const draft = newDraft(periodMicros);
  if (!readSamples(words, draft, false)) return unrecognized(1);
  readJavaLocations(words.bytes, words.isExhausted ? words.bytes.length : words.at, draft);
  return finishJava(draft);
}

/** Reads samples up to the end marker or the end of the input; false when a sample is cut short. */
function readSamples(words: WordReader, draft: Draft, callersReturn: boolean): boolean {
  while (words.left > 0) {
    const count = words.next();
    const depth = words.next();
    if (words.isExhausted || depth > BigInt(Math.floor(words.left / 4))) return false;
    const frames = Number(depth);
    for (let i = 0; i < frames; i++) {
      words.read();
      if (i === 0 && frames === 1 && count === 0n && words.lo === 0 && words.hi === 0) return true;
      // The leaf was running; its callers are return addresses.
      if (callersReturn && i > 0) draft.pushCaller(words.lo, words.hi);
      else draft.pushFrame(words.lo, words.hi);
    }
    draft.endStack();
    const signed = BigInt.asIntN(64, count);
    draft.values[0].push(narrow(signed));
    draft.values[1].push(narrow(BigInt.asIntN(64, signed * draft.period)));
  }
  return true;
}

/** When nearly all samples have the same frame above the leaf, it is the signal handler's: up to two such go. */
function removeHandlerFrames(draft: Draft): void {
  const needed = draft.sampleCount - Math.floor(draft.sampleCount / 32);
  for (let round = 0; round < 2; round++) {
    const counts = new Uint32Array(draft.addresses.length);
    for (let s = 0; s < draft.sampleCount; s++) {
      const second = draft.secondFrame(s);
      if (second >= 0) counts[second]++;
    }
    const common = counts.findIndex(count => count > 0 && count >= needed);
    if (common < 0) return;
    for (let s = 0; s < draft.sampleCount; s++) {
      if (draft.secondFrame(s) === common) draft.removeSecondFrame(s);
    }
  }
}
