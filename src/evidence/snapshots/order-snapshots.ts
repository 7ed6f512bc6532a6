/**
 * The order of the snapshots of one process: by the time in the file or in its name, else by the moments that their paths
 * name, else in the order in which the user gave them, else by the file's own time, which any copy changes.
 *
 *     given      1 a.txt        2 b.txt
 *     file time    12:00          10:00     a.txt was touched
 *     order        12:00          12:00:03
 */
import type { SnapshotOrder } from './snapshot.ts';
import type { TimedSnapshot } from './snapshot-time.ts';

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
