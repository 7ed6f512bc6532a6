/**
 * Goroutines and heap rows as people paste them, rewritten in the form that Go prints, which the readers of files take.
 *
 *     what is pasted                                                   what it is
 *     49411 @ 0x43fe6e 0x40a6a5           0xd9bb8c a.b+0x70 w.go:348    debug=1 without header or `#`
 *     goroutine 8 [select]:               a.b(0xc0) / w.go:348 +0x15    debug=2 without tabs
 *     [Goroutine 63 in state select, with a.b on top of the stack:      goleak
 *     Goroutine 7 - User: w.go:348 a.b (0x48) [select]                  dlv goroutines
 *     heap profile: 4: 122976 [3186: 71076690] @ heap/1048576           heap debug=1
 *     a.b(0xc0) / w.go:348 / c.d(...) / x.go:1                          one stack without the line that begins it
 *
 * A line that belongs to a stack and cannot be read is counted.
 */
import { formatAmount } from '../../../base/say.ts';
import type { PasteLine } from './unwrap.ts';

export interface StackText {
  readonly kind: 'stacks';
  readonly format: 'debug1' | 'debug2' | 'heap-text';
  /** As Go would have printed it. */
  readonly text: string;
  readonly line: number;
  /** What is missing or could not be read, one line each. */
  readonly notes: readonly string[];
}

interface Reading {
  readonly piece: StackText;
  readonly next: number;
}

export function readStackText(lines: readonly PasteLine[], at: number): Reading | undefined {
  const text = lines[at].text.trim();
  if (text === '') return undefined;
  if (TITLE.test(text) || (ROW.test(text) && text.includes('0x'))) {
    const reading = new Counted(lines).read(at);
    // A title alone is a number.
    return reading.piece.text.includes('\n\n') ? undefined : reading;
  }
  if (HEAP_TITLE.test(text)) return readHeap(lines, at);
  if (headerOf(text) !== undefined) return new Listed(lines).read(at, true);
  if (isCall(text) && placeOf(textAt(lines, at + 1)) !== undefined) return new Listed(lines).read(at, false);
  // A stack that begins in its middle, with the place of a call that was not pasted.
  if (placeOf(text) !== undefined && isCall(textAt(lines, at + 1)) && placeOf(textAt(lines, at + 2)) !== undefined) {
    return new Listed(lines).read(at + 1, false);
  }
  return undefined;
}

function textAt(lines: readonly PasteLine[], at: number): string {
  return lines[at]?.text.trim() ?? '';
}

// debug=1

const TITLE = /^\W{0,4}([a-z][\w./-]{0,80}) profile: total (\d{1,12})\W{0,4}$/i;
const ROW = /^(\d{1,10}) @((?:\s+0x[0-9a-f]+)*)\s*$/;
const MORE_PCS = /^(?:0x[0-9a-f]+\s+)*0x[0-9a-f]+$/;
const FRAME = /^(?:#\s*)?(0x[0-9a-f]+)\s+(\S.*?)\+(0x[0-9a-f]+)(?:\s+(\S.*))?$/;
const BARE_FRAME = /^#\s*0x[0-9a-f]+$/;
const LABELS = /^(?:#\s*)?labels: (\{.*\})$/;
const PLACE = /^(\S.{0,1000}):(\d{1,7})$/;

export const PART_PASTED = 'goroutines were pasted';

export function partOf(shown: number, total: number): string {
  return `${formatAmount('count', shown)} of ${formatAmount('count', total)} ${PART_PASTED}`;
}

/** A debug=1 profile: rows with a count, until something else comes. */
class Counted {
  readonly #lines: readonly PasteLine[];
  readonly #out: string[] = [];
  #name = 'goroutine';
  #total: number | undefined;
  #shown = 0;
  #unread = 0;
  #cutFrame = '';

  constructor(lines: readonly PasteLine[]) {
    this.#lines = lines;
  }

  read(from: number): Reading {
    let at = from;
    const title = TITLE.exec(textAt(this.#lines, at));
    if (title !== null) {
      this.#name = title[1];
      this.#total = Number(title[2]);
      at++;
    }
    let last = at;
    let rows = 0;
    for (; at < this.#lines.length; at++) {
      const text = textAt(this.#lines, at);
      if (text === '') {
        if (this.#lines[at].isFence && rows > 0) break;
        continue;
      }
      if (TITLE.test(text)) break;
      if (this.#row(text)) rows++;
      else if (rows === 0 || !this.#inRow(text)) break;
      last = at + 1;
    }
    this.#endFrame();
    const total = Math.max(this.#total ?? this.#shown, 0);
    const notes: string[] = [];
    if (this.#total === undefined) notes.push('the line with the total was not pasted: there may be more goroutines');
    else if (this.#shown < total) notes.push(partOf(this.#shown, total));
    if (this.#unread > 0) notes.push(`${this.#unread} lines of its stacks cannot be read`);
    const text = `${this.#name} profile: total ${total}\n${this.#out.join('\n')}\n`;
    return {
      piece: { kind: 'stacks', format: 'debug1', text, line: this.#lines[from].number, notes },
      next: Math.max(last, from + 1),
    };
  }

  #row(text: string): boolean {
    const row = ROW.exec(text);
    if (row === null) return false;
    this.#endFrame();
    this.#shown += Number(row[1]);
    this.#out.push(`${row[1]} @ ${row[2].trim().split(/\s+/).join(' ')}`.trimEnd());
    return true;
  }

  /** Whether the line belongs to the row above it. */
  #inRow(text: string): boolean {
    if (this.#cutFrame !== '' && PLACE.test(text)) {
      this.#out.push(`${this.#cutFrame}\t${text}`);
      this.#cutFrame = '';
      return true;
    }
    this.#endFrame();
    const above = this.#out[this.#out.length - 1] ?? '';
    if (MORE_PCS.test(text) && ROW.test(above)) {
      this.#out[this.#out.length - 1] = `${above} ${text.split(/\s+/).join(' ')}`;
      return true;
    }
    const labels = LABELS.exec(text);
    if (labels !== null) {
      this.#out.push(`# labels: ${labels[1]}`);
      return true;
    }
    const frame = FRAME.exec(text);
    if (frame !== null) {
      const line = `#\t${frame[1]}\t${frame[2]}+${frame[3]}`;
      if (frame[4] === undefined) this.#cutFrame = line;
      else this.#out.push(`${line}\t${PLACE.test(frame[4]) ? frame[4] : `${frame[4]}:0`}`);
      return true;
    }
    if (BARE_FRAME.test(text)) {
      this.#out.push(text.replace(/^#\s*/, '#\t'));
      return true;
    }
    if (!/^(?:#|0x)/.test(text)) return false;
    if (!/^#?\s*(?:\.{3}|0x[0-9a-f]*)?$/.test(text)) this.#unread++;
    return true;
  }

  /** A frame whose place never came. */
  #endFrame(): void {
    if (this.#cutFrame !== '') this.#out.push(`${this.#cutFrame}\t?:0`);
    this.#cutFrame = '';
  }
}

// debug=2, goleak, leaktest and dlv

/** A note: what goleak lists is a leak of the test, or of what it tests. */
export const OUTLIVED_TEST = 'goleak found these goroutines still running at the end of a test';

const LEAK_HEADER = /\[?Goroutine (\d{1,19}) in state ([^[\]]{1,100}?), with .{1,1000} on top of the stack:?$/;
const DLV =
  /^\*?\s*Goroutine (\d{1,19}) - (?:\w+: )?(\S+):(\d{1,7}) (\S+) \(0x[0-9a-f]+\)(?: \(thread \d+\))?(?: \[([^\]]{1,100}?)(?: \d+)?\])?$/;
const GO_PLACE =
  /^(\S.{0,1000}?\.(?:go|s|c|cc|cpp|h|S|pb\.go)|_cgo_gotypes\.go|<autogenerated>|\?\?):(\d{1,7})(?:\s+\+0x[0-9a-f]+)?(?:\s+fp=.*)?$/;
const CREATED = /^created by (\S.*?)(?: in goroutine (\d{1,19}))?$/;
const ELIDED = /^\.{3}(?:(?:additional|\d+) frames? elided)?\.{0,3}$/;

interface Header {
  readonly line: string;
  /** dlv names the place where it stands. */
  readonly frame?: readonly [call: string, place: string];
}

/** The header of a goroutine in a line, in Go's form. */
function headerOf(text: string): Header | undefined {
  const from = text.search(/goroutine \d/i);
  if (from < 0) return undefined;
  const leaked = LEAK_HEADER.exec(text);
  if (leaked !== null) return { line: `goroutine ${leaked[1]} [${leaked[2]}]:` };
  const dlv = DLV.exec(text);
  if (dlv !== null) {
    const [, id, file, line, call, state = 'running'] = dlv;
    return { line: `goroutine ${id} [${state}]:`, frame: [`${call}()`, `\t${file}:${line}`] };
  }
  if (from > 0 && !/[\s"'[:=(]$/.test(text.slice(Math.max(0, from - 1), from))) return undefined;
  const plain =
    /^goroutine (\d{1,19})(?: gp=\S+ m=\S+(?: mp=\S+)?)? \[([^[\]]{1,300}|[^[\]]{1,100}\[[^[\]]{0,100}\][^[\]]{0,100})\](.{0,2000})$/.exec(
      text.slice(from),
    );
  if (plain === null) return undefined;
  const [, id, state, rest] = plain;
  // `goroutine 7 [select] is the one that ...` is prose.
  if (rest !== '' && !rest.endsWith(':') && !rest.startsWith(':')) return undefined;
  const labels = /^ (\{.*\}):$/.exec(rest)?.[1];
  return { line: `goroutine ${id} [${state}]${labels === undefined ? '' : ` ${labels}`}:` };
}

function placeOf(text: string): string | undefined {
  const match = GO_PLACE.exec(text);
  return match === null ? undefined : `\t${match[1]}:${match[2]}`;
}

/** A call as the runtime prints it, at least its beginning: `a/b.(*T).c(0xc000, {0x1, ...})`. */
function isCall(text: string): boolean {
  return (
    /^(?:[\w~%-]+(?:\.[\w~%-]+)*\/)*[\w~%-]+(?:\.[\w~%-]+)*\.\S{1,1000}\(.{0,2000}$/.test(text.slice(0, 3000)) &&
    callName(text) !== ''
  );
}

/** Without its arguments; '' if there is no name. */
function callName(text: string): string {
  let depth = 0;
  for (let i = 0; i < text.length && i < 2000; i++) {
    const char = text[i];
    if (char === '[') depth++;
    else if (char === ']') depth--;
    else if (char === '(' && depth === 0 && !/^\(\*?[\w.[\]]*\)\./.test(text.slice(i, i + 200)))
      return i === 0 ? '' : text.slice(0, i);
    else if (char === ' ' && depth === 0) return '';
  }
  return '';
}

/** A debug=2 dump: goroutines one after the other, until something else comes. */
class Listed {
  readonly #lines: readonly PasteLine[];
  readonly #out: string[] = [];
  readonly #notes: string[] = [];
  #call = '';
  #unread = 0;
  #goroutines = 0;
  #hasOutlived = false;

  constructor(lines: readonly PasteLine[]) {
    this.#lines = lines;
  }

  /** Without a header, a stack begins at `from`. */
  read(from: number, hasHeader: boolean): Reading {
    if (!hasHeader) {
      this.#out.push('goroutine 0 [running]:');
      this.#notes.push(
        'the line that begins its goroutine was not pasted: what it waits for, and how long, is not known',
      );
    }
    let at = from;
    let last = from;
    for (; at < this.#lines.length; at++) {
      const text = textAt(this.#lines, at);
      if (text === '') {
        if (this.#lines[at].isFence && at > from) break;
        continue;
      }
      if (!this.#take(text, at)) break;
      last = at + 1;
    }
    this.#endCall();
    if (this.#hasOutlived) this.#notes.push(OUTLIVED_TEST);
    if (this.#unread > 0) this.#notes.push(`${this.#unread} lines of its stacks cannot be read`);
    const text = `${this.#out.join('\n')}\n`;
    const line = this.#lines[from].number;
    return {
      piece: { kind: 'stacks', format: 'debug2', text, line, notes: this.#notes },
      next: Math.max(last, from + 1),
    };
  }

  #take(text: string, at: number): boolean {
    const header = headerOf(text);
    if (header !== undefined) {
      this.#endCall();
      this.#hasOutlived ||= LEAK_HEADER.test(text);
      if (this.#goroutines++ > 0) this.#out.push('');
      this.#out.push(header.line, ...(header.frame ?? []));
      return true;
    }
    const place = placeOf(text);
    if (place !== undefined) {
      // Two places in a row: the call between them was lost.
      if (this.#call === '') this.#unread++;
      else this.#out.push(this.#call, place);
      this.#call = '';
      return true;
    }
    const created = CREATED.exec(text);
    if (created !== null) {
      this.#endCall();
      const by = created[2] === undefined ? '' : ` in goroutine ${created[2]}`;
      this.#call = `created by ${created[1]}${by}`;
      return true;
    }
    if (ELIDED.test(text)) {
      this.#endCall();
      this.#out.push('...additional frames elided...');
      return true;
    }
    // Arguments that a mail has wrapped, or a place that is cut.
    if (this.#call !== '' && /^[0-9a-fx{}?,._ ]*\)$/.test(text)) return true;
    if (this.#call !== '' && /^\/\S+$/.test(text)) {
      this.#out.push(this.#call, `\t${text.replace(/:\d*$/, '')}:0`);
      this.#call = '';
      return true;
    }
    if (isCall(text)) {
      this.#endCall();
      this.#call = `${callName(text)}()`;
      return true;
    }
    if (/^(?:\]|\[|\.{3}|---+|=+|rax|r\w{1,2}\s+0x|exit status)/.test(text)) return this.#goroutines > 0;
    return this.#isCut(text, at);
  }

  /** The last line of a block may end anywhere. */
  #isCut(text: string, at: number): boolean {
    const next = this.#lines[at + 1];
    if (next !== undefined && !next.isFence && textAt(this.#lines, at + 1) !== '') return false;
    if (!/^[\w./%~-]*[./][\w./()*%~-]*$/.test(text)) return false;
    this.#unread++;
    return true;
  }

  /** A call whose place never came. */
  #endCall(): void {
    if (this.#call !== '') this.#out.push(this.#call, '\t??:0');
    this.#call = '';
  }
}

// heap debug=1

const HEAP_TITLE = /^heap profile: (\d+): (\d+) \[(\d+): (\d+)\] @ heap(?:\/(\d+))?$/;
const HEAP_ROW = /^(\d+): (-?\d+) \[(\d+): (-?\d+)\] @((?:\s+0x[0-9a-f]+)*)$/;
const HEAP_STAT = /^#\s*(\w{1,20} = .+)$/;

function readHeap(lines: readonly PasteLine[], from: number): Reading {
  const title = textAt(lines, from);
  const out = [title.endsWith('heap') ? `${title}/524288` : title];
  const notes: string[] = [];
  let [last, unread, bytes, rows, inStats] = [from + 1, 0, 0, 0, false];
  for (let at = from + 1; at < lines.length; at++) {
    const text = textAt(lines, at);
    if (text === '') {
      if (lines[at].isFence && rows > 0) break;
      continue;
    }
    const row = HEAP_ROW.exec(text);
    const frame = row === null ? FRAME.exec(text) : null;
    if (row !== null) {
      out.push(`${row[1]}: ${row[2]} [${row[3]}: ${row[4]}] @ ${row[5].trim().split(/\s+/).join(' ')}`.trimEnd());
      bytes += Number(row[2]);
      rows++;
    } else if (frame !== null) {
      const place = frame[4] ?? '?:0';
      out.push(`#\t${frame[1]}\t${frame[2]}+${frame[3]}\t${PLACE.test(place) ? place : `${place}:0`}`);
    } else if (/^#\s*runtime\.MemStats$/.test(text)) {
      inStats = true;
      out.push('', '# runtime.MemStats');
    } else if (inStats && HEAP_STAT.test(text)) out.push(text.replace(/^#\s*/, '# '));
    else if (MORE_PCS.test(text) && HEAP_ROW.test(out[out.length - 1])) out[out.length - 1] += ` ${text}`;
    else if (/^(?:#|0x)/.test(text)) unread++;
    else break;
    last = at + 1;
  }
  const total = Number(HEAP_TITLE.exec(title)?.[2] ?? 0);
  // Rows are counted as they were sampled, and so is the total.
  if (bytes < total * 0.995)
    notes.push(`rows with ${Math.round((100 * bytes) / total)}% of the sampled bytes were pasted`);
  if (unread > 0) notes.push(`${unread} lines of its stacks cannot be read`);
  return {
    piece: { kind: 'stacks', format: 'heap-text', text: `${out.join('\n')}\n`, line: lines[from].number, notes },
    next: last,
  };
}
