/**
 * What numbers read with other tools say about a process, as far as they decide anything.
 *
 *     resident 7.7 GiB, live heap 2.2 GiB      most of it is no live heap
 *     anonymous 81.7 GiB of 81.7 GiB           not files, which the kernel takes back
 *     93,696 then 93,806 then 93,927           grows
 *     38 MiB ... 190 MiB, 190 MiB, 190 MiB     rose, and stays
 */
import { formatAmount, formatShare } from '../../base/say.ts';
import {
  COUNTED,
  KILLED_BY_KERNEL,
  isWholeNode,
  type Level,
  type LevelOf,
} from '../../evidence/formats/paste/level.ts';
import { fetchCommand, productOfPod, productOfProcess } from '../../knowledge/product.ts';
import type { TargetFacts } from '../../knowledge/preconditions.ts';
import type { ShownEvidence } from '../analysis.ts';
import { groupBy } from '../../base/group-by.ts';

const MAX_SUBJECTS = 3;
const MIB = 1024 ** 2;
/** What is told first where nothing else matters more. */
const FIRST: readonly LevelOf[] = [
  'resident',
  'working set',
  'memory',
  'live heap',
  'goroutines',
  'file descriptors',
  'connections',
  'threads',
  'anonymous',
  'file pages',
  'heap in use',
  'heap idle',
  'heap released',
  'heap objects',
  'runtime memory',
  'limit',
  'restarts',
  'peak resident',
  'virtual',
];
const MEMORY: readonly LevelOf[] = ['resident', 'working set', 'memory', 'anonymous'];
function byImportance(a: LevelOf, b: LevelOf): number {
  return FIRST.indexOf(a) - FIRST.indexOf(b);
}

/** From here on a count is worth a remark by itself. */
const MANY: Partial<Record<LevelOf, number>> = {
  goroutines: 10_000,
  'file descriptors': 10_000,
  threads: 1000,
  connections: 10_000,
};

/** An explanation, and how much it decides: 3 ends the question, 2 is a course or a count that says something, 1 is a level. */
export interface Weighed {
  readonly shown: ShownEvidence;
  readonly weight: 1 | 2 | 3;
}

/** One explanation for each process, the one that matters first. */
export function explainLevels(
  path: string,
  levels: readonly Level[],
  heapBytes: number | undefined,
  facts: TargetFacts,
): Weighed[] {
  const groups = [...groupBy(levels, ({ subject }) => subject)].map(([subject, own]) => ({ subject, own }));
  const nameless = groups.find(({ subject }) => subject === '');
  const named = groups.filter(({ subject }) => subject !== '').sort((a, b) => weight(b.own) - weight(a.own));
  // Numbers without a name are of the process that has one, if there is only one.
  const isOnly = named.length === 1 && !isWholeNode(named[0].subject);
  if (nameless !== undefined && isOnly) named[0].own = [...named[0].own, ...nameless.own];
  const all = nameless !== undefined && !isOnly ? [...named.slice(0, MAX_SUBJECTS - 1), nameless] : named;
  return all
    .slice(0, MAX_SUBJECTS)
    .map(({ subject, own }, i) =>
      explainProcess(path, subject, own, i === 0 ? heapBytes : undefined, facts, i > 0 && subject !== ''),
    );
}

/** Programs that are known before others, and then the larger one. */
function weight(levels: readonly Level[]): number {
  const [{ subject, isPod }] = levels;
  const known = productOf(subject, isPod) === undefined ? 0 : 1e15;
  return known + Math.max(...levels.map(({ of, value }) => (COUNTED.has(of) ? value : value)));
}

function productOf(subject: string, isPod: boolean): string | undefined {
  const [pod = '', container] = subject.split('/');
  const product =
    (container === undefined ? undefined : productOfProcess(container)) ??
    (isPod ? productOfPod(pod) : productOfProcess(pod));
  return product?.name;
}

function explainProcess(
  path: string,
  subject: string,
  levels: readonly Level[],
  heapBytes: number | undefined,
  facts: TargetFacts,
  isNeighbour: boolean,
): Weighed {
  const own = productOf(
    subject,
    levels.some(({ isPod }) => isPod),
  );
  // The text is about one of several processes at most.
  const component = own ?? (isNeighbour ? undefined : facts.component);
  const byKind = groupBy(levels, ({ of }) => of);
  // Counts of several tools differ in what they miss: the largest is nearest.
  const last = (of: LevelOf): number | undefined => {
    const own = byKind.get(of);
    return own === undefined
      ? undefined
      : COUNTED.has(of)
        ? Math.max(...own.map(({ value }) => value))
        : own.at(-1)?.value;
  };
  // What two tools say at about the same time is no course.
  const series = [...byKind].flatMap(([of, own]) =>
    [...groupBy(own, ({ from }) => from).values()].map(one => ({ of, own: one })),
  );
  const courses = series.flatMap(({ of, own }) =>
    courseOf(
      of,
      own.map(({ value }) => value),
      value => says(of, value),
    ),
  );
  const held = outsideHeap(last, heapBytes);
  const isNode = isWholeNode(subject);
  const many = [...byKind.keys()].sort(byImportance).flatMap(of => manyText(of, last(of) ?? 0));
  const near = limitText(last('working set') ?? last('resident') ?? last('memory'), last('limit'), isNode);
  const single = [...byKind]
    .sort(([a], [b]) => byImportance(a, b))
    .flatMap(([of, own]) => {
      const different = new Set(own.map(({ value }) => says(of, value)));
      return series.some(one => one.of === of && one.own.length > 1) ? [] : [`${of} ${[...different].join(' or ')}`];
    });
  const killed = levels.some(({ from }) => from === KILLED_BY_KERNEL) ? ['the kernel killed it for memory'] : [];
  const all = single.length === 0 ? [] : [single.join(', ')];
  const shows = [...all, ...killed, ...courses, ...held.says, ...many, ...near];
  const name = isNode ? subject : (component ?? subject);
  const from = [...new Set(levels.map(level => level.from))].join(', ');
  const telling = courses.find(text => !text.includes('no trend'));
  const headline =
    (held.isOutside ? (manyText('goroutines', last('goroutines') ?? 0)[0] ?? held.headline) : undefined) ??
    courses.find(text => / grows? /.test(text)) ??
    many[0] ??
    held.headline ??
    telling ??
    killed[0] ??
    near[0] ??
    courses[0] ??
    `${isNode ? `${subject}: ` : ''}${single.slice(0, 2).join(', ')}`;
  const shown: ShownEvidence = {
    path,
    line: levels[0].line,
    what: `numbers${name === '' ? '' : ` of ${subject === '' || subject === name ? name : `${name} (${subject})`}`}, from ${from}`,
    headline,
    shows,
    lacks: [
      ...(telling !== undefined ? [] : [GROWS[courses.some(text => text.includes('samples are')) ? 'waves' : 'few']]),
      isNode ? 'which process it is' : unnamed(last, heapBytes),
    ],
    matches: [],
    decides: isNode
      ? { why: 'the processes that use most', command: 'ps -eo rss,pid,comm --sort=-rss | head' }
      : decidesOf(component, last, held.isOutside),
  };
  return {
    shown,
    weight: held.headline !== undefined ? 3 : telling !== undefined || many.length > 0 || killed.length > 0 ? 2 : 1,
  };
}

const GROWS = {
  few: 'whether it grows: that takes three samples or more, some minutes apart',
  waves: 'whether it grows: what comes and goes takes more samples, over a longer time',
};

/** What numbers never say about a process. */
function unnamed(last: (of: LevelOf) => number | undefined, heapBytes: number | undefined): string {
  const hasMemory = MEMORY.some(of => last(of) !== undefined);
  return hasMemory && heapBytes === undefined && last('live heap') === undefined
    ? 'whose memory it is: numbers name no code'
    : 'which code it is';
}

function says(of: LevelOf, value: number): string {
  return formatAmount(COUNTED.has(of) ? 'count' : 'bytes', value);
}

function manyText(of: LevelOf, value: number): string[] {
  const isMany = value >= (MANY[of] ?? Infinity);
  return isMany ? [`${says(of, value)} ${of}: far more than a program has that ends what it starts`] : [];
}

function limitText(used: number | undefined, limit: number | undefined, isNode: boolean): string[] {
  if (used === undefined || limit === undefined || limit === 0) return [];
  if (isNode) return [`the whole node uses ${says('limit', used)} of ${says('limit', limit)}`];
  return [`${says('limit', used)} is ${formatShare(used / limit)} of its limit`];
}

function decidesOf(
  component: string | undefined,
  last: (of: LevelOf) => number | undefined,
  isOutside: boolean,
): ShownEvidence['decides'] {
  // So many goroutines have stacks that the live heap does not count.
  const hasMany = (last('goroutines') ?? 0) >= (MANY.goroutines ?? Infinity);
  if (isOutside && !hasMany && last('anonymous') === undefined)
    return {
      why: 'anonymous memory against pages of files',
      command: 'grep -E "^(Rss|VmRSS|VmSwap)" /proc/$PID/status',
    };
  if ((last('file descriptors') ?? 0) >= 1000 || (last('connections') ?? 0) >= 1000)
    return {
      why: 'what the descriptors are',
      command: `ls -l /proc/$PID/fd | awk '{print $NF}' | sed 's/[0-9][0-9]*/N/g' | sort | uniq -c | sort -rn | head`,
    };
  const isGoroutines = last('goroutines') !== undefined || last('threads') !== undefined;
  return isGoroutines
    ? {
        why: 'the stacks of its goroutines',
        command: fetchCommand(component, 'debug/pprof/goroutine?debug=2', 'goroutines.txt'),
      }
    : {
        why: 'its live heap against what is resident',
        command: fetchCommand(component, 'debug/pprof/heap', 'heap-1.pb.gz'),
      };
}

/** The course of three numbers or more; two are told, and are no trend. */
function courseOf(of: LevelOf, values: readonly number[], say: (value: number) => string): string[] {
  if (of === 'virtual' || of === 'limit' || of === 'peak resident' || values.length < 2) return [];
  const s = /s$/.test(of) ? '' : 's';
  const [first, last] = [values[0], values[values.length - 1]];
  if (values.length === 2 && say(first) === say(last)) return [`${of} stay${s} at ${say(last)} in 2 samples`];
  if (values.length === 2) return [`${of} ${say(first)}, then ${say(last)}: two points are no trend`];
  const rises = values.filter((value, i) => i > 0 && value > values[i - 1]).length;
  const falls = values.filter((value, i) => i > 0 && value < values[i - 1]).length;
  const spread = Math.max(...values) - Math.min(...values);
  const ends = `${say(first)} to ${say(last)} in ${values.length} samples`;
  if (spread <= Math.abs(first) * 0.02 && !(rises >= values.length - 1 && COUNTED.has(of)))
    return [`${of} stay${s} at ${say(last)} in ${values.length} samples`];
  const late = values.slice(Math.floor(values.length * 0.6));
  const lateSpread = Math.max(...late) - Math.min(...late);
  if (values.length >= 6 && lateSpread <= spread * 0.15 && last > first)
    return [`${of} rose from ${say(first)} and stay${s} at ${say(last)} in ${values.length} samples`];
  if (falls === 0 && rises >= values.length / 2) return [`${of} grow${s} in each sample: ${ends}`];
  if (rises > 0 && falls > 0 && falls >= (values.length - 1) / 4)
    return [
      `${of} ${s === '' ? 'come and go' : 'comes and goes'} between ${say(Math.min(...values))} and ${say(Math.max(...values))}: ${values.length} samples are no trend`,
    ];
  return [last > first ? `${of} grow${s}: ${ends}` : `${of} fall${s}: ${ends}`];
}

interface OutsideHeap {
  readonly says: readonly string[];
  readonly headline: string | undefined;
  readonly isOutside: boolean;
}

/** Resident memory that the live heap does not explain, and what the runtime has given back. */
function outsideHeap(last: (of: LevelOf) => number | undefined, tableBytes: number | undefined): OutsideHeap {
  const bytes = (value: number): string => formatAmount('bytes', value);
  const resident = last('resident') ?? last('working set') ?? last('memory');
  const heap = tableBytes ?? last('live heap') ?? last('heap in use');
  const [anonymous, files, idle, released] = [
    last('anonymous'),
    last('file pages'),
    last('heap idle'),
    last('heap released'),
  ];
  const says: string[] = [];
  let headline: string | undefined;
  let isOutside = false;
  if (resident !== undefined && heap !== undefined && resident > heap * 2 && resident - heap > 64 * MIB) {
    isOutside = true;
    headline = `${bytes(resident)} resident against ${bytes(heap)} of live heap: most of it is no live heap, so a leak of the heap does not explain it`;
    says.push(
      `${headline}; it is memory that the runtime has not given back, stacks of goroutines, memory of cgo or mmap, or page cache`,
    );
  } else if (heap !== undefined && heap <= 20 * MIB && resident === undefined) {
    headline = `only ${bytes(heap)} of live heap: memory that grows is not in the Go heap`;
    says.push(headline);
  }
  if (anonymous !== undefined && files !== undefined && anonymous + files > 64 * MIB) {
    const share = anonymous / (anonymous + files);
    says.push(
      share > 0.5
        ? `${formatShare(share)} of what is resident is anonymous memory, which the kernel cannot take back; ${bytes(files)} are pages of files`
        : `${formatShare(1 - share)} of what is resident are pages of files, which the kernel takes back`,
    );
  }
  if (idle !== undefined && released !== undefined && idle > 16 * MIB) {
    says.push(
      released >= idle * 0.8
        ? `the runtime has given back ${bytes(released)} of the ${bytes(idle)} that it does not use`
        : `the runtime keeps ${bytes(idle - released)} that it does not use`,
    );
  }
  return { says, headline, isOutside };
}
