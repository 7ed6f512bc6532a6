/**
 * What a table of functions says: what is in it, who holds most of it, and what only stacks or a second profile can say.
 *
 *     1.78 GiB of 3.18 GiB (56 %) in go-metrics.newExpDecaySampleHeap     the leaf
 *     sarama.(*client).updateMetadata is in 500 MiB (15 %)                the first code that is not a library's
 */
import { formatAmount, formatBytes, formatShare, formatSeconds } from '../../base/say.ts';
import type { FunctionRow, FunctionTable } from '../../evidence/formats/paste/function-table.ts';
import { causeOf } from '../../knowledge/cause-of.ts';
import type { KnownLeak } from '../../knowledge/known-leak.ts';
import type { Match } from '../../knowledge/known-leak-match.ts';
import { matchFamily, matchFunctions } from '../../knowledge/match.ts';
import type { TargetFacts } from '../../knowledge/preconditions.ts';
import { fetchCommand, productOfFrames } from '../../knowledge/product.ts';
import { normaliseFrame } from '../../profile/families/normalise.ts';
import { isSharedFrame } from '../../profile/families/shared-packages.ts';
import type { ShownEvidence } from '../analysis.ts';

type Kind = 'live heap' | 'allocations' | 'heap' | 'goroutines' | 'cpu' | 'contention' | 'counts';

/** A heap this small cannot be what fills a node. */
const SMALL_HEAP_BYTES = 20 * 1024 ** 2;
const MAX_LEADERS = 3;
const MAX_OWNERS = 4;

/** `tables` are of one type, in their order; the last one is explained, the first is what it is compared with. */
export function explainFunctions(
  path: string,
  tables: readonly FunctionTable[],
  facts: TargetFacts,
  catalogue: readonly KnownLeak[],
): ShownEvidence {
  const table = tables[tables.length - 1];
  const kind = kindOf(table);
  const names = table.rows.map(({ name }) => normaliseFrame(name));
  const component = facts.component ?? productOfFrames(names)?.name;
  const family = kind === 'goroutines' ? 'goroutine' : 'heap';
  const isHeapOrGoroutines = kind !== 'cpu' && kind !== 'contention' && kind !== 'allocations';
  const matches = isHeapOrGoroutines ? matchesOf(table, names, family, { ...facts, component }, catalogue) : [];
  const [best] = matches;
  const known =
    best === undefined || best.grade === 'possible' ? undefined : `it looks like ${best.ref}: ${best.title}`;
  const total = table.total;
  const leaders = leadersIn(table);
  const held = leaders.map(row => rowText(table, row, 'flat'));
  const ownerRows = ownersIn(table);
  const owners = ownerRows.map(row => rowText(table, row, 'cum'));
  const shows = [
    ...(total === undefined ? [] : [totalText(kind, table, total)]),
    ...(held.length === 0 ? [] : [`${leadersText(table, leaders)} ${held.join(', ')}`]),
    ...(owners.length === 0 ? [] : [`under ${owners.join(', ')}`]),
    ...causesOf(table, family),
    ...growthOf(tables),
    ...table.notes,
  ];
  return {
    path,
    line: table.line,
    what: whatText(table, kind, component),
    headline: known ?? `${headlineOf(table, kind, leaders, ownerRows, total)}${mayBe(best)}`,
    shows,
    lacks: lacksOf(table, kind, tables.length),
    matches,
    decides: {
      why:
        kind === 'goroutines'
          ? 'the stacks, and how long each has waited'
          : 'two heap profiles with stacks, ten minutes apart',
      command: fetchCommand(
        component,
        kind === 'goroutines' ? 'debug/pprof/goroutine?debug=2' : 'debug/pprof/heap',
        kind === 'goroutines' ? 'goroutines.txt' : 'heap-1.pb.gz',
      ),
    },
  };
}

function mayBe(match: Match | undefined): string {
  return match === undefined || match.affected === 'fixed' || match.affected === 'not-affected'
    ? ''
    : `; it may be ${match.ref}`;
}

const MAX_MATCHED_STACKS = 200;

/** By the largest stacks, where there are some. */
function matchesOf(
  { stacks }: FunctionTable,
  names: readonly string[],
  kind: 'heap' | 'goroutine',
  facts: TargetFacts,
  catalogue: readonly KnownLeak[],
): readonly Match[] {
  if (stacks.length === 0) return matchFunctions(kind, names, facts, catalogue);
  const largest = [...stacks].sort((a, b) => b.value - a.value).slice(0, MAX_MATCHED_STACKS);
  const found = new Map<string, Match>();
  for (const { frames } of largest) {
    const stack = {
      kind,
      frames: frames.map(name => normaliseFrame(name)),
      creators: [],
      states: [],
      grows: undefined,
    };
    for (const match of matchFamily(stack, facts, catalogue)) if (!found.has(match.id)) found.set(match.id, match);
  }
  return [...found.values()].slice(0, 3);
}

/** Those with the largest values; what is under a hundredth of the first says nothing. */
function leadersIn({ rows }: FunctionTable): FunctionRow[] {
  const size = ({ flat = 0 }: FunctionRow): number => Math.abs(flat);
  const ranked = [...rows].sort((a, b) => size(b) - size(a)).slice(0, MAX_LEADERS);
  return ranked.filter(row => size(row) > size(ranked[0]) / 100);
}

function leadersText({ isDiff, total }: FunctionTable, leaders: readonly FunctionRow[]): string {
  if (isDiff) return leaders.length === 1 ? 'the largest difference is in' : 'the largest differences are in';
  const sum = leaders.reduce((all, { flat = 0 }) => all + flat, 0);
  if (total !== undefined && sum >= total / 2) return 'most is in';
  return leaders.length === 1 ? 'the largest is' : 'the largest are';
}

function kindOf({ report, sampleType, unit, rows }: FunctionTable): Kind {
  // Stacks that sort and uniq counted are those of a dump.
  if (report === 'counts') return 'goroutines';
  if (/^inuse_|^inuse$/.test(sampleType)) return 'live heap';
  if (/^alloc_/.test(sampleType)) return 'allocations';
  if (/goroutine/.test(sampleType)) return 'goroutines';
  if (/^(?:cpu|samples|wall)$/.test(sampleType)) return 'cpu';
  if (/^(?:contentions|delay)$/.test(sampleType)) return 'contention';
  if (unit === 'bytes') return 'heap';
  if (unit === 'nanoseconds') return 'cpu';
  return rows.some(({ name }) => /^runtime\.(?:gopark|selectgo|chanrecv|semacquire|netpollblock)/.test(name))
    ? 'goroutines'
    : 'counts';
}

const KIND_WORDS: Readonly<Record<Kind, string>> = {
  'live heap': 'the live heap',
  allocations: 'everything allocated since the start',
  heap: 'the heap profile',
  goroutines: 'goroutines',
  cpu: 'CPU time',
  contention: 'waits for locks',
  counts: 'counts',
};

function whatText(
  { report, sampleType, binary, rows }: FunctionTable,
  kind: Kind,
  component: string | undefined,
): string {
  const name = component ?? binary;
  const of = name === '' ? '' : ` of ${name}`;
  const type = sampleType === '' ? '' : ` (${sampleType})`;
  const what =
    report === 'traces' || report === 'raw'
      ? `pprof -${report}`
      : report === 'counts'
        ? 'a count of stacks'
        : `pprof -${report}`;
  return `${what}: ${formatAmount('count', rows.length)} ${rows.length === 1 ? 'function' : 'functions'} by ${KIND_WORDS[kind]}${type}${of}`;
}

function amount({ unit }: FunctionTable, value: number): string {
  if (unit === 'nanoseconds') return formatSeconds(Number((value / 1e9).toPrecision(3)));
  return unit === 'bytes' ? formatBytes(value) : formatAmount('count', value);
}

function rowText(table: FunctionTable, { name, flat = 0, cum = 0 }: FunctionRow, column: 'flat' | 'cum'): string {
  const value = column === 'flat' ? flat : cum;
  const share = table.total === undefined || table.total === 0 ? '' : `, ${formatShare(value / table.total)}`;
  return `${name} (${amount(table, value)}${share})`;
}

function totalText(kind: Kind, table: FunctionTable, total: number): string {
  const text = amount(table, total);
  if (table.isDiff) return `shares are of ${text}: a difference does not show how much there is in all`;
  switch (kind) {
    case 'live heap':
      return total <= SMALL_HEAP_BYTES && table.unit === 'bytes'
        ? `${text} of live heap in all: too little to fill a node, so memory that grows is outside the Go heap`
        : `${text} of live heap in all`;
    case 'heap':
      return total <= SMALL_HEAP_BYTES
        ? `${text} in all: too little to fill a node; whether it is in use or was allocated since the start, the paste does not say`
        : `${text} in all; whether it is in use or was allocated since the start, the paste does not say`;
    case 'allocations':
      return `${text} allocated since the start, most of it freed long ago: this says what makes garbage, not what is kept`;
    case 'goroutines':
      return `${text} goroutines in all`;
    case 'cpu':
    case 'contention':
    case 'counts':
      return `${text} in all`;
  }
}

/** Code that is not a library's, by what is under it: the leaf is mostly the allocator's or the scheduler's. */
function ownersIn({ rows, total }: FunctionTable): FunctionRow[] {
  const least = (total ?? Math.max(0, ...rows.map(({ cum = 0 }) => cum))) * 0.02;
  return rows
    .filter(
      ({ name, cum = 0, flat = 0 }) =>
        cum > flat && cum >= least && !isSharedFrame(normaliseFrame(name)) && !/^main\.main$|^\S*\.main$/.test(name),
    )
    .sort((a, b) => (b.cum ?? 0) - (a.cum ?? 0))
    .slice(0, MAX_OWNERS);
}

/** What is known about the functions that lead: `runtime.malg` means goroutines. */
function causesOf({ rows, total, stacks }: FunctionTable, kind: 'heap' | 'goroutine'): string[] {
  const candidates =
    stacks.length > 0
      ? stacks.slice(0, MAX_LEADERS).map(({ frames }) => frames)
      : rows.slice(0, MAX_LEADERS).map(({ name }) => [name]);
  const found = new Map<string, string>();
  for (const frames of candidates) {
    const share =
      stacks.length > 0 || total === undefined
        ? 1
        : Math.abs(rows.find(({ name }) => name === frames[0])?.flat ?? 0) / total;
    if (share < 0.1) continue;
    const cause = causeOf({
      kind,
      frames: frames.map(name => normaliseFrame(name)),
      states: new Map(),
      creators: new Map(),
      waitMinutes: undefined,
    });
    if (cause !== undefined && !found.has(cause.id)) found.set(cause.id, `${cause.title}: ${cause.meaning}`);
  }
  return [...found.values()];
}

/** What rose most from the first table to the last one. */
function growthOf(tables: readonly FunctionTable[]): string[] {
  const [first, last] = [tables[0], tables[tables.length - 1]];
  if (last.isDiff)
    return ['it is a difference of two profiles: what is positive has grown, what is negative has shrunk'];
  if (tables.length < 2) return [];
  const before = new Map(first.rows.map(({ name, flat = 0 }) => [name, flat]));
  const rises = last.rows
    .flatMap(({ name, flat = 0 }) => {
      const was = before.get(name);
      return was === undefined || flat <= was ? [] : [{ name, was, flat }];
    })
    .sort((a, b) => b.flat - b.was - (a.flat - a.was))
    .slice(0, MAX_LEADERS);
  const totals =
    first.total !== undefined && last.total !== undefined
      ? [`in all ${amount(last, first.total)}, then ${amount(last, last.total)}`]
      : [];
  return [
    ...totals,
    ...rises.map(({ name, was, flat }) => `${name}: ${amount(last, was)}, then ${amount(last, flat)}`),
  ];
}

function lacksOf({ report, isDiff, rows }: FunctionTable, kind: Kind, count: number): string[] {
  const lacks: string[] = [];
  if (report !== 'traces' && report !== 'raw')
    lacks.push('who calls these functions: a table of functions has no stacks');
  if (count === 1 && !isDiff && kind !== 'cpu' && kind !== 'contention')
    lacks.push('whether it grows: one profile shows what is there');
  if (kind === 'cpu') lacks.push('what is in use: a CPU profile says nothing about memory');
  if (kind === 'allocations') lacks.push('what is in use: that is inuse_space');
  if (kind === 'goroutines') lacks.push('how long they have waited');
  if (rows.length === 0) lacks.push('its functions');
  return lacks;
}

/** What a profile of this kind cannot say, after the function that leads. */
const NO_WORD_OF: Readonly<Partial<Record<Kind, string>>> = {
  cpu: 'a CPU profile shows what runs, not what is kept',
  contention: 'it shows who waits for locks, not what is kept',
  allocations: 'it shows what makes garbage, not what is kept',
};

function headlineOf(
  table: FunctionTable,
  kind: Kind,
  leaders: readonly FunctionRow[],
  owners: readonly FunctionRow[],
  total: number | undefined,
): string {
  if (table.isDiff) return differenceText(table, leaders);
  if (kind === 'live heap' && total !== undefined && total <= SMALL_HEAP_BYTES && table.unit === 'bytes')
    return `only ${amount(table, total)} of live heap: memory that grows is not in the Go heap`;
  const leads = leadText(table, kind, leaders[0], owners[0]);
  const what = leads ?? (total === undefined ? 'a table of functions' : totalText(kind, table, total));
  return `${what}; ${NO_WORD_OF[kind] ?? 'whether it grows, one profile cannot say'}`;
}

function differenceText(table: FunctionTable, leaders: readonly FunctionRow[]): string {
  const [first] = leaders.filter(({ flat = 0 }) => flat > 0);
  return first === undefined
    ? 'a difference of two profiles in which nothing that was pasted has grown'
    : `${rowText(table, first, 'flat')} has grown most between the two profiles`;
}

/** The leaf that holds most, or the code above many leaves of which none holds much. */
function leadText(
  table: FunctionTable,
  kind: Kind,
  leaf: FunctionRow | undefined,
  owner: FunctionRow | undefined,
): string | undefined {
  const isOwner =
    owner !== undefined && (leaf === undefined || kind === 'goroutines' || (owner.cum ?? 0) > 3 * (leaf.flat ?? 0));
  const row = isOwner ? owner : leaf;
  if (row === undefined) return undefined;
  const text = rowText(table, row, isOwner ? 'cum' : 'flat');
  // list and peek show what was asked for.
  if (table.rows.length === 1) return `${text} is the only function of ${KIND_WORDS[kind]} that was pasted`;
  const value = (isOwner ? row.cum : row.flat) ?? 0;
  const isMost = table.total !== undefined && value >= table.total / 2;
  const where = `${isOwner ? 'under' : 'in'} ${text}`;
  if (kind === 'goroutines') return `${isMost ? 'most goroutines are' : 'the largest group of goroutines is'} ${where}`;
  return `${isMost ? 'most' : 'the largest part'} of ${KIND_WORDS[kind]} is ${where}`;
}
