/**
 * When a snapshot was taken: what its content says, else its name, else a view taken beside it, else its last garbage
 * collection, else the file's own time, which any copy may have changed.
 */
import { groupBy } from '../../base/group-by.ts';
import type { Snapshot } from './snapshot.ts';
import { fileName, folderOf, stemOf } from '../path-parts.ts';
import type { ReadSnapshot } from './read-member.ts';

export interface SnapshotTime {
  readonly seconds: number | undefined;
  readonly from: Snapshot['takenAtFrom'];
  readonly note: string | undefined;
}

/** A snapshot whose time is known, but not its process. */
export interface TimedSnapshot extends ReadSnapshot {
  readonly taken: SnapshotTime;
}

/** Files of one capture lie within this; a folder that spans more does not date a file in it. */
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
