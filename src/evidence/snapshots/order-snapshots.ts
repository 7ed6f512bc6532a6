/**
 * The order of the snapshots of one process: by the time in the file or in its name, else by the moments that their paths
 * name, else in the order in which the user gave them, else by the file's own time, which any copy changes.
 *
 *     given      1 a.txt        2 b.txt
 *     file time    12:00          10:00     a.txt was touched
 *     order        12:00          12:00:03
 */
import type { SnapshotOrder, Snapshot } from './snapshot.ts';
import { groupBy } from '../../base/group-by.ts';
import { fileName, folderOf, stemOf } from '../path-parts.ts';
import type { ReadSnapshot } from './read-member.ts';

/**
 * When a snapshot was taken: what its content says, else its name, else a view taken beside it, else its last garbage
 * collection, else the file's own time, which any copy may have changed.
 */
interface SnapshotTime {
  readonly seconds: number | undefined;
  readonly from: Snapshot['takenAtFrom'];
  readonly note: string | undefined;
}

/** A snapshot whose time is known, but not its process. */
export interface TimedSnapshot extends ReadSnapshot {
  readonly taken: SnapshotTime;
}

/** Files of one capture are at most this far apart; a folder that spans more does not date a file in it. */
const CAPTURE_SECONDS = 120;
/** No capture of one moment has more files. */
const MAX_SIBLINGS = 200;

export function withTimes(all: readonly ReadSnapshot[]): TimedSnapshot[] {
  const dated = all.filter(({ kind, times }) => times.content !== undefined && kind !== 'metrics');
  const siblings = groupBy(dated, ({ path }) => folderOf(path));
  return all.map(one => ({ ...one, taken: timeOf(one, siblings.get(folderOf(one.path)) ?? []) }));
}

function timeOf(one: ReadSnapshot, siblings: readonly ReadSnapshot[]): SnapshotTime {
  const { content, name, lastGc, file } = one.times;
  if (content !== undefined) return { seconds: content, from: 'content', note: undefined };
  if (name !== undefined) return { seconds: name, from: 'name', note: undefined };
  const sibling = one.kind === 'unknown' ? undefined : nearest(one, siblings);
  if (sibling !== undefined) {
    const note = `the time is that of ${fileName(sibling.path)} beside it`;
    return { seconds: sibling.times.content, from: 'content', note };
  }
  if (lastGc !== undefined) {
    return { seconds: lastGc, from: 'content', note: 'the time is that of the last garbage collection' };
  }
  if (file !== undefined) return { seconds: file, from: 'file', note: undefined };
  return { seconds: undefined, from: 'unknown', note: undefined };
}

/** The sibling whose name begins most like this one's: `goroutine.debug2.txt` beside `goroutine.pb.gz`. */
function nearest(one: ReadSnapshot, siblings: readonly ReadSnapshot[]): ReadSnapshot | undefined {
  if (siblings.length === 0 || siblings.length > MAX_SIBLINGS) return undefined;
  // `100k-goroutine.debug1.txt` was taken with `100k-goroutine.pb.gz`, whatever else is in the folder.
  const stem = stemOf(one.path);
  const alike = stem === '' ? [] : siblings.filter(sibling => stemOf(sibling.path) === stem);
  return nearestOf(one, alike) ?? nearestOf(one, siblings);
}

function nearestOf(one: ReadSnapshot, siblings: readonly ReadSnapshot[]): ReadSnapshot | undefined {
  if (siblings.length === 0) return undefined;
  const times = siblings.map(sibling => sibling.times.content ?? 0);
  if (Math.max(...times) - Math.min(...times) > CAPTURE_SECONDS) return undefined;
  const likeness = (sibling: ReadSnapshot): number =>
    sharedPrefix(fileName(one.path), fileName(sibling.path)) * 2 + (sibling.isDelta ? 0 : 1);
  return siblings.reduce((best, sibling) => (likeness(sibling) > likeness(best) ? sibling : best));
}

function sharedPrefix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

const EARLY = /^(?:before|start|begin|first|base|baseline|old)$/i;

const LATE = /^(?:after|end|finish|last|new)$/i;

const NUMBERED = /^(t|round|snap|snapshot|run|step|phase|dump|sample)[-_]?(\d{1,4})$/i;

/** More than two views of one instant are apart, and less than two views of one moment. */
const STEP_SECONDS = 3;

const MOVED = {
  paths: 'in the order that the names tell, which is not that of the times of the files',
  arguments: 'in the order given, which is not that of the times of the files',
} as const;

/** A snapshot in its place, and what the order of the undated ones rests on. */
export type PlacedSnapshot = TimedSnapshot & { readonly orderedBy: SnapshotOrder };

/** Sorted. A file's own time that contradicts the order is replaced. */
export function inOrder(members: readonly TimedSnapshot[]): PlacedSnapshot[] {
  const { ranks, orderedBy } = ranksOf(members);
  const levels = [...new Set(ranks.values())].sort((a, b) => a - b);
  const placed: { readonly one: TimedSnapshot; readonly at: number; readonly rank: number }[] = [];
  let floor = -Infinity;
  for (const level of levels) {
    const own = members.filter(one => ranks.get(one) === level);
    const later = members.filter(one => (ranks.get(one) ?? 0) > level);
    for (const one of own) {
      // Whatever has no time at all comes before everything later.
      const bounds = later.filter(other => isDated(other) || one.taken.seconds === undefined);
      const ceiling = least(bounds.map(secondsOf)) - STEP_SECONDS;
      const at = isDated(one) ? secondsOf(one) : Math.max(floor + STEP_SECONDS, Math.min(secondsOf(one), ceiling));
      placed.push({ one, at, rank: level });
    }
    for (const { at, rank } of placed) if (rank === level && Number.isFinite(at)) floor = Math.max(floor, at);
  }
  // Array.sort is stable: equal ones stay in the order of reading.
  placed.sort((a, b) => compare(a.at, b.at) || a.rank - b.rank);
  return placed.map(({ one, at }) => ({ ...moved(one, at, orderedBy), orderedBy }));
}

function moved(one: TimedSnapshot, at: number, orderedBy: SnapshotOrder): TimedSnapshot {
  const { seconds, from } = one.taken;
  if (from !== 'file' || at === seconds || !Number.isFinite(at) || orderedBy === 'file times') return one;
  return { ...one, taken: { seconds: at, from, note: MOVED[orderedBy] } };
}

function isDated({ taken }: TimedSnapshot): boolean {
  return taken.from === 'content' || taken.from === 'name';
}

/** Unknown times come last. */
function secondsOf({ taken }: TimedSnapshot): number {
  return taken.seconds ?? Infinity;
}

function least(values: readonly number[]): number {
  return values.reduce((min, value) => Math.min(min, value), Infinity);
}

/** The difference of two infinite values is no number. */
function compare(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

interface Ranks {
  readonly ranks: ReadonlyMap<TimedSnapshot, number>;
  readonly orderedBy: SnapshotOrder;
}

/** By the moments in their paths, if all of the undated have moments of one series; then by argument. */
function ranksOf(members: readonly TimedSnapshot[]): Ranks {
  const undated = members.filter(one => !isDated(one));
  const moments = new Map(undated.map(one => [one, momentInPath(one.path)]));
  const series = new Set([...moments.values()].map(moment => moment?.series));
  const areOrdered = series.size === 1 && !series.has(undefined);
  const momentAt = (one: TimedSnapshot): number => (areOrdered ? (moments.get(one)?.at ?? 0) : 0);
  const sorted = [...members].sort((a, b) => momentAt(a) - momentAt(b) || a.argument - b.argument);
  const ranks = new Map<TimedSnapshot, number>();
  let rank = 0;
  for (const [i, one] of sorted.entries()) {
    const before = sorted[i - 1];
    const isNext = before !== undefined && (before.argument !== one.argument || momentAt(before) !== momentAt(one));
    ranks.set(one, isNext ? ++rank : rank);
  }
  const named = new Set(undated.map(momentAt)).size > 1;
  const given = new Set(undated.map(one => one.argument)).size > 1;
  return { ranks, orderedBy: named ? 'paths' : given ? 'arguments' : 'file times' };
}

/** The moment that a path names without a date: `before/heap.pb.gz`, `t3/goroutine.txt`, `dump-2.txt`. */
interface Moment {
  /** Moments of one series have an order: t0 and t3, but not t0 and before. */
  readonly series: string;
  readonly at: number;
}

/** The file's own name first, then the folders, nearest first. */
export function momentInPath(path: string): Moment | undefined {
  for (const name of path.split('/').reverse()) {
    const found = [name, ...name.split(/[-_.]/)].map(momentOf).find(moment => moment !== undefined);
    // `dump-2` is a word and a number.
    const numbered = /(?:^|[-_.])([a-z]+[-_]?\d{1,4})(?=[-_.]|$)/i.exec(name)?.[1];
    const moment = found ?? (numbered === undefined ? undefined : momentOf(numbered));
    if (moment !== undefined) return moment;
  }
  return undefined;
}

function momentOf(word: string): Moment | undefined {
  if (EARLY.test(word)) return { series: 'before and after', at: 0 };
  if (LATE.test(word)) return { series: 'before and after', at: 1 };
  const [, series, number] = NUMBERED.exec(word) ?? [];
  return series === undefined ? undefined : { series: series.toLowerCase(), at: Number(number) };
}
