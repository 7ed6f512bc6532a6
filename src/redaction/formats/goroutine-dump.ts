/**
 * A goroutine dump as text again, without names: written from what was read, so nothing that was not understood can
 * come along. Arguments were never read; what is left of `f(0xc000116000, 0x2a)` is `f()`.
 *
 *     goroutine 18 [chan receive (leaked), 5 minutes] {tenant: "redacted-kqzjxabcdef"}:
 *     main.(*listener).run()
 *     	/home/redacted-bzpfwqoqnla/main.go:21 +0x1
 *     created by main.start in goroutine 1
 */
import { encodeText } from '../../base/text.ts';
import { goroutineFlags, type GoroutineDump } from '../../model/goroutine-dump.ts';
import { redactFunction } from '../names/code-names.ts';
import { redactSourcePath } from '../names/code-paths.ts';
import type { Redactor } from '../names/redactor.ts';

/** Wide enough to be written at once, narrow enough not to be one huge string. */
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
      if ((goroutines.flags[row] & goroutineFlags.stackUnavailable) !== 0) {
        this.line('\tgoroutine running on other thread; stack unavailable');
      }
      this.stack(goroutines.stack[row]);
      this.createdBy(goroutines.creator[row], goroutines.creatorGoroutine[row]);
      for (let i = goroutines.ancestorStart[row]; i < (goroutines.ancestorStart[row + 1] ?? ancestors.length); i++) {
        this.line(`[originating from goroutine ${ancestors.id[i]}]:`);
        this.stack(ancestors.stack[i]);
        this.createdBy(ancestors.creator[i], ancestors.creatorGoroutine[i]);
      }
      this.line('');
    }
    // That the input was cut must be seen in what is left of it.
    return this.finish(this.dump.truncated === undefined ? '' : 'goroutine ');
  }

  debug1(): Uint8Array[] {
    const { goroutines, stacks, frames, sections, truncated } = this.dump;
    sections.forEach(({ name, declaredTotal, firstRow }, i) => {
      const endRow = sections[i + 1]?.firstRow ?? goroutines.length;
      this.line(`${this.redactor.keep(name)} profile: total ${declaredTotal ?? 0}`);
      for (let row = firstRow; row < endRow; row++) {
        const stack = goroutines.stack[row];
        const pcs = Array.from(stacks.pcs.subarray(stacks.pcStart[stack], stacks.pcStart[stack + 1]), hex);
        this.line(`${goroutines.count[row]} @ ${pcs.join(' ')}`.trimEnd());
        const labels = this.labels(goroutines.labels[row], ':', ', ');
        if (labels !== '') this.line(`# labels: ${labels}`);
        for (let at = stacks.frameStart[stack]; at < stacks.frameStart[stack + 1]; at++) {
          const frame = stacks.frames[at];
          const symbol = this.symbol(frame);
          const pc = hex(frames.pc[frame]);
          this.line(
            symbol.name === ''
              ? `#\t${pc}`
              : `#\t${pc}\t${symbol.name}+0x${frames.offset[frame].toString(16)}\t${symbol.place}`,
          );
        }
        this.line('');
      }
    });
    const isShort = truncated?.reason === 'short-total' || truncated?.lostGoroutines !== undefined;
    return this.finish(truncated === undefined || isShort ? '' : '1 @');
  }

  private header(row: number): string {
    const { goroutines, strings } = this.dump;
    const flags = goroutines.flags[row];
    let state = this.redactor.keep(strings[goroutines.state[row]]);
    if ((flags & goroutineFlags.leaked) !== 0) state += ' (leaked)';
    if ((flags & goroutineFlags.scan) !== 0) state += ' (scan)';
    if ((flags & goroutineFlags.durable) !== 0) state += ' (durable)';
    if (goroutines.waitMinutes[row] >= 0) state += `, ${goroutines.waitMinutes[row]} minutes`;
    if ((flags & goroutineFlags.lockedToThread) !== 0) state += ', locked to thread';
    if (goroutines.bubble[row] > 0) state += `, synctest bubble ${goroutines.bubble[row]}`;
    const labels = this.labels(goroutines.labels[row], ': ', ', ');
    return `goroutine ${goroutines.id[row]} [${state}]${labels === '' ? '' : ` ${labels}`}:`;
  }

  private stack(stack: number): void {
    const { stacks } = this.dump;
    const from = stacks.frameStart[stack];
    for (let at = from; at <= stacks.frameStart[stack + 1]; at++) {
      if (at - from === stacks.elidedAt[stack]) {
        const count = stacks.elidedFrames[stack];
        this.line(count === 0 ? '...additional frames elided...' : `...${count} frames elided...`);
      }
      if (at < stacks.frameStart[stack + 1]) this.line(this.frame(stacks.frames[at]));
    }
  }

  /** The two lines of a call. */
  private frame(frame: number): string {
    const known = this.frameTexts[frame];
    if (known !== undefined) return known;
    const { frames } = this.dump;
    const { name, place } = this.symbol(frame);
    const pc = frames.pc[frame];
    let text: string;
    if (pc !== 0n) text = `${name}\n\t${place === '' ? '' : `${place} `}pc=${hex(pc)}`;
    else text = `${name}${frames.inlined[frame] === 1 ? '(...)' : '()'}${place === '' ? '' : `\n\t${place} +0x1`}`;
    return (this.frameTexts[frame] = text);
  }

  private createdBy(creator: number, goroutine: number): void {
    if (creator < 0) return;
    const { name, place } = this.symbol(creator);
    this.line(`created by ${name}${goroutine < 0 ? '' : ` in goroutine ${goroutine}`}`);
    if (place !== '') this.line(`\t${place} +0x1`);
  }

  private symbol(frame: number): { name: string; place: string } {
    const { frames, strings } = this.dump;
    const name = callName(strings[frames.fn[frame]]);
    const file = redactSourcePath(strings[frames.file[frame]], name, this.redactor);
    return { name: redactFunction(name, this.redactor), place: file === '' ? '' : `${file}:${frames.line[frame]}` };
  }

  /** `{key: "value", ...}`, or '' for none. */
  private labels(set: number, colon: string, comma: string): string {
    const known = this.labelTexts[set];
    if (known !== undefined) return known;
    const { labelSets, strings } = this.dump;
    const pairs: string[] = [];
    for (let i = labelSets.start[set]; i < labelSets.start[set + 1]; i++) {
      const key = this.redactor.keep(strings[labelSets.key[i]]);
      pairs.push(`${JSON.stringify(key)}${colon}"${this.redactor.hide('label', strings[labelSets.value[i]])}"`);
    }
    return (this.labelTexts[set] = pairs.length === 0 ? '' : `{${pairs.join(comma)}}`);
  }

  private line(text: string): void {
    this.lines.push(text);
    if (this.lines.length >= PART_LINES) this.flush();
  }

  private flush(): void {
    if (this.lines.length > 0) this.parts.push(encodeText(`${this.lines.join('\n')}\n`));
    this.lines = [];
  }

  /** `tail` stands at the end without a newline. */
  private finish(tail: string): Uint8Array[] {
    this.flush();
    if (tail !== '') this.parts.push(encodeText(tail));
    return this.parts;
  }
}

/** Only methods have parentheses in their names: `(*T).m` after a dot. Anything else began an argument list. */
function callName(name: string): string {
  const at = /(?<!\.)\(/.exec(name)?.index;
  return at === undefined ? name : name.slice(0, at);
}

function hex(value: bigint): string {
  return `0x${value.toString(16)}`;
}
