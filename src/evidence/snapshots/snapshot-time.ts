/**
 * When a snapshot was taken: what its content says, else its name, else a view taken beside it, else its last garbage
 * collection, else the file's own time, which any copy may have changed.
 */
import type { Snapshot } from '../../model/snapshot.ts';
import type { ReadSnapshot } from './read-member.ts';

export interface SnapshotTime {
  readonly seconds: number | undefined;
  readonly from: Snapshot['takenAtFrom'];
  readonly note: string | undefined;
}

/** Files of one capture lie within this; a folder that spans more does not tell the time of a file in it. */
const CAPTURE_SECONDS = 120;
/** No capture of one moment has more files. */
const MAX_SIBLINGS = 200;

export function snapshotTimes(all: readonly ReadSnapshot[]): SnapshotTime[] {
  const beside = siblings(all);
  return all.map(one => {
    const { content, name, lastGc, file } = one.times;
    if (content !== undefined) return { seconds: content, from: 'content', note: undefined };
    if (name !== undefined) return { seconds: name, from: 'name', note: undefined };
    const sibling = one.kind === 'unknown' ? undefined : nearest(one, beside.get(folderOf(one.path)) ?? []);
    if (sibling !== undefined) {
      const note = `the time is that of ${fileOf(sibling.path)} beside it`;
      return { seconds: sibling.times.content, from: 'content', note };
    }
    if (lastGc !== undefined) {
      return { seconds: lastGc, from: 'content', note: 'the time is that of the last garbage collection' };
    }
    if (file !== undefined) return { seconds: file, from: 'file', note: undefined };
    return { seconds: undefined, from: 'unknown', note: undefined };
  });
}

function siblings(all: readonly ReadSnapshot[]): Map<string, ReadSnapshot[]> {
  const byFolder = new Map<string, ReadSnapshot[]>();
  for (const one of all) {
    if (one.times.content === undefined || one.kind === 'metrics') continue;
    const folder = folderOf(one.path);
    const list = byFolder.get(folder);
    if (list === undefined) byFolder.set(folder, [one]);
    else list.push(one);
  }
  return byFolder;
}

/** The sibling whose name begins most like this one's: `goroutine.debug2.txt` beside `goroutine.pb.gz`. */
function nearest(one: ReadSnapshot, beside: readonly ReadSnapshot[]): ReadSnapshot | undefined {
  if (beside.length > MAX_SIBLINGS) return undefined;
  const times = beside.map(sibling => sibling.times.content ?? 0);
  if (beside.length === 0 || Math.max(...times) - Math.min(...times) > CAPTURE_SECONDS) return undefined;
  const shared = (sibling: ReadSnapshot): number =>
    sharedPrefix(fileOf(one.path), fileOf(sibling.path)) * 2 + (sibling.isDelta ? 0 : 1);
  return beside.reduce((best, sibling) => (shared(sibling) > shared(best) ? sibling : best));
}

function sharedPrefix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

function fileOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
