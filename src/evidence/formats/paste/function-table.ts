/**
 * The text reports of `go tool pprof` and `oakum pprof`: functions with values, mostly without stacks.
 *
 *     File: etcd
 *     Type: inuse_space
 *     Showing nodes accounting for 380.98MB, 95% of 401MB total          before 2017: 380.98MB of 401MB total (95%)
 *           flat  flat%   sum%        cum   cum%
 *       120.50MB 30.05% 30.05%   150.50MB 37.53%  go.etcd.io/etcd/mvcc.(*store).Put        top
 *       120.50MB 30.05% 30.05%   150.50MB 37.53%                | go.etcd.io/...           tree and peek
 *        ROUTINE ======================== main.leak in /src/main.go                        list
 *             bytes:  64kB                                                                 traces: stacks, leaf first
 *              64kB   main.leak
 *          1  16384   1  16384: 4 9 12                                                     raw: stacks of locations
 *       1234 k8s.io/client-go/tools/cache.(*processorListener).pop                         sort | uniq -c
 */
import type { PasteLine } from './unwrap.ts';

export interface FunctionRow {
  readonly name: string;
  /** In bytes, nanoseconds or a count; undefined where the report has none. */
  readonly flat: number | undefined;
  readonly cum: number | undefined;
}

export interface StackRow {
  /** Leaf first. */
  readonly frames: readonly string[];
  readonly value: number;
}

export interface FunctionTable {
  readonly kind: 'functions';
  readonly report: 'top' | 'tree' | 'list' | 'traces' | 'raw' | 'counts';
  /** `etcd`; '' if the report does not name the binary. */
  readonly binary: string;
  /** `inuse_space`, `goroutine`, `cpu`; '' if the report does not say. */
  readonly sampleType: string;
  readonly unit: ValueUnit;
  readonly time: string;
  /** The value of the whole profile. */
  readonly total: number | undefined;
  readonly rows: readonly FunctionRow[];
  readonly stacks: readonly StackRow[];
  /** Values of a comparison: pprof -base or -diff_base. */
  readonly isDiff: boolean;
  readonly line: number;
  readonly notes: readonly string[];
}

export type ValueUnit = 'bytes' | 'nanoseconds' | 'count';

interface Amount {
  readonly value: number;
  readonly unit: ValueUnit;
}

const FACTORS: Readonly<Record<string, readonly [factor: number, unit: ValueUnit]>> = {
  B: [1, 'bytes'],
  kB: [1024, 'bytes'],
  KB: [1024, 'bytes'],
  MB: [1024 ** 2, 'bytes'],
  GB: [1024 ** 3, 'bytes'],
  TB: [1024 ** 4, 'bytes'],
  PB: [1024 ** 5, 'bytes'],
  ns: [1, 'nanoseconds'],
  us: [1e3, 'nanoseconds'],
  µs: [1e3, 'nanoseconds'],
  ms: [1e6, 'nanoseconds'],
  s: [1e9, 'nanoseconds'],
  mins: [60e9, 'nanoseconds'],
  hrs: [3600e9, 'nanoseconds'],
  days: [86400e9, 'nanoseconds'],
  weeks: [7 * 86400e9, 'nanoseconds'],
  years: [365 * 86400e9, 'nanoseconds'],
};
/** A unit of pprof's own, and units that a program has made up. */
const GCU = /^([nuµmkMGTP]?)\*?GCU$/;
const GCU_FACTORS: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  µ: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
};

const NUMBER = String.raw`-?\d{1,20}(?:\.\d{1,12})?(?:[A-Za-zµ][\w*]{0,15})?`;
const PERCENT = String.raw`-?\d{1,22}(?:\.\d{1,12})?(?:e[+-]?\d{1,3})?%`;
/** Two rows may stand in one line, or a row behind a prompt. */
const ROW_START = new RegExp(
  String.raw`(?<![\w.])(${NUMBER})\s+(?:${PERCENT})\s+(?:${PERCENT})\s+(${NUMBER})\s+(?:${PERCENT})\s+(?:\|\s+)?(?=\S)`,
  'g',
);
const ROW_HINT = /%\s+-?\d[\d.e+-]*%\s+-?\d/;
const EDGE = new RegExp(String.raw`^(${NUMBER})\s+(?:${PERCENT}\s+)?\|\s+(\S.*)$`);
const SHOWING = new RegExp(
  String.raw`^(?:\(pprof\)\s*.*?)?Showing nodes accounting for (${NUMBER})(?:, ${PERCENT} of (${NUMBER}) total)?`,
);
const OLD_SHOWING = new RegExp(String.raw`^(?:\(pprof\)\s*.*?)?(${NUMBER}) of (${NUMBER}) total \( *${PERCENT}\)`);
const COLUMNS = /^flat\s+flat%\s+sum%\s+cum\s+cum%/;
const FIELD =
  /^(File|Type|Time|Build ID|Duration|Doc|Total|Main binary filename|PeriodType|Period|Active filters|Comment): ?(.*)$/;
const ROUTINE = /^ROUTINE =+ (\S.*?) in (\S.*)$/;
const LIST_VALUES = new RegExp(String.raw`^(\.|${NUMBER})\s+(\.|${NUMBER}) \(flat, cum\)\s+${PERCENT} of Total`);
const LIST_LINE = new RegExp(String.raw`^(?:\.|${NUMBER})\s+(?:\.|${NUMBER})\s+(?:\d+|\?{3}):`);
const DROPPED =
  /^(?:\[.*\]$|(?:focus|ignore|hide|show|show_from|tagfocus|tagignore|taghide|tagshow|prune_from|noinlines|granularity)=|Dropped \d+ nodes|Showing top \d+ nodes|Total:|Active filters|\.{3}|-+\+-+|-{5,}|calls|\(pprof\)|\(cum <=)/;
const NOISE =
  /^(?:Fetching profile|Saved profile|Entering interactive|Use (?:-|the)|Local symbolization|Main binary|\(pprof\)|Some binary filenames|Warning:|\S*[$#%>] ?(?:go|oakum|\.\/|curl|kubectl|pprof)|go tool pprof|Duration:|\\$|\/\S+\.go:)/;
const DASHES = /^-{5,}\+-{10,}$/;

function amountOf(text: string): Amount {
  const [, digits = '0', suffix = ''] = /^(-?[\d.]+)(.*)$/.exec(text) ?? [];
  const [factor, unit] = FACTORS[suffix] ?? [GCU_FACTORS[GCU.exec(suffix)?.[1] ?? ''] ?? 1, 'count'];
  return { value: Number(digits) * factor, unit };
}

/** The report that begins at `at`, and the line after it. */
export function readFunctionTable(
  lines: readonly PasteLine[],
  at: number,
): { readonly piece: FunctionTable; readonly next: number } | undefined {
  const text = lines[at].text.trim();
  if (!begins(text, lines, at)) return undefined;
  const reader = new ReportReader(lines, at);
  return reader.read();
}

function begins(text: string, lines: readonly PasteLine[], at: number): boolean {
  if (text === '') return false;
  if (ROW_HINT.test(text) && matchRows(text).length > 0) return true;
  if (SHOWING.test(text) || OLD_SHOWING.test(text) || COLUMNS.test(text) || ROUTINE.test(text)) return true;
  if (/^(?:File: \S|Main binary filename: )/.test(text))
    return nearby(lines, at, /^(?:Type: |Time: |Build ID: |Showing |Duration: )/);
  if (/^Type: [a-z_]+$/.test(text))
    return nearby(lines, at, /^(?:Time: |Showing |Duration: |Entering |Total: |flat )|^-+\+-+|%/);
  if (/^Total: /.test(text)) return nearby(lines, at, /^ROUTINE =/);
  if (/^(?:PeriodType: |Samples:$)/.test(text)) return nearby(lines, at, /^(?:Period: |Samples:|\w+\/\w+)/);
  if (DASHES.test(text)) return nearby(lines, at, /^-{5,}\+-{5,}|^\w+:\s+\S|^(?:-?[\d.]+\w*)\s+\S/);
  return COUNTED.test(text) && COUNTED.test(lines[at + 1]?.text.trim() ?? '');
}

function nearby(lines: readonly PasteLine[], at: number, wanted: RegExp): boolean {
  for (let i = at + 1; i < lines.length && i < at + 12; i++) if (wanted.test(lines[i].text.trim())) return true;
  return false;
}

interface RowMatch {
  readonly name: string;
  readonly flat: string;
  readonly cum: string;
}

/** All rows of `top` in a line. */
function matchRows(text: string): RowMatch[] {
  const starts = [...text.slice(0, 20_000).matchAll(ROW_START)];
  return starts.flatMap((match, i) => {
    const end = starts[i + 1]?.index ?? text.length;
    const name = cleanName(text.slice(match.index + match[0].length, end));
    return name === '' ? [] : [{ name, flat: match[1], cum: match[2] }];
  });
}

function cleanName(text: string): string {
  const name = text.trim().replace(/\s+\((?:inline|partial-inline)\)$/, '');
  // A row within a sentence, in parentheses.
  return name.endsWith('):') || (name.endsWith(')') && !name.includes('(')) ? name.replace(/\):?$/, '') : name;
}

/** A count and the name of a Go function, or the beginning of a goroutine's stack. */
const COUNTED =
  /^(\d{1,10})\s+((?:[\w.~-]+\/)+[\w.~-]+\.\S{2,}|[\w-]+\.\(\*?\w+\)\.\S+|created by \S+)(?:\(.{0,500})?$/;

class ReportReader {
  readonly #lines: readonly PasteLine[];
  readonly #from: number;
  readonly #rows: FunctionRow[] = [];
  readonly #byName = new Map<string, number>();
  readonly #stacks: StackRow[] = [];
  readonly #units = new Map<ValueUnit, number>();
  readonly #fields = new Map<string, string>();
  #report: FunctionTable['report'] = 'top';
  #total: number | undefined;
  #routine = '';
  #stack: { readonly frames: string[]; value: number } | undefined;
  #unread = 0;
  #isCut = false;

  constructor(lines: readonly PasteLine[], from: number) {
    this.#lines = lines;
    this.#from = from;
  }

  read(): { readonly piece: FunctionTable; readonly next: number } | undefined {
    let at = this.#from;
    let last = at;
    let strange = 0;
    if (/^(?:PeriodType: |Samples:$)/.test(this.#textAt(at))) return this.#raw();
    for (; at < this.#lines.length; at++) {
      const text = this.#textAt(at);
      if (text === '') {
        // A header and its rows are often in blocks of their own.
        if (this.#lines[at].isFence && this.#rows.length + this.#stacks.length > 0) break;
        continue;
      }
      if (this.#isNextReport(text)) break;
      if (this.#take(text, this.#lines[at].text)) {
        last = at + 1;
        strange = 0;
      } else if (++strange > 1 || this.#rows.length === 0) break;
    }
    this.#endStack();
    return this.#finish(last);
  }

  #textAt(at: number): string {
    return this.#lines[at].text.trim();
  }

  /** `(pprof) top -cum` after `(pprof) top`, or a second file. */
  #isNextReport(text: string): boolean {
    if (this.#rows.length === 0 && this.#stacks.length === 0) return false;
    if (this.#report === 'list' || this.#report === 'traces') return /^File: /.test(text);
    return /^(?:File: |Fetching profile|PeriodType: )/.test(text) || SHOWING.test(text) || OLD_SHOWING.test(text);
  }

  #take(text: string, whole: string): boolean {
    const rows = ROW_HINT.test(text) ? matchRows(text) : [];
    if (rows.length > 0) {
      if (/\|\s/.test(text)) this.#report = 'tree';
      for (const row of rows) this.#row(row.name, amountOf(row.flat), amountOf(row.cum));
      return true;
    }
    const showing = SHOWING.exec(text) ?? OLD_SHOWING.exec(text);
    if (showing !== null) {
      this.#setTotal(showing[2] ?? showing[1]);
      return true;
    }
    const field = FIELD.exec(text);
    if (field !== null) {
      this.#fields.set(field[1], field[2].trim());
      const total = /Total samples = (\S+)/.exec(text)?.[1] ?? (field[1] === 'Total' ? field[2].trim() : undefined);
      if (total !== undefined) this.#setTotal(total);
      return true;
    }
    if (COLUMNS.test(text)) return true;
    const edge = EDGE.exec(text);
    if (edge !== null) {
      this.#report = 'tree';
      return true;
    }
    if (this.#takeList(text)) return true;
    if (this.#takeTrace(text, whole)) return true;
    const counted = COUNTED.exec(text);
    if (counted !== null && (this.#report === 'counts' || this.#rows.length === 0)) {
      this.#report = 'counts';
      const amount: Amount = { value: Number(counted[1]), unit: 'count' };
      // A stack is counted with its arguments, and a method's type is in parentheses, too.
      this.#row(counted[2].replace(/\([^()*]*\)$|\((?:0x|\{).*$/, ''), amount, amount);
      return true;
    }
    if (DROPPED.test(text) || NOISE.test(text)) return true;
    return this.#takeCut(text);
  }

  #takeList(text: string): boolean {
    const routine = ROUTINE.exec(text);
    if (routine !== null) {
      this.#report = 'list';
      this.#routine = routine[1];
      return true;
    }
    const values = LIST_VALUES.exec(text);
    if (values !== null && this.#routine !== '') {
      const [flat, cum] = [values[1], values[2]].map(value =>
        value === '.' ? { value: 0, unit: 'bytes' as const } : amountOf(value),
      );
      this.#row(this.#routine, flat, cum, values[2] !== '.');
      return true;
    }
    return this.#report === 'list' && (LIST_LINE.test(text) || /^(?:Error|no source|open )/.test(text));
  }

  /**
   *     -----------+-------------------------------------------------------
   *          bytes:  64kB                    a label
   *           64kB   main.leak               value and leaf
   *                  main.main
   */
  #takeTrace(text: string, whole: string): boolean {
    if (DASHES.test(text)) {
      this.#endStack();
      if (this.#rows.length === 0 && this.#report === 'top') this.#report = 'traces';
      return true;
    }
    if (this.#report !== 'traces') return false;
    if (/^\S+: {1,4}\S/.test(text) && !/^\d/.test(text)) return true;
    const leaf = new RegExp(`^(${NUMBER})\\s+(\\S.*)$`).exec(text);
    if (leaf !== null) {
      this.#endStack();
      const amount = amountOf(leaf[1]);
      // pprof writes 0 without a unit.
      if (amount.value !== 0) this.#count(amount.unit, 1);
      this.#stack = { frames: [cleanName(leaf[2])], value: amount.value };
      return true;
    }
    // Names of C++ hold spaces; where indentation was lost, only a name without one is certain.
    if (this.#stack === undefined || (!/^\s{8,}/.test(whole) && !/^\S*[./]\S*$/.test(cleanName(text)))) return false;
    this.#stack.frames.push(cleanName(text));
    return true;
  }

  #endStack(): void {
    if (this.#stack !== undefined && this.#stack.value !== 0) this.#stacks.push(this.#stack);
    this.#stack = undefined;
  }

  /** A row that the end of the paste has cut. */
  #takeCut(text: string): boolean {
    if (!new RegExp(`^${NUMBER}(?:\\s+${PERCENT}){0,2}(?:\\s+${NUMBER}(?:\\s+${PERCENT})?)?$`).test(text)) return false;
    this.#isCut = true;
    return true;
  }

  #row(name: string, flat: Amount, cum: Amount, tellsUnit = true): void {
    const at = this.#byName.get(name);
    // peek shows a function again for each expression that it matches.
    if (at !== undefined && this.#report === 'tree') return;
    this.#byName.set(name, this.#rows.length);
    this.#rows.push({ name, flat: flat.value, cum: cum.value });
    // pprof writes 0 without a unit.
    if (tellsUnit && cum.value !== 0) this.#count(cum.unit, 1);
    if (tellsUnit && flat.value !== 0) this.#count(flat.unit, 1);
  }

  #count(unit: ValueUnit, by: number): void {
    this.#units.set(unit, (this.#units.get(unit) ?? 0) + by);
  }

  #setTotal(text: string): void {
    const amount = amountOf(text);
    this.#total = amount.value;
    if (amount.value !== 0) this.#count(amount.unit, 1);
  }

  /** Undefined if there is nothing in it. */
  #finish(next: number): { readonly piece: FunctionTable; readonly next: number } | undefined {
    const rows = this.#report === 'traces' || this.#report === 'raw' ? rowsOf(this.#stacks) : this.#rows;
    if (rows.length === 0 && this.#total === undefined && this.#fields.get('Type') === undefined) return undefined;
    const unit = [...this.#units].sort(([, a], [, b]) => b - a)[0]?.[0] ?? 'count';
    const notes: string[] = [];
    if (rows.length === 0) notes.push('its rows were not pasted');
    if (this.#isCut) notes.push('its last row is cut');
    if (this.#unread > 0) notes.push(`${this.#unread} lines of it cannot be read`);
    return {
      piece: {
        kind: 'functions',
        report: this.#report,
        binary: binaryOf(this.#fields.get('File') ?? this.#fields.get('Main binary filename') ?? ''),
        sampleType: this.#fields.get('Type') ?? '',
        unit,
        time: this.#fields.get('Time') ?? '',
        total: this.#total ?? sumOf(this.#stacks),
        rows,
        stacks: this.#stacks,
        isDiff: rows.some(({ flat = 0, cum = 0 }) => flat < 0 || cum < 0),
        line: this.#lines[this.#from].number,
        notes,
      },
      next: Math.max(next, this.#from + 1),
    };
  }

  /**
   *     PeriodType: space bytes
   *     Samples:
   *     inuse_objects/count inuse_space/bytes[dflt]
   *              1      16384: 1 2
   *     Locations
   *          1: 0x40a6a5 M=1 main.leak /src/main.go:12:0 s=10
   *                              main.main /src/main.go:4:0 s=3       a caller that it is inlined into
   */
  #raw(): { readonly piece: FunctionTable; readonly next: number } | undefined {
    this.#report = 'raw';
    const samples: { readonly value: number; readonly locations: readonly number[] }[] = [];
    const names = new Map<number, string[]>();
    let section = '';
    let column = 0;
    let location = 0;
    let at = this.#from;
    let last = at;
    for (; at < this.#lines.length; at++) {
      const text = this.#textAt(at);
      if (this.#lines[at].isFence) break;
      if (text === '') continue;
      const field = FIELD.exec(text);
      const sample = /^((?:-?\d+\s+)*-?\d+):((?:\s+\d+)*)$/.exec(text);
      const place = /^(\d+): 0x[0-9a-f]+(?: M=\d+)?(?: \[F\])?(?: (.*))?$/.exec(text);
      if (/^(?:Samples:|Locations|Mappings)$/.test(text)) section = text;
      else if (field !== null && section === '') this.#fields.set(field[1], field[2]);
      else if (section === 'Samples:' && /^\w+\/\w+/.test(text)) column = this.#column(text);
      else if (section === 'Samples:' && sample !== null) {
        const value = Number(sample[1].trim().split(/\s+/)[column]);
        samples.push({ value, locations: sample[2].trim().split(/\s+/).filter(Boolean).map(Number) });
      } else if (section === 'Locations' && place !== null) {
        location = Number(place[1]);
        names.set(location, place[2] === undefined ? [] : [functionOf(place[2])]);
      } else if (section === 'Locations' && / s=\d+/.test(text)) names.get(location)?.push(functionOf(text));
      else if (section === '' && field === null) break;
      last = at + 1;
    }
    for (const { value, locations } of samples) {
      const frames = locations.flatMap(id => names.get(id) ?? [`location ${id}`]);
      if (frames.length > 0) this.#stacks.push({ frames, value });
    }
    this.#total = samples.length === 0 ? undefined : samples.reduce((sum, { value }) => sum + value, 0);
    if (names.size === 0 && samples.length > 0) this.#unread = samples.length;
    return this.#finish(last);
  }

  /** Which column of the values is meant: the default one, or the last. */
  #column(text: string): number {
    const types = text.split(/\s+/);
    const marked = types.findIndex(type => type.endsWith('[dflt]'));
    const column = marked >= 0 ? marked : types.length - 1;
    const [type = '', unit = ''] = types[column].replace('[dflt]', '').split('/');
    this.#fields.set('Type', type);
    this.#count(unit === 'bytes' || unit === 'nanoseconds' ? unit : 'count', 1);
    return column;
  }
}

/** `main.leak /src/main.go:12:0 s=10`: the function. */
function functionOf(text: string): string {
  return text
    .replace(/ s=\d+(?:\(inline\))?$/, '')
    .replace(/ \S*:\d+(?::\d+)?$/, '')
    .trim();
}

function binaryOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Traces have every sample. */
function sumOf(stacks: readonly StackRow[]): number | undefined {
  return stacks.length === 0 ? undefined : stacks.reduce((sum, { value }) => sum + value, 0);
}

/** What `top` would show of stacks. */
function rowsOf(stacks: readonly StackRow[]): FunctionRow[] {
  const flat = new Map<string, number>();
  const cum = new Map<string, number>();
  for (const { frames, value } of stacks) {
    const [leaf = ''] = frames;
    flat.set(leaf, (flat.get(leaf) ?? 0) + value);
    for (const name of new Set(frames)) cum.set(name, (cum.get(name) ?? 0) + value);
  }
  return Array.from(cum, ([name, value]) => ({ name, flat: flat.get(name) ?? 0, cum: value })).sort(
    (a, b) => Math.abs(b.flat) - Math.abs(a.flat) || Math.abs(b.cum) - Math.abs(a.cum),
  );
}
