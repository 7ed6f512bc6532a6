/**
 * Writes a goroutine dump without names. The text is made from what was parsed, so nothing that was not understood
 * gets out. Arguments are not parsed: `f(0xc000116000, 0x2a)` becomes `f()`.
 *
 *     goroutine 18 [chan receive (leaked), 5 minutes] {tenant: "redacted-kqzjxabcdef"}:
 *     main.(*listener).run()
 *     	/home/redacted-bzpfwqoqnla/main.go:21 +0x1
 *     created by main.start in goroutine 1
 */
import { encodeText } from '../../base/text.ts';
import { goroutineFlags, type GoroutineDump, type GoroutineTable } from '../../profile/goroutine-dump.ts';
import { isGoroutineState, STATE_MARKS, UNKNOWN_STATE } from '../../profile/wait-reasons.ts';
import { redactCFunction, redactUnknownName } from './code-names.ts';
import { redactCall } from './code-paths.ts';
import type { Redactor } from './redactor.ts';
import { elementAt } from '../../base/errors.ts';
import { redactLabelName, redactProfileName } from './kube-words.ts';

/** Enough lines for one write, and few enough not to make one huge string. */
const PART_LINES = 100_000;

export function redactGoroutineDump(dump: GoroutineDump, redactor: Redactor): Uint8Array[] {
  const writer = new DumpWriter(dump, redactor);
  return dump.format === 'debug2' ? writer.debug2() : writer.debug1();
}

class DumpWriter {
  private readonly dump: GoroutineDump;
  private readonly redactor: Redactor;
  private readonly parts: Uint8Array[] = [];
  private readonly frameTexts: string[] = [];
  private readonly labelTexts: string[] = [];
  private lines: string[] = [];

  constructor(dump: GoroutineDump, redactor: Redactor) {
    this.dump = dump;
    this.redactor = redactor;
  }

  debug2(): Uint8Array[] {
    const { goroutines, ancestors } = this.dump;
    for (let row = 0; row < goroutines.length; row++) {
      this.line(this.header(row));
      if ((elementAt(goroutines.flags, row) & goroutineFlags.stackUnavailable) !== 0) {
        this.line('\tgoroutine running on other thread; stack unavailable');
      }
      this.stack(elementAt(goroutines.stack, row));
      this.createdBy(goroutines, row);
      const firstAncestor = elementAt(goroutines.ancestorStart, row);
      const endAncestor = goroutines.ancestorStart[row + 1] ?? ancestors.length;
      for (let ancestor = firstAncestor; ancestor < endAncestor; ancestor++) {
        this.line(`[originating from goroutine ${idText(ancestors.id[ancestor])}]:`);
        this.stack(elementAt(ancestors.stack, ancestor));
        this.createdBy(ancestors, ancestor);
      }
      this.line('');
    }
    // A reader of the output must see that the input was cut.
    return this.finish(this.dump.truncated === undefined ? '' : 'goroutine ');
  }

  debug1(): Uint8Array[] {
    const { frames, goroutines, sections, stacks, truncated } = this.dump;
    sections.forEach(({ name, declaredTotal, firstRow }, i) => {
      const endRow = sections[i + 1]?.firstRow ?? goroutines.length;
      this.line(`${redactProfileName(name, this.redactor)} profile: total ${declaredTotal ?? 0}`);
      for (let row = firstRow; row < endRow; row++) {
        const stack = elementAt(goroutines.stack, row);
        const pcs = Array.from(stacks.pcs.subarray(stacks.pcStart[stack], stacks.pcStart[stack + 1]), hex);
        this.line(`${goroutines.count[row]} @ ${pcs.join(' ')}`.trimEnd());
        const labels = this.labels(elementAt(goroutines.labels, row), ':', ', ');
        if (labels !== '') this.line(`# labels: ${labels}`);
        for (const frame of this.framesOf(stack)) {
          const { name, place } = this.symbol(frame);
          const pc = hex(elementAt(frames.pc, frame));
          const offset = elementAt(frames.offset, frame).toString(16);
          this.line(name === '' ? `#\t${pc}` : `#\t${pc}\t${name}+0x${offset}\t${place}`);
        }
        this.line('');
      }
    });
    const isShort = truncated?.reason === 'short-total' || truncated?.lostGoroutines !== undefined;
    return this.finish(truncated === undefined || isShort ? '' : '1 @');
  }

  private header(row: number): string {
    const { goroutines, strings } = this.dump;
    const flags = elementAt(goroutines.flags, row);
    const waitMinutes = elementAt(goroutines.waitMinutes, row);
    const bubble = elementAt(goroutines.bubble, row);
    let state = this.state(elementAt(strings, elementAt(goroutines.state, row)));
    for (const [mark, flag] of STATE_MARKS) if ((flags & flag) !== 0) state += mark;
    if (waitMinutes >= 0) state += `, ${waitMinutes} minutes`;
    if ((flags & goroutineFlags.lockedToThread) !== 0) state += ', locked to thread';
    if (bubble > 0) state += `, synctest bubble ${bubble}`;
    const labels = this.labels(elementAt(goroutines.labels, row), ': ', ', ');
    return `goroutine ${idText(goroutines.id[row])} [${state}]${labels === '' ? '' : ` ${labels}`}:`;
  }

  private state(text: string): string {
    if (isGoroutineState(text)) return this.redactor.keep(text);
    this.redactor.remove('text', text);
    return UNKNOWN_STATE;
  }

  private framesOf(stack: number): Uint32Array {
    const { frames, frameStart } = this.dump.stacks;
    return frames.subarray(frameStart[stack], frameStart[stack + 1]);
  }

  private stack(stack: number): void {
    const { elidedAt, elidedFrames } = this.dump.stacks;
    const frames = this.framesOf(stack);
    for (let at = 0; at <= frames.length; at++) {
      if (at === elidedAt[stack]) {
        const count = elidedFrames[stack];
        this.line(count === 0 ? '...additional frames elided...' : `...${count} frames elided...`);
      }
      const frame = frames[at];
      if (frame !== undefined) this.line(this.frame(frame));
    }
  }

  /** The two lines of a call. */
  private frame(frame: number): string {
    const known = this.frameTexts[frame];
    if (known !== undefined) return known;
    const { frames } = this.dump;
    const { name, place } = this.symbol(frame);
    const pc = elementAt(frames.pc, frame);
    let text: string;
    if (pc !== 0n) text = `${this.cFunction(frame)}\n\t${place === '' ? '' : `${place} `}pc=${hex(pc)}`;
    else text = `${name}${frames.inlined[frame] === 1 ? '(...)' : '()'}${place === '' ? '' : `\n\t${place} +0x1`}`;
    return (this.frameTexts[frame] = text);
  }

  private cFunction(frame: number): string {
    const { frames, strings } = this.dump;
    return redactCFunction(elementAt(strings, elementAt(frames.fn, frame)), this.redactor);
  }

  private createdBy(table: Pick<GoroutineTable, 'creator' | 'creatorGoroutine'>, row: number): void {
    const [creator, goroutine] = [elementAt(table.creator, row), elementAt(table.creatorGoroutine, row)];
    if (creator < 0) return;
    const { name, place } = this.symbol(creator);
    this.line(`created by ${name}${goroutine < 0 ? '' : ` in goroutine ${idText(goroutine)}`}`);
    if (place !== '') this.line(`\t${place} +0x1`);
  }

  private symbol(frame: number): { name: string; place: string } {
    const { frames, strings } = this.dump;
    const symbol = elementAt(strings, elementAt(frames.fn, frame));
    const name = callName(symbol);
    const call = redactCall(name, elementAt(strings, elementAt(frames.file, frame)), this.redactor);
    // A call cannot be without a name, so text of which nothing is left gets one.
    const shown = name === '' && symbol !== '' ? redactUnknownName(symbol, this.redactor) : call.fn;
    const { file } = call;
    return { name: shown, place: file === '' ? '' : `${file}:${frames.line[frame]}` };
  }

  /** `{key: "value", ...}`, or '' for none. */
  private labels(set: number, colon: string, comma: string): string {
    const known = this.labelTexts[set];
    if (known !== undefined) return known;
    const { labelSets, strings } = this.dump;
    const pairs: (readonly [key: string, value: string])[] = [];
    for (let i = elementAt(labelSets.start, set); i < elementAt(labelSets.start, set + 1); i++) {
      const key = redactLabelName(elementAt(strings, elementAt(labelSets.key, i)), this.redactor);
      const value = this.redactor.hide('label', elementAt(strings, elementAt(labelSets.value, i)));
      pairs.push([key, value]);
    }
    // In the order in which they are read again: it must not tell anything about the keys that are hidden.
    pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    const texts = pairs.map(([key, value]) => `${JSON.stringify(key)}${colon}"${value}"`);
    return (this.labelTexts[set] = texts.length === 0 ? '' : `{${texts.join(comma)}}`);
  }

  private line(text: string): void {
    this.lines.push(text);
    if (this.lines.length >= PART_LINES) this.flush();
  }

  private flush(): void {
    if (this.lines.length > 0) this.parts.push(encodeText(`${this.lines.join('\n')}\n`));
    this.lines = [];
  }

  /** `tail` comes last, without a newline. */
  private finish(tail: string): Uint8Array[] {
    this.flush();
    if (tail !== '') this.parts.push(encodeText(tail));
    return this.parts;
  }
}

/** Only methods have parentheses in their names: `(*T).m` after a dot. Any other one begins an argument list. */
function callName(name: string): string {
  const at = /(?<!\.)\(/.exec(name)?.index;
  return at === undefined ? name : name.slice(0, at);
}

function hex(value: bigint): string {
  return `0x${value.toString(16)}`;
}

/** In digits, however large: an exponent is not Go's. */
function idText(id: number | undefined): string {
  return id === undefined || !Number.isFinite(id) ? '0' : BigInt(Math.trunc(id)).toString();
}
