/** Collects what the readers find and hands it out as a GoroutineDump. */
import { FormatError } from '../../../base/errors.ts';
import { decodeText } from '../../../base/text.ts';
import type {
  AncestorTable,
  DumpProblem,
  DumpSection,
  FrameTable,
  GoroutineDump,
  ProblemKind,
  StackTable,
  Truncation,
} from '../../goroutine-dump.ts';
import { ByteScanner } from '../../../base/byte-scan.ts';
import { SequenceInterner, StringTable } from './interners.ts';
import { LabelReader } from './labels.ts';
import { RowColumns } from './row-columns.ts';

const MAX_PROBLEMS = 100;
const MAX_PROBLEM_TEXT = 200;
const MAX_INPUT_BYTES = 0xffffffff;

/** A stack is interned as [pc list + 1, elided at, elided frames, frame, frame ...]. */
const STACK_HEAD = 3;
/** A frame is interned as [fn, file, line, inlined, pc low, pc high, offset]. */
const FRAME_SIZE = 7;

export class DumpBuilder {
  readonly scanner: ByteScanner;
  readonly strings: StringTable;
  readonly labels: LabelReader;
  readonly rows: RowColumns = new RowColumns();
  readonly sections: DumpSection[] = [];
  /** Pc lists as pairs of low and high halves. */
  readonly pcLists: SequenceInterner = new SequenceInterner();
  truncated: Truncation | undefined;

  private readonly problems: DumpProblem[] = [];
  private problemCount = 0;
  private readonly frames = new SequenceInterner();
  private readonly frameScratch = new Int32Array(FRAME_SIZE);
  private readonly stacks = new SequenceInterner();
  private stackScratch = new Int32Array(256);
  private depth = 0;
  private readonly ancestors = {
    id: [] as number[],
    stack: [] as number[],
    creator: [] as number[],
    by: [] as number[],
  };

  constructor(bytes: Uint8Array) {
    if (bytes.length > MAX_INPUT_BYTES) {
      throw new FormatError(`the input has ${bytes.length} bytes, more than the 4 GiB that can be read`);
    }
    this.scanner = new ByteScanner(bytes);
    this.strings = new StringTable(this.scanner);
    this.labels = new LabelReader(bytes, this.strings);
  }

  problem(kind: ProblemKind, line: number, start: number, end: number): void {
    this.problemCount++;
    if (this.problems.length >= MAX_PROBLEMS) return;
    const text = decodeText(this.scanner.bytes, start, Math.min(end, start + MAX_PROBLEM_TEXT));
    this.problems.push({ line, kind, text });
  }

  internFrame(
    fn: number,
    file: number,
    line: number,
    inlined: boolean,
    pc?: { lo: number; hi: number },
    offset = 0,
  ): number {
    const key = this.frameScratch;
    key[0] = fn;
    key[1] = file;
    key[2] = Math.min(line, 0x7fffffff);
    key[3] = inlined ? 1 : 0;
    key[4] = pc === undefined ? 0 : pc.lo;
    key[5] = pc === undefined ? 0 : pc.hi;
    key[6] = offset;
    return this.frames.intern(key, FRAME_SIZE);
  }

  /** Begins a stack; frames are pushed leaf first. */
  beginStack(): void {
    this.depth = 0;
    this.stackScratch[0] = 0;
    this.stackScratch[1] = -1;
    this.stackScratch[2] = 0;
  }

  get stackDepth(): number {
    return this.depth;
  }

  pushFrame(frame: number): void {
    const at = STACK_HEAD + this.depth++;
    if (at === this.stackScratch.length) {
      const wider = new Int32Array(at * 2);
      wider.set(this.stackScratch);
      this.stackScratch = wider;
    }
    this.stackScratch[at] = frame;
  }

  elideFrames(count: number): void {
    this.stackScratch[1] = this.depth;
    this.stackScratch[2] = Math.min(count, 0x7fffffff);
  }

  setPcList(list: number): void {
    this.stackScratch[0] = list + 1;
  }

  /** The pc list of the stack being read, in halves. */
  pcListItems(): Int32Array {
    const list = this.stackScratch[0] - 1;
    return list < 0
      ? new Int32Array(0)
      : this.pcLists.items.subarray(this.pcLists.startOf(list), this.pcLists.endOf(list));
  }

  finishStack(): number {
    return this.stacks.intern(this.stackScratch, STACK_HEAD + this.depth);
  }

  addAncestor(id: number, stack: number, creator: number, creatorGoroutine: number): void {
    this.ancestors.id.push(id);
    this.ancestors.stack.push(stack);
    this.ancestors.creator.push(creator);
    this.ancestors.by.push(creatorGoroutine);
  }

  get ancestorCount(): number {
    return this.ancestors.id.length;
  }

  finish(format: 'debug1' | 'debug2'): GoroutineDump {
    return {
      format,
      sections: this.sections,
      goroutines: this.rows.finish(this.ancestorCount),
      stacks: this.stackTable(),
      frames: this.frameTable(),
      labelSets: this.labels.finish(),
      ancestors: this.ancestorTable(),
      strings: this.strings.strings,
      truncated: this.truncated,
      problems: this.problems,
      problemCount: this.problemCount,
    };
  }

  private ancestorTable(): AncestorTable {
    return {
      length: this.ancestorCount,
      id: Float64Array.from(this.ancestors.id),
      stack: Uint32Array.from(this.ancestors.stack),
      creator: Int32Array.from(this.ancestors.creator),
      creatorGoroutine: Float64Array.from(this.ancestors.by),
    };
  }

  private frameTable(): FrameTable {
    const length = this.frames.length;
    const table = {
      length,
      fn: new Uint32Array(length),
      file: new Uint32Array(length),
      line: new Uint32Array(length),
      inlined: new Uint8Array(length),
      pc: new BigUint64Array(length),
      offset: new Uint32Array(length),
    };
    const items = this.frames.items;
    for (let i = 0, at = 0; i < length; i++, at += FRAME_SIZE) {
      table.fn[i] = items[at];
      table.file[i] = items[at + 1];
      table.line[i] = items[at + 2];
      table.inlined[i] = items[at + 3];
      table.pc[i] = joinHalves(items[at + 4], items[at + 5]);
      table.offset[i] = items[at + 6];
    }
    return table;
  }

  private stackTable(): StackTable {
    const { stacks, pcLists } = this;
    const length = stacks.length;
    const frameStart = new Uint32Array(length + 1);
    const pcStart = new Uint32Array(length + 1);
    const elidedAt = new Int32Array(length);
    const elidedFrames = new Uint32Array(length);
    const items = stacks.items;
    for (let i = 0; i < length; i++) {
      const head = stacks.startOf(i);
      const list = items[head] - 1;
      elidedAt[i] = items[head + 1];
      elidedFrames[i] = items[head + 2];
      frameStart[i + 1] = frameStart[i] + stacks.endOf(i) - head - STACK_HEAD;
      pcStart[i + 1] = pcStart[i] + (list < 0 ? 0 : (pcLists.endOf(list) - pcLists.startOf(list)) / 2);
    }
    const frames = new Uint32Array(frameStart[length]);
    const pcs = new BigUint64Array(pcStart[length]);
    for (let i = 0; i < length; i++) {
      const head = stacks.startOf(i);
      frames.set(items.subarray(head + STACK_HEAD, stacks.endOf(i)), frameStart[i]);
      const list = items[head] - 1;
      if (list < 0) continue;
      let from = pcLists.startOf(list);
      for (let k = pcStart[i]; k < pcStart[i + 1]; k++, from += 2) {
        pcs[k] = joinHalves(pcLists.items[from], pcLists.items[from + 1]);
      }
    }
    return { length, frameStart, frames, elidedAt, elidedFrames, pcStart, pcs };
  }
}

function joinHalves(lo: number, hi: number): bigint {
  return hi === 0 ? BigInt(lo >>> 0) : (BigInt(hi >>> 0) << 32n) | BigInt(lo >>> 0);
}
