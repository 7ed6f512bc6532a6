/**
 * Numbers in single lines: logs, counters of a product, answers of Prometheus, dumps of MemStats.
 *
 *     goroutine profile: total 15938                       993 goroutine                       a title, an index page
 *     Killed process 86927 (longhorn-instan) total-vm:10660660kB, anon-rss:5409428kB           the kernel
 *     goroutines = 1234             "num_goroutines": 1234          go_goroutines{a="b"} 1234  @[1794772000]
 *     # HeapAlloc = 9233720         heap-alloc: 4.92MB (5156768 bytes)          {Alloc:9233720 TotalAlloc:...}
 *     # lsof -p 1 | wc -l / 39240   ps -o rss / 38100 / 69044 / 154464          22.6 22.9 22.8 MB
 */
import { bytesIn, COUNTED, countIn, KILLED_BY_KERNEL, type Level, type LevelOf } from './level.ts';
import { levelOfWords, type LevelTable } from './level-tables.ts';
import type { PasteLine } from './unwrap.ts';

const KIB = 1024;
const MIB = 1024 ** 2;

/** Longer ones are data; only the statistics of a whole program in one line are longer. */
const MAX_LINE = 20_000;

export function readLevelLines(lines: readonly PasteLine[], at: number): LevelTable | undefined {
  const line = lines[at];
  const text = line.text.trim();
  if (text === '' || (text.length > MAX_LINE && !text.includes('HeapAlloc'))) return undefined;
  const series = readBareSeries(lines, at, text);
  if (series !== undefined) return series;
  // Numbers have a name in the same line.
  if (!/\d/.test(text) || !/[a-z]{2}/i.test(text)) return undefined;
  const levels = [
    ...killed(line, text),
    ...titled(line, text),
    ...memStats(lines, at, text),
    ...traced(line, text),
    ...named(line, text),
  ];
  const changes = changed(line, text);
  const others = unique(levels).filter(({ of }) => changes.every(change => change.of !== of));
  const all = [...others, ...changes];
  return all.length === 0 ? undefined : { levels: all, notes: [], next: at + 1 };
}

const CHANGE =
  /\b(goroutines?|threads|file descriptors|fds|memory|heap|rss|working set)\b((?:\s+[a-z]{1,12}){0,4})\s+from\s+~?(\d[\d,.]{0,14})\s?([KMGT]i?B?)?\s+to\s+~?(\d[\d,.]{0,14}\d|\d)\s?([KMGT]i?B?)?(?![\w%])/gi;

/** `goroutines went from 400 to 120,000`: two values of one kind in a sentence. */
function changed(line: PasteLine, text: string): Level[] {
  if (line.stamp.kind !== 'none' || text.length > 1000) return [];
  return [...text.matchAll(CHANGE)].flatMap(([, words, , first, unit = '', last, lastUnit = '']) => {
    const of = CHANGE_OF[words.toLowerCase()] ?? levelOfWords(words) ?? 'memory';
    const counts = COUNTED.has(of);
    // A bare number of memory has no unit, and a count has none either.
    if (counts ? unit + lastUnit !== '' : lastUnit === '') return [];
    const read = (digits: string, own: string): number | undefined =>
      counts ? countIn(digits) : bytesIn(`${digits}${own}`);
    const values = [read(first, unit === '' ? lastUnit : unit), read(last, lastUnit)];
    return values.includes(undefined) ? [] : values.flatMap(value => level(of, value, line, 'the text'));
  });
}

const CHANGE_OF: Readonly<Record<string, LevelOf>> = { heap: 'live heap', memory: 'memory' };

function unique(levels: readonly Level[]): Level[] {
  const seen = new Set<string>();
  return levels.filter(({ of, subject }) => {
    const key = `${of}\0${subject}`;
    return seen.has(key) ? false : seen.add(key);
  });
}

function level(of: LevelOf, value: number | undefined, line: PasteLine, from: string, subject = ''): Level[] {
  if (value === undefined || !(value >= 0) || value > 2 ** 53) return [];
  return [{ kind: 'level', of, value, subject, isPod: false, stamp: line.stamp, line: line.number, from }];
}

const KILLED =
  /Killed process \d+ \(([^)]{1,64})\)(?:.{0,40}total-vm:(\d+)kB)?(?:, anon-rss:(\d+)kB)?(?:, file-rss:(\d+)kB)?/;

function killed(line: PasteLine, text: string): Level[] {
  const match = KILLED.exec(text);
  if (match === null) return [];
  const [, process, , anonymous, file] = match;
  const from = KILLED_BY_KERNEL;
  if (anonymous === undefined) return [];
  const resident = (Number(anonymous) + Number(file ?? 0)) * KIB;
  return [
    ...level('resident', resident, line, from, process),
    ...level('anonymous', Number(anonymous) * KIB, line, from, process),
    ...(file === undefined ? [] : level('file pages', Number(file) * KIB, line, from, process)),
  ];
}

/** A profile's title alone, and a row of the index page of net/http/pprof. */
function titled(line: PasteLine, text: string): Level[] {
  const total = /\b(goroutine|threadcreate) profile: total (\d{1,12})/.exec(text);
  if (total !== null)
    return level(total[1] === 'goroutine' ? 'goroutines' : 'threads', Number(total[2]), line, 'the title of a profile');
  const row = /^(\d{1,9})\s+(?:\w+\/)*(goroutine|threadcreate)(?:\?debug=\d)?$/.exec(text) ?? undefined;
  if (row !== undefined)
    return level(row[2] === 'goroutine' ? 'goroutines' : 'threads', Number(row[1]), line, 'the index of /debug/pprof');
  return [];
}

const STATS: Readonly<Record<string, LevelOf>> = {
  heapalloc: 'live heap',
  alloc: 'live heap',
  heapinuse: 'heap in use',
  heapidle: 'heap idle',
  heapreleased: 'heap released',
  heapobjects: 'heap objects',
  sys: 'runtime memory',
};
const STAT =
  /(?:^|[\s{,#"])(HeapAlloc|Alloc|HeapInuse|HeapIdle|HeapReleased|HeapObjects|Sys)"?\s*(?:=|:)\s*(\d{1,18})(?![\d.]*\s*[KMG]i?B)/g;
const GOPS =
  /^(heap-alloc|alloc|heap-in-use|heap-idle|heap-released|heap-objects|sys): (?:[\d.]+\s?[KMGT]?B \((\d+) bytes\)|(\d+)(?: bytes)?)$/;

/** The programs of the Argo project log these fields, in KiB. */
const KIB_STATS = /\bAlloc=(\d{1,15}) TotalAlloc=\d{1,15} Sys=(\d{1,15}) NumGC=\d{1,15} Goroutines=\d/;

/** runtime.MemStats in any of its forms. */
function memStats(lines: readonly PasteLine[], at: number, text: string): Level[] {
  const from = 'runtime.MemStats';
  const line = lines[at];
  // Alloc and HeapAlloc are one number, some lines apart.
  if (/^(?:#\s*)?"?alloc\b/i.test(text) && lines.slice(at + 1, at + 20).some(one => /heap-?alloc\b/i.test(one.text)))
    return [];
  const kib = KIB_STATS.exec(text);
  if (kib !== null)
    return [
      ...level('live heap', Number(kib[1]) * KIB, line, from),
      ...level('runtime memory', Number(kib[2]) * KIB, line, from),
    ];
  const gops = GOPS.exec(text);
  if (gops !== null)
    return level(
      STATS[gops[1].replaceAll('-', '').replace('inuse', 'inuse')] ?? 'live heap',
      Number(gops[2] ?? gops[3]),
      line,
      'gops memstats',
    );
  const found = [...text.matchAll(STAT)];
  // `Alloc = 12` alone, in prose or a log, may count anything; MemStats is a comment or has several fields.
  if (found.length === 0 || (found.length < 2 && !/^#\s/.test(text) && !/^"?Heap\w+"?\s*[:=]/.test(text))) return [];
  return found.flatMap(([, name, digits]) =>
    level(STATS[name.toLowerCase()] ?? 'live heap', Number(digits), line, from),
  );
}

const GC_TRACE = /^gc \d+ @[\d.]+s \d+%: .{1,400}?, \d+->\d+->(\d+) MB/;
const SCAVENGER = /\bscvg\d*: inuse: (\d+), idle: (\d+), sys: \d+, released: (\d+)/;

/** GODEBUG=gctrace=1: `gc 12 @3.4s 1%: ..., 4->5->2 MB, 5 MB goal`, of which 2 MB are live. */
function traced(line: PasteLine, text: string): Level[] {
  const gc = GC_TRACE.exec(text);
  if (gc !== null) return level('live heap', Number(gc[1]) * MIB, line, 'the trace of the collector');
  const scavenged = SCAVENGER.exec(text);
  if (scavenged === null) return [];
  const [inUse, idle, released] = scavenged.slice(1).map(mib => Number(mib) * MIB);
  const from = 'the trace of the scavenger';
  return [
    ...level('heap in use', inUse, line, from),
    ...level('heap idle', idle, line, from),
    ...level('heap released', released, line, from),
  ];
}

const METRICS: readonly (readonly [RegExp, LevelOf])[] = [
  [/^(?:go_goroutines|kubelet_goroutines|go_sched_goroutines_goroutines)$/, 'goroutines'],
  [/^(?:go_threads|process_threads)$/, 'threads'],
  [/^process_open_fds$/, 'file descriptors'],
  [/^process_resident_memory_bytes$/, 'resident'],
  [/^container_memory_working_set_bytes$/, 'working set'],
  [/^container_memory_rss$/, 'anonymous'],
  [/^(?:go_gc_heap_live_bytes|go_memstats_(?:heap_)?alloc_bytes)$/, 'live heap'],
  [/^go_memstats_heap_inuse_bytes$/, 'heap in use'],
  [/^go_memstats_heap_idle_bytes$/, 'heap idle'],
  [/^go_memstats_heap_released_bytes$/, 'heap released'],
  [/^go_memstats_sys_bytes$/, 'runtime memory'],
];
const SAMPLE =
  /^([a-zA-Z_:][\w:]{2,100})(?:\{([^{}]{0,4000})\})?\s+(?:=>\s*)?(\d[\d.]*(?:e[+-]?\d+)?)(?:\s*@\s*\[?(\d{9,13}(?:\.\d+)?)\]?)?(?:\s+\d{12,13})?$/;

/** `key = value` and `key: value`, also in the middle of a log line. */
const PAIR =
  /(?:^|[\s,{("|])"?((?:num(?:ber)?[ _-]?(?:of[ _-])?)?go[ _-]?routines?(?:[ _-]?(?:count|num|total|running))?|os[ _-]?threads|threads|open[ _-]?(?:fds|files)|file descriptors|fds|heap[ _-]?alloc(?:[ _-]?(?:bytes|mib|mb))?|alloc[ _-]?bytes|cur_mem_mib|rss(?:[ _-]?(?:bytes|kb|mib|mb))?|memory[ _-]?(?:usage|used)(?:[ _-]?(?:bytes|mib|mb))?|mem[ _-]?usage)"?\s*(?::=|=|:|\bis\b|\bcount is\b|(?<=[ _-]count)\s)\s*"?(\d[\d,]*(?:\.\d+)?)\s?([KMGT]i?B?\b|[kmg]b\b|bytes\b)?/gi;
/** `4355 goroutines`, `993 open file descriptors`: the number first. */
const NUMBER_FIRST =
  /(?:^|[\s(~>])(\d[\d,]{2,14})\+?\s+(?:\w+\s+){0,1}(goroutines?|threads|open (?:files|fds|file descriptors|inodes)|file descriptors|fds)\b/gi;

function named(line: PasteLine, text: string): Level[] {
  const sample = SAMPLE.exec(text);
  if (sample !== null) {
    const of = METRICS.find(([name]) => name.test(sample[1]))?.[1];
    const at =
      sample[4] === undefined
        ? undefined
        : Number(sample[4]) / (sample[4].length > 11 && !sample[4].includes('.') ? 1000 : 1);
    const stamp = at === undefined ? line.stamp : ({ kind: 'instant', seconds: at } as const);
    const subject = subjectIn(sample[2] ?? '');
    if (of !== undefined) return level(of, Number(sample[3]), { ...line, stamp }, 'a metric', subject);
  }
  // docker info: what the host has.
  if (/^Total Memory:/.test(text)) return [];
  const pairs = [...text.matchAll(PAIR)].flatMap(([, name, digits, unit = '']) => {
    const of = levelOfWords(name) ?? 'memory';
    return level(
      of,
      COUNTED.has(of) ? countIn(digits) : bytesIn(`${digits}${unit}`, unitIn(name)),
      line,
      'a line of text',
    );
  });
  // A log counts by names; amounts in its sentences are of anything.
  if (line.stamp.kind !== 'none') return pairs;
  if (pairs.length > 0) {
    // A sentence may name more kinds than are written as pairs.
    const others = amounts(line, text).filter(({ of }) => of !== 'memory' && pairs.every(pair => pair.of !== of));
    return [...pairs, ...others];
  }
  const counts = [...text.matchAll(NUMBER_FIRST)].flatMap(([, digits, name]) =>
    level(
      /inode/i.test(name) ? 'file descriptors' : (levelOfWords(name) ?? 'goroutines'),
      countIn(digits),
      line,
      'the text',
    ),
  );
  return [...counts, ...amounts(line, text)];
}

const AMOUNT = /(?<![\w.=/:-])~?(\d{1,9}(?:[.,]\d{1,6})?)\s?([KMGT]i?B?|[kmg]b)(?![\w/])/g;
const ABOUT: readonly (readonly [RegExp, LevelOf])[] = [
  [/\binuse_space\b|\bheap\b|\bpprof\b/i, 'live heap'],
  [/\bworking set\b/i, 'working set'],
  [/\b(?:RSS|resident|anon-rss)\b/i, 'resident'],
  [/\b(?:memory|RAM|mem)\b/i, 'memory'],
];

/** What the last or the first word of its kind is about. */
function aboutIn(text: string, which: 'first' | 'last'): LevelOf | undefined {
  const found = ABOUT.flatMap(([words, of]) =>
    Array.from(text.matchAll(new RegExp(words.source, 'gi')), ({ index }) => ({ of, index })),
  ).sort((a, b) => a.index - b.index);
  return (which === 'first' ? found[0] : found[found.length - 1])?.of;
}

/** `uses 7718Mi of memory`: an amount in a sentence is about the nearest word beside it. */
function amounts(line: PasteLine, text: string): Level[] {
  if (
    text.length > 1000 ||
    GOPS.test(text) ||
    /^[\w-]+: \S+ \(\d+ bytes\)$/.test(text) ||
    !/memory|\bmem\b|heap|rss|resident|working set|inuse_space|\bram\b/i.test(text)
  )
    return [];
  let from = 0;
  return [...text.matchAll(AMOUNT)].flatMap(match => {
    const end = match.index + match[0].length;
    const before = text.slice(Math.max(from, match.index - 60), match.index);
    const after = text.slice(end, end + 40).split(/[.;!?](?:\s|$)|\bbut\b/)[0];
    from = end;
    if (
      /(?:limits?|requests?|reserved|quota|threshold|disk|storage|volume|database|nodes? with|increased|increases|grew|grows|rose|by)\W+(?:\w+\W+){0,2}$/i.test(
        before,
      ) ||
      /^\s*(?:RAM |memory )?(?:limit|request|node|machine|host|VM|each)/i.test(after)
    )
      return [];
    const of =
      aboutIn(before, 'last') ?? aboutIn(after ?? '', 'first') ?? (/memory/i.test(text) ? 'memory' : undefined);
    return of === undefined ? [] : level(of, bytesIn(`${match[1]}${match[2]}`), line, 'the text');
  });
}

/** The label that says most about whose sample it is. */
function subjectIn(labels: string): string {
  const found = ['pod', 'container', 'node', 'instance', 'job'].map(
    name => new RegExp(`(?:^|,\\s*)${name}="([^"]{1,253})"`).exec(labels)?.[1],
  );
  return found.find(value => value !== undefined) ?? '';
}

/** What a bare number counts, by the end of the name. */
function unitIn(name: string): number {
  if (/mi?b$/i.test(name)) return MIB;
  return /ki?b$/i.test(name) ? KIB : 1;
}

/** Numbers without a name: the output of a command that counts, one below the other or side by side. */
function readBareSeries(lines: readonly PasteLine[], at: number, text: string): LevelTable | undefined {
  const files = readFileCounts(lines, at, text);
  if (files !== undefined) return files;
  const row = /^((?:\d{1,12}(?:\.\d{1,6})?\s+){2,}\d{1,12}(?:\.\d{1,6})?)\s*([KMG]i?B)$/i.exec(text);
  if (row !== null) {
    const of = contextOf(lines, at) ?? 'memory';
    const levels = row[1]
      .trim()
      .split(/\s+/)
      .flatMap(digits => level(of, bytesIn(`${digits}${row[2]}`), lines[at], 'a row of numbers'));
    return COUNTED.has(of) ? undefined : { levels, notes: [], next: at + 1 };
  }
  if (!BARE.test(text)) return undefined;
  // The command first: looking at all numbers below each number would take the square of their count.
  const command = commandBefore(lines, at);
  const of = ofCommand(command);
  if (of === undefined) return undefined;
  const values: { readonly value: number; readonly line: PasteLine }[] = [];
  let next = at;
  for (; next < lines.length; next++) {
    const match = BARE.exec(lines[next].text.trim());
    if (match === null) break;
    values.push({ value: Number(match[1]), line: lines[next] });
  }
  const factor = of === 'resident' && /\bps\b|in KB/i.test(command) ? KIB : 1;
  const subject = /"\/?(?:[\w-]+\/)*([\w-]+)"|(?:pgrep|pidof|grep(?!\s+-\w*c))(?:\s+-\w+)*\s+["']?\^?([\w-]+)/.exec(
    command,
  );
  const name = subject?.[1] ?? subject?.[2] ?? '';
  // What two tools count is no course.
  const tool = /\b(?:lsof|netstat|ss|ls|ps|grep)\b/.exec(command.split('\n').at(-1) ?? '')?.[0] ?? 'a command';
  return {
    levels: values.flatMap(({ value, line }) => level(of, value * factor, line, `the output of ${tool}`, name)),
    notes: [],
    next,
  };
}

const FILE_COUNT = /^[\w./-]{1,200}:(\d{1,12})$/;

/** `grep -c '^goroutine' *.txt` prints a count for each file, in the order of their names. */
function readFileCounts(lines: readonly PasteLine[], at: number, text: string): LevelTable | undefined {
  if (!FILE_COUNT.test(text)) return undefined;
  const command = commandBefore(lines, at).split('\n').at(-1) ?? '';
  if (!/grep -\w*c\w*\s+["']?\^?goroutine\b/.test(command)) return undefined;
  const levels: Level[] = [];
  let next = at;
  for (; next < lines.length; next++) {
    const count = FILE_COUNT.exec(lines[next].text.trim());
    if (count === null) break;
    levels.push(...level('goroutines', Number(count[1]), lines[next], 'the output of grep'));
  }
  return { levels, notes: [], next };
}

const BARE = /^(\d{1,15})(?:\s*(?:<=|<-|#|\/\/).{0,200})?$/;

const MAX_LINES_ABOVE = 20;

function commandBefore(lines: readonly PasteLine[], at: number): string {
  const above: string[] = [];
  for (let i = at - 1; i >= Math.max(0, at - MAX_LINES_ABOVE) && above.length < 8; i--) {
    const text = lines[i].text.trim();
    if (text !== '') above.push(text);
    if (/^(?:[#$%]|\S*[#$%>] |.{0,80}[#$%] )/.test(text)) break;
  }
  return above.reverse().join('\n');
}

/** What a command counts. */
function ofCommand(command: string): LevelOf | undefined {
  if (/\brss\b/i.test(command) && /\bps\b/.test(command)) return 'resident';
  if (/\bps\b.*\b(?:nlwp|thcount)\b/.test(command.split('\n').at(-1) ?? '')) return 'threads';
  const counts = /wc -l|grep -c|uniq -c/.test(command);
  if (!counts) return undefined;
  const last = command.split('\n').at(-1) ?? '';
  if (/lsof|\/fd\b|ls .*fd/.test(last)) return 'file descriptors';
  if (/\bss\b|netstat|docker\.sock/.test(last)) return 'connections';
  // A state or a function is searched for: those are some of them.
  if (/grep -\w*c\w*\s/.test(last) && !/grep -\w*c\w*\s+["']?\^?goroutine/.test(last)) return undefined;
  if (/goroutine|debug=[12]|stacks/.test(last)) return 'goroutines';
  if (/\/task\b|ps .*-[LT]/.test(last)) return 'threads';
  return undefined;
}

/** What the lines before say that the numbers are. */
function contextOf(lines: readonly PasteLine[], at: number): LevelOf | undefined {
  for (let i = at - 1; i >= 0 && i >= at - 6; i--) {
    const of = levelOfWords(lines[i].text);
    if (of !== undefined) return of;
  }
  return undefined;
}
