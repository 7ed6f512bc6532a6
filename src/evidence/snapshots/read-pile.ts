/**
 * A pile of evidence, read and assigned to processes and times.
 *
 *     const pile = await readPile(source.read(paths), { families });
 *     pile.snapshots      every input with its kind, process and time
 *     pile.viewGroups        views of one moment together, and which of them to count by
 *
 * The bytes of a member are dropped before the next one is read.
 */
import { FormatError } from '../../base/errors.ts';
import type { PileItem } from '../../model/pile.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { type AssignOptions, assignSnapshots } from './assign-snapshots.ts';
import { type ViewGroup, groupViews } from './merge-views.ts';
import { type MemberOptions, readMember, type ReadSnapshot } from './read-member.ts';

export interface ReadPileOptions extends MemberOptions, AssignOptions {
  /** Called after each input, for a progress line. */
  readonly onRead?: (path: string) => void;
}

/** Why an input could not be read, in one line. */
export interface UnreadInput {
  readonly path: string;
  readonly message: string;
}

export interface Pile {
  readonly snapshots: readonly Snapshot[];
  readonly viewGroups: readonly ViewGroup[];
  readonly unread: readonly UnreadInput[];
}

export async function readPile(items: AsyncIterable<PileItem>, options: ReadPileOptions = {}): Promise<Pile> {
  const read: ReadSnapshot[] = [];
  const unread: UnreadInput[] = [];
  for await (const item of items) {
    if (item.kind === 'problem') {
      unread.push({ path: item.path, message: item.message });
      continue;
    }
    tryRead(item.path, unread, () => void read.push(...readMember(item, options)), item.damage);
    options.onRead?.(item.path);
  }
  return pileOf(read, unread, options);
}

/** Snapshots with their processes and times, and views of one moment together. */
export function pileOf(read: readonly ReadSnapshot[], unread: readonly UnreadInput[], options: AssignOptions): Pile {
  const snapshots = assignSnapshots(read, options);
  return { snapshots, viewGroups: groupViews(snapshots), unread };
}

/** One input that cannot be read costs a line, not the others. */
export function tryRead(path: string, unread: UnreadInput[], read: () => void, damage?: string): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const message = error instanceof FormatError ? error.describe() : error.message;
    unread.push({ path, message: damage === undefined ? message : `${damage}; ${message}` });
  }
}
