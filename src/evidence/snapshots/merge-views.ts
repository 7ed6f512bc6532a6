/**
 * Views of one moment: a goroutine profile taken as debug=0, 1 and 2 within seconds is one observation in three forms.
 * All are kept, since only debug=2 has states and only the others have labels; counts come from one of them.
 */
import type { Snapshot, SnapshotKind } from './snapshot.ts';
import { folderOf } from '../path-parts.ts';

export interface ViewGroup {
  readonly kind: SnapshotKind;
  readonly processKey: string;
  readonly takenAtSeconds: number | undefined;
  readonly views: readonly Snapshot[];
  /** The view that counts come from: whole before cut, grouped by the runtime before text, the newest of equals. */
  readonly counted: Snapshot;
}

/** A debug=2 dump of a large process can take this long. */
const SAME_MOMENT_SECONDS = 30;
/** Two profiles of one format that are closer and about equal show one moment: the time between them is no interval. */
const SAME_INSTANT_SECONDS = 10;
/** `goroutine` and `goroutineleak` both list all goroutines at debug=2. */
const SAME_COPY_SECONDS = 2;

const OPEN_MOMENTS = 16;

const STACK_KINDS: ReadonlySet<SnapshotKind> = new Set([
  'goroutine',
  'goroutineleak',
  'heap',
  'allocs',
  'threadcreate',
]);
const FORMAT_ORDER = ['pprof', 'debug1', 'heap-text', 'debug2'];

/** The groups of each process and kind, in time order. Deltas are left out: they show changes, not what is in use. */
export function groupViews(snapshots: readonly Snapshot[]): ViewGroup[] {
  const open = new Map<string, Snapshot[][]>();
  for (const snapshot of snapshots) {
    if (!STACK_KINDS.has(snapshot.kind) || snapshot.isDelta) continue;
    const key = `${snapshot.process.key}\0${snapshot.kind}`;
    const groups = open.get(key) ?? [];
    if (groups.length === 0) open.set(key, groups);
    // Snapshots come in time order, so only the last moments can still grow.
    const group = groups.slice(-OPEN_MOMENTS).find(views => isSameMoment(views, snapshot));
    if (group === undefined) groups.push([snapshot]);
    else group.push(snapshot);
  }
  return [...open.values()].flatMap(groups => groups.map(toViewGroup));
}

/**
 * Views of one moment lie in one folder. Two of the same format are two moments, unless they are seconds apart and about
 * equal, or one of two heap profiles collected first, which makes the other superfluous.
 */
function isSameMoment(views: readonly Snapshot[], snapshot: Snapshot): boolean {
  const [first] = views;
  if (first === undefined || folderOf(first.path) !== folderOf(snapshot.path)) return false;
  const isRepeat = views.some(view => view.format === snapshot.format);
  if (first.takenAtSeconds === undefined || snapshot.takenAtSeconds === undefined) return !isRepeat;
  const distance = Math.abs(first.takenAtSeconds - snapshot.takenAtSeconds);
  if (!isRepeat || isFresher(views, snapshot)) return distance <= SAME_MOMENT_SECONDS;
  // The dates of files are those of a copy, which takes two dumps of different moments within a second.
  const isDated = (one: Snapshot): boolean => one.takenAtFrom === 'content' || one.takenAtFrom === 'name';
  const isKnown = isDated(snapshot) && isDated(first);
  if (!isKnown && snapshot.format !== 'debug2') return false;
  const most = isKnown ? SAME_INSTANT_SECONDS : SAME_COPY_SECONDS;
  return distance <= most && views.some(view => isAlike(view, snapshot));
}

/** Whether two profiles hold about as much: before and after a leak they differ by more. */
function isAlike(a: Snapshot, b: Snapshot): boolean {
  const [x, y] = [a.families?.total ?? 0, b.families?.total ?? 0];
  return Math.abs(x - y) <= Math.max(3, 0.01 * Math.max(x, y));
}

/** Whether one of two heap profiles collected first and the other did not. */
function isFresher(views: readonly Snapshot[], snapshot: Snapshot): boolean {
  const same = views.filter(view => view.format === snapshot.format);
  return snapshot.kind === 'heap' && same.every(view => isForced(view) !== isForced(snapshot));
}

function isForced({ collection }: Snapshot): boolean {
  return collection?.isForced === true;
}

function toViewGroup(views: readonly Snapshot[]): ViewGroup {
  const rank = (view: Snapshot): number =>
    FORMAT_ORDER.indexOf(view.format) +
    (isForced(view) ? 0 : 0.5) +
    (view.truncated === undefined ? 0 : FORMAT_ORDER.length);
  const counted = views.reduce((best, view) => (rank(view) <= rank(best) ? view : best));
  const { kind, process, takenAtSeconds } = counted;
  return { kind, processKey: process.key, takenAtSeconds, views, counted };
}
