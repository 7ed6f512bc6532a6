/**
 * Tables of numbers that people paste, by their header.
 *
 *     PID USER  PR NI VIRT  RES   SHR S %CPU %MEM TIME+ COMMAND       top, also busybox's
 *     USER PID %CPU %MEM VSZ RSS TTY STAT START TIME COMMAND          ps, with any columns; `ps aux` without a header
 *     NAME CPU(cores) MEMORY(bytes)                                   kubectl top, with and without a header
 *     CONTAINER ID NAME CPU % MEM USAGE / LIMIT ...                   docker stats
 *     Address Kbytes RSS Dirty Mode Mapping                           pmap -x and -X
 *     Name: kubelet / VmRSS: 85699360 kB / Threads: 362               /proc/PID/status, smaps_rollup
 *     Mem: 16000 9000 2000 / anon 1, file 2                           free, memory.stat of a cgroup
 *     container 5747 root *040u a_inode 0,13 0 9259 [eventfd]         lsof
 *     Limits: / memory: 512Mi / Reason: OOMKilled                     kubectl describe
 *     Time,kubelet worker-1                                           Grafana's CSV
 */
import { NO_STAMP, parseStamp } from '../log-stamp.ts';
import { bytesIn, countIn, type Level, type LevelOf, WHOLE_NODE } from './level.ts';
import type { PasteLine } from './unwrap.ts';

export interface LevelTable {
  readonly levels: readonly Level[];
  readonly notes: readonly string[];
  readonly next: number;
}

type Subject = Pick<Level, 'subject' | 'isPod'>;

const KIB = 1024;
const MAX_ROWS = 20_000;

export function readLevelTable(lines: readonly PasteLine[], at: number): LevelTable | undefined {
  const text = lines[at].text.trim();
  if (text === '') return undefined;
  return (
    readColumns(lines, at, text) ??
    readKubectlTop(lines, at) ??
    readDockerStats(lines, at) ??
    readProcStatus(lines, at) ??
    readPmap(lines, at, text) ??
    readLsof(lines, at) ??
    readDescribe(lines, at) ??
    readCsv(lines, at, text) ??
    readFree(lines, at, text) ??
    readCgroup(lines, at) ??
    readTopRows(lines, at) ??
    readPsRows(lines, at)
  );
}

function cells(text: string): string[] {
  return text.trim().split(/\s+/);
}

function level(of: LevelOf, value: number | undefined, line: PasteLine, from: string, subject: Subject): Level[] {
  if (value === undefined || !(value >= 0) || value > 2 ** 53) return [];
  return [{ kind: 'level', of, value, ...subject, stamp: line.stamp, line: line.number, from }];
}

/** `/usr/bin/containerd --config x` -> `containerd`; `\_ ps` -> `ps`. */
function processName(command: string): string {
  const [first = ''] = command.replace(/^[\\_|` -]*(?=[\w/[(])/, '').split(/\s+/);
  return first.slice(first.lastIndexOf('/') + 1).replace(/^[[({]|[\])}:]$/g, '');
}

/** The tools that print these tables are in them, and say nothing. */
const TOOLS: ReadonlySet<string> = new Set([
  'ps',
  'top',
  'bash',
  'sh',
  'grep',
  'awk',
  'watch',
  'sed',
  'sleep',
  'pause',
  'less',
  'htop',
]);

/** top and ps: columns are named in a header that has a column of resident memory. */
function readColumns(lines: readonly PasteLine[], at: number, text: string): LevelTable | undefined {
  if (text.length > 400) return undefined;
  const names = cells(text.toUpperCase().replaceAll('(SHR)', 'SHR'));
  const resident = names.findIndex(name => name === 'RES' || name === 'RSS');
  const command = names.findIndex(name => /^(?:COMMAND|CMD|COMM|ARGS)$/.test(name));
  if (resident < 0 || command < 0 || (!names.includes('PID') && names.length > 3)) return undefined;
  const isTop = names[resident] === 'RES';
  const virtual = names.findIndex(name => name === 'VIRT' || name === 'VSZ');
  const levels: Level[] = [];
  let next = at + 1;
  for (let i = at + 1; i < lines.length && i < at + MAX_ROWS; i++) {
    const row = lines[i].text.trim();
    if (row === '') {
      if (lines[i].isFence && levels.length > 0) break;
      continue;
    }
    const found = cells(row.replace(/\*\*/g, ''));
    if (found.length <= command) break;
    const value = bytesIn(found[resident] ?? '', KIB);
    if (value === undefined || /^[A-Z%]+$/.test(found[0])) break;
    next = i + 1;
    const subject = { subject: processName(found.slice(command).join(' ')), isPod: false };
    if (TOOLS.has(subject.subject)) continue;
    const from = isTop ? 'top' : 'ps';
    levels.push(...level('resident', value, lines[i], from, subject));
    if (virtual >= 0) levels.push(...level('virtual', bytesIn(found[virtual] ?? '', KIB), lines[i], from, subject));
  }
  return { levels, notes: levels.length === 0 ? ['a table of processes without a row'] : [], next };
}

/** `root 6941 4.5 41.8 3681268 3354264 ? Sl Apr30 727:30 calico-felix` */
const PS_AUX = /^\S+\s+\d+\s+\d+\.\d+\s+\d+\.\d+\s+(\d+)\s+(\d+)\s+\S+\s+[A-Z]\S*\s+\S+\s+[\d:-]+\s+(.+)$/;

function readPsRows(lines: readonly PasteLine[], at: number): LevelTable | undefined {
  const levels: Level[] = [];
  let next = at;
  for (; next < lines.length && next < at + MAX_ROWS; next++) {
    const row = PS_AUX.exec(lines[next].text.trim());
    if (row === null) break;
    const subject = { subject: processName(row[3]), isPod: false };
    if (TOOLS.has(subject.subject)) continue;
    levels.push(...level('resident', Number(row[2]) * KIB, lines[next], 'ps', subject));
    levels.push(...level('virtual', Number(row[1]) * KIB, lines[next], 'ps', subject));
  }
  return next === at ? undefined : { levels, notes: [], next };
}

/** `22991 root 20 0 28.2g 13.1g 23268 S 90.2 19.1 17415:15 kubelet`: rows of top without their header. */
const TOP_PROCESS =
  /^\d+\s+\S+\s+(?:-?\d+|rt)\s+-?\d+\s+([\d.]+[kmgt]?)\s+([\d.]+[kmgt]?)\s+[\d.]+[kmgt]?\s+[RSDZTIt]\s+[\d.]+\s+[\d.]+\s+[\d:.]+\s+(\S.*)$/;

function readTopRows(lines: readonly PasteLine[], at: number): LevelTable | undefined {
  const levels: Level[] = [];
  let next = at;
  for (; next < lines.length && next < at + MAX_ROWS; next++) {
    const row = TOP_PROCESS.exec(lines[next].text.trim());
    if (row === null) break;
    const subject = { subject: processName(row[3]), isPod: false };
    if (TOOLS.has(subject.subject)) continue;
    levels.push(...level('resident', bytesIn(row[2], KIB), lines[next], 'top', subject));
    levels.push(...level('virtual', bytesIn(row[1], KIB), lines[next], 'top', subject));
  }
  return next === at ? undefined : { levels, notes: [], next };
}

/** `free`, in KiB or the unit of -m, -g or -h: what the whole node uses. */
function readFree(lines: readonly PasteLine[], at: number, text: string): LevelTable | undefined {
  if (!/^total\s+used\s+free\b/.test(text)) return undefined;
  const row = /^Mem:\s+(\S+)\s+(\S+)/.exec(lines[at + 1]?.text.trim() ?? '');
  if (row === null) return undefined;
  const command = lines
    .slice(Math.max(0, at - 3), at)
    .map(line => line.text)
    .join(' ');
  const total = countIn(row[1]) ?? Infinity;
  // Without its command: no node has less than 1 GiB in KiB, or 1 GiB in MiB.
  const unit =
    /\bfree .*-\w*g/.test(command) || total < 1024
      ? 1024 ** 3
      : /\bfree .*-\w*m/.test(command) || total < 1024 ** 2 / 2
        ? 1024 ** 2
        : KIB;
  const subject = { subject: WHOLE_NODE, isPod: false };
  const [line] = lines.slice(at + 1);
  const levels = [
    ...level('memory', bytesIn(row[2], unit), line, 'free', subject),
    ...level('limit', bytesIn(row[1], unit), line, 'free', subject),
  ];
  return { levels, notes: [], next: at + 2 };
}

const CGROUP: Readonly<Record<string, LevelOf>> = {
  anon: 'anonymous',
  total_rss: 'anonymous',
  rss: 'anonymous',
  file: 'file pages',
  total_cache: 'file pages',
  cache: 'file pages',
};
const CGROUP_LINE = /^([a-z_]{2,40}) (\d{1,18})$/;

/** memory.stat of a cgroup, version 1 or 2. */
function readCgroup(lines: readonly PasteLine[], at: number): LevelTable | undefined {
  // It begins where such lines begin: the others of a long list would be read again from each of them.
  if (at > 0 && CGROUP_LINE.test(lines[at - 1].text.trim())) return undefined;
  const levels: Level[] = [];
  const seen = new Set<string>();
  let next = at;
  for (; next < lines.length && next < at + 200; next++) {
    const row = CGROUP_LINE.exec(lines[next].text.trim());
    if (row === null) break;
    const of = CGROUP[row[1]];
    if (of === undefined || seen.has(of)) continue;
    seen.add(of);
    levels.push(...level(of, Number(row[2]), lines[next], 'memory.stat', { subject: '', isPod: false }));
  }
  return next - at < 3 || levels.length === 0 ? undefined : { levels, notes: [], next };
}

const TOP_HEADER = /^(?:NAMESPACE\s+)?(?:POD\s+)?NAME\s+CPU\(cores\)\s+(?:CPU%\s+)?MEMORY\(bytes\)/i;
/** One or two names before the numbers; a node has percentages. */
const TOP_ROW =
  /^(?:(\S+)\s+)?(?:(\S+)\s+)?([a-z0-9][\w.-]*)\s+\d+m?\s+(?:\d+%\s+)?(\d+(?:Ki|Mi|Gi|M|G)?)(?:\s+\d+%)?$/;

function readKubectlTop(lines: readonly PasteLine[], at: number): LevelTable | undefined {
  const header = TOP_HEADER.test(lines[at].text.trim()) ? lines[at].text.trim().toUpperCase() : undefined;
  const hasContainers = header?.includes('POD') === true;
  const levels: Level[] = [];
  let next = header === undefined ? at : at + 1;
  for (; next < lines.length && next < at + MAX_ROWS; next++) {
    const text = lines[next].text.trim();
    if (text === '' && !lines[next].isFence && levels.length > 0) continue;
    const row = TOP_ROW.exec(text);
    if (row === null || (header === undefined && !/[KMG]i$/.test(text.replace(/\s+\d+%$/, '')))) break;
    // Only nodes have percentages.
    const subject = /\d%/.test(text)
      ? { subject: `${WHOLE_NODE} ${row[3]}`, isPod: false }
      : hasContainers
        ? { subject: `${row[2] ?? row[1] ?? ''}/${row[3]}`, isPod: true }
        : { subject: row[3], isPod: true };
    levels.push(...level('working set', bytesIn(row[4]), lines[next], 'kubectl top', subject));
  }
  if (levels.length > 0) return { levels, notes: [], next };
  return header === undefined ? undefined : { levels, notes: ['a table of kubectl top without a row'], next };
}

/** crictl stats has no limit. */
const CRICTL_ROW = /^[0-9a-f]{12,64}\s+(\S+)\s+[\d.]+\s+([\d.]+\s?[kKMG]?i?B)\s+[\d.]+\s?[kKMG]?i?B\s+\d+$/;
const STATS_ROW =
  /^(?:[0-9a-f]{12,64}\s+)?(\S+)\s+[\d.]+%\s+([\d.]+\s?[KMG]?i?B)\s*\/\s*([\d.]+\s?[KMG]?i?B)\s+[\d.]+%/;

function readDockerStats(lines: readonly PasteLine[], at: number): LevelTable | undefined {
  const isHeader = /^CONTAINER\b.*(?:MEM USAGE|CPU %\s+MEM\s+DISK)/.test(lines[at].text.trim());
  const levels: Level[] = [];
  let next = isHeader ? at + 1 : at;
  for (; next < lines.length && next < at + MAX_ROWS; next++) {
    const row = STATS_ROW.exec(lines[next].text.trim());
    const crictl = row === null ? CRICTL_ROW.exec(lines[next].text.trim()) : null;
    if (crictl !== null) {
      const container = { subject: crictl[1], isPod: false };
      levels.push(...level('working set', bytesIn(crictl[2]), lines[next], 'crictl stats', container));
      continue;
    }
    if (row === null) break;
    const subject = { subject: row[1], isPod: false };
    levels.push(...level('working set', bytesIn(row[2]), lines[next], 'docker stats', subject));
    levels.push(...level('limit', bytesIn(row[3]), lines[next], 'docker stats', subject));
  }
  return levels.length === 0 && !isHeader ? undefined : { levels, notes: [], next };
}

const PROC_FIELDS: Readonly<Record<string, LevelOf>> = {
  VmRSS: 'resident',
  RssAnon: 'anonymous',
  RssFile: 'file pages',
  VmHWM: 'peak resident',
  VmSize: 'virtual',
  Rss: 'resident',
  Pss_Anon: 'anonymous',
  Anonymous: 'anonymous',
  Pss_File: 'file pages',
};
const PROC_LINE = /^(\w{2,20}):\s+(\d{1,15}) kB$/;
const PROC_OTHER =
  /^(?:Umask|State|Tgid|Ngid|Pid|PPid|TracerPid|Uid|Gid|FDSize|Groups|NSpid|NStgid|Vm\w+|Rss\w+|Threads|Sig\w+|Shd\w+|Cap\w+|Seccomp|Speculation\w*|Cpus_\w+|Mems_\w+|voluntary_\w+|nonvoluntary_\w+|CoreDumping|THP_enabled|NoNewPrivs|HugetlbPages|Name|Pss\w*|Shared_\w+|Private_\w+|Referenced|Anonymous|LazyFree|AnonHugePages|Swap\w*|Locked|KernelPageSize|MMUPageSize|Size|Shmem\w*|File\w+):/;

/** /proc/PID/status and smaps_rollup; a line or two of them are enough. */
function readProcStatus(lines: readonly PasteLine[], at: number): LevelTable | undefined {
  if (
    !/^(?:Name:\s+\S|Vm(?:RSS|HWM|Size|Peak):\s|Rss(?:Anon|File)?:\s+\d+ kB|Pss:\s+\d+ kB|Threads:\s+\d)/.test(
      lines[at].text.trim(),
    )
  )
    return undefined;
  let subject: Subject = { subject: '', isPod: false };
  const found = new Map<LevelOf, Level>();
  let next = at;
  let hasMemory = false;
  for (; next < lines.length && next < at + 120; next++) {
    const text = lines[next].text.trim();
    if (text === '') {
      if (lines[next].isFence && found.size > 0) break;
      continue;
    }
    if (!PROC_OTHER.test(text) && PROC_LINE.exec(text) === null) break;
    const name = /^Name:\s+(\S.*)$/.exec(text);
    if (name !== null) {
      if (found.size > 0) break;
      subject = { subject: processName(name[1]), isPod: false };
    }
    const field = PROC_LINE.exec(text);
    const of = field === null ? undefined : PROC_FIELDS[field[1]];
    if (of !== undefined && !found.has(of))
      for (const one of level(of, Number(field?.[2]) * KIB, lines[next], '/proc', subject)) found.set(of, one);
    if (of !== undefined) hasMemory = true;
    const threads = /^Threads:\s+(\d+)$/.exec(text);
    if (threads !== null)
      for (const one of level('threads', Number(threads[1]), lines[next], '/proc', subject)) found.set('threads', one);
  }
  if (found.size === 0 || (!hasMemory && next - at < 2)) return undefined;
  return { levels: [...found.values()], notes: [], next };
}

/** Rows of a map, added up; `total kB 110 20 4` has the sum. */
function readPmap(lines: readonly PasteLine[], at: number, text: string): LevelTable | undefined {
  const sumOnly = /^total kB\s+\d+\s+(\d+)\s+\d+$/i.exec(text);
  if (sumOnly !== null) {
    const levels = level('resident', Number(sumOnly[1]) * KIB, lines[at], 'pmap', { subject: '', isPod: false });
    return { levels, notes: [], next: at + 1 };
  }
  if (!/^Address\s.*\bRSS\b/i.test(text)) return undefined;
  const names = cells(text.toUpperCase());
  const column = names.indexOf('RSS');
  const owner = /^\d+:\s+(\S+)/.exec(lines[at - 1]?.text.trim() ?? '')?.[1] ?? '';
  const subject = { subject: processName(owner), isPod: false };
  let sum = 0;
  let total: number | undefined;
  let next = at + 1;
  for (; next < lines.length && next < at + MAX_ROWS; next++) {
    const row = lines[next].text.trim();
    const whole = /^total kB\s+\d+\s+(\d+)/i.exec(row);
    if (whole !== null) {
      total = Number(whole[1]);
      next++;
      break;
    }
    if (!/^[0-9a-f]{6,16}\s/.test(row) && !/^[-=\s]*$/.test(row)) break;
    sum += countIn(cells(row)[column] ?? '') ?? 0;
  }
  const notes =
    total === undefined
      ? ['pmap was pasted without its total: what is resident is at least the rows that are here']
      : [];
  return { levels: level('resident', (total ?? sum) * KIB, lines[at], 'pmap', subject), notes, next };
}

const LSOF_ROW =
  /^(\S+)\s+\d+\s+(?:\d+\s+\S+\s+)?\S+\s+[*]?\w+\s+(?:a_inode|IPv4|IPv6|unix|REG|DIR|CHR|FIFO|sock|netlink|0000)\b.*?(\S+|\[\w+\])$/;

/** How many lines of what; the whole is never pasted. */
function readLsof(lines: readonly PasteLine[], at: number): LevelTable | undefined {
  const kinds = new Map<string, number>();
  let next = at;
  let owner = '';
  for (; next < lines.length && next < at + MAX_ROWS; next++) {
    const row = LSOF_ROW.exec(lines[next].text.trim());
    if (row === null) break;
    owner ||= row[1];
    kinds.set(row[2], (kinds.get(row[2]) ?? 0) + 1);
  }
  if (next - at < 2) return undefined;
  const [[kind, count]] = [...kinds].sort(([, a], [, b]) => b - a);
  const subject = { subject: owner, isPod: false };
  return {
    levels: level('file descriptors', next - at, lines[at], 'lsof', subject),
    notes: [`${next - at} lines of lsof, ${count} of them ${kind}: there may be more`],
    next,
  };
}

/** kubectl describe: limits, restarts and why the last one ended. */
function readDescribe(lines: readonly PasteLine[], at: number): LevelTable | undefined {
  if (!/^(?:Limits:|Last State:|Restart Count:|Reason:\s+OOMKilled|Containers:)/.test(lines[at].text.trim()))
    return undefined;
  const levels: Level[] = [];
  const notes: string[] = [];
  const subject = { subject: '', isPod: false };
  let next = at;
  let inLimits = false;
  for (; next < lines.length && next < at + 200; next++) {
    const text = lines[next].text.trim();
    if (text === '' || lines[next].isFence) {
      if (lines[next].isFence && next > at) break;
      continue;
    }
    if (!/^[\w ()/.-]{1,60}:/.test(text)) break;
    if (text.startsWith('Limits:')) inLimits = true;
    else if (text.startsWith('Requests:')) inLimits = false;
    const memory = /^memory:\s+(\S+)$/.exec(text);
    if (memory !== null && inLimits)
      levels.push(...level('limit', bytesIn(memory[1]), lines[next], 'kubectl describe', subject));
    const restarts = /^Restart Count:\s+(\d+)$/.exec(text);
    if (restarts !== null)
      levels.push(...level('restarts', Number(restarts[1]), lines[next], 'kubectl describe', subject));
    if (/^Reason:\s+OOMKilled$/.test(text)) notes.push('its last container was OOM-killed');
  }
  return levels.length + notes.length === 0 ? undefined : { levels, notes, next };
}

/** What a column or a metric is about, by the words in its name. */
export function levelOfWords(text: string): LevelOf | undefined {
  return LEVEL_WORDS.find(([words]) => words.test(text))?.[1];
}

const LEVEL_WORDS: readonly (readonly [RegExp, LevelOf])[] = [
  [/goroutine/i, 'goroutines'],
  [/thread/i, 'threads'],
  [/\bfds?\b|descriptor|open.?files|_fds\b/i, 'file descriptors'],
  [/working.?set/i, 'working set'],
  [/resident|\brss\b|_rss\b/i, 'resident'],
  [/heap.?inuse|heap in use/i, 'heap in use'],
  [/heap.?idle/i, 'heap idle'],
  [/heap.?released/i, 'heap released'],
  [/heap.?objects|live objects/i, 'heap objects'],
  [/heap.?(?:alloc|live)|live heap|inuse.?space|alloc_bytes|\balloc\b|heap (?:size|memory)/i, 'live heap'],
  [/mem(?:ory)?(?:.?(?:usage|used|mib|mb|bytes))|cur_mem/i, 'memory'],
];

const MAX_CSV_HEADER = 64 * 1024;

/** `Time,name` and rows of a time and numbers. */
function readCsv(lines: readonly PasteLine[], at: number, text: string): LevelTable | undefined {
  if (!/^"?(?:time|timestamp|date)\b/i.test(text) || text.length > MAX_CSV_HEADER) return undefined;
  // The frame of a Markdown table has become spaces.
  const split = splitCsv(text).length > 1 ? splitCsv : splitColumns;
  const names = split(text);
  if (names.length < 2 || names.length > 200) return undefined;
  const levels: Level[] = [];
  let next = at + 1;
  for (; next < lines.length && next < at + MAX_ROWS; next++) {
    if (next === at + 1 && split === splitColumns && lines[next].text === '') continue;
    const row = split(lines[next].text.trim());
    if (row.length !== names.length) break;
    const stamp = stampOf(row[0]);
    names.slice(1).forEach((name, i) => {
      // A column named after a pod holds memory if its cells have a unit of bytes.
      const isAmount = /^[\d.]+ ?[KMGT]i?B$/.test(row[i + 1] ?? '');
      const named = levelOfWords(name);
      const of = named ?? (isAmount ? 'memory' : undefined);
      const value = of === undefined ? undefined : bytesIn(row[i + 1]);
      const label = /(?:pod|instance|node|container)="?([\w.:-]+)/.exec(name)?.[1];
      const subject = { subject: label ?? (named === undefined ? name : ''), isPod: named === undefined };
      if (of !== undefined) levels.push(...level(of, value, { ...lines[next], stamp }, 'CSV', subject));
    });
  }
  return next === at + 1
    ? undefined
    : { levels, notes: levels.length === 0 ? ['no column of the CSV is named after what it counts'] : [], next };
}

function splitColumns(text: string): string[] {
  return text.split(/(?<!\s)\s{2,}/);
}

function splitCsv(text: string): string[] {
  if (!/[,;]/.test(text)) return [];
  const separator = text.includes(';') && !text.includes(',') ? ';' : ',';
  return (
    text.match(separator === ';' ? /"(?:[^"]|"")*"|[^;]+|(?<=;)(?=;|$)/g : /"(?:[^"]|"")*"|[^,]+|(?<=,)(?=,|$)/g) ?? []
  ).map(cell =>
    cell
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .replaceAll('""', '"'),
  );
}

function stampOf(text: string): Level['stamp'] {
  const number = Number(text);
  if (number > 1e12 && number < 1e13) return { kind: 'instant', seconds: number / 1000 };
  if (number > 1e9 && number < 1e10) return { kind: 'instant', seconds: number };
  const stamp = parseStamp(text);
  return stamp.kind === 'none' ? NO_STAMP : stamp;
}
