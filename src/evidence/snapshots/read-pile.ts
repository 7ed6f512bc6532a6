/**
 * A pile of evidence, read and assigned to processes and times.
 *
 *     const pile = await readPile(source.read(paths), { families });
 *     pile.snapshots      every input with its kind, process and time
 *     pile.viewGroups        views of one moment together, and which of them to count by
 *
 * The bytes of a member are dropped before the next one is read.
 */
import { readMembers } from '../pile/read-members.ts';
import type { PileItem, UnreadFile } from '../../model/pile.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { type AssignOptions, assignSnapshots } from './assign-snapshots.ts';
import { type ViewGroup, groupViews } from './merge-views.ts';
import { type MemberOptions, readMember, type ReadSnapshot } from './read-member.ts';

export interface ReadPileOptions extends MemberOptions, AssignOptions {}

export interface Pile {
  readonly snapshots: readonly Snapshot[];
  readonly viewGroups: readonly ViewGroup[];
  readonly unread: readonly UnreadFile[];
}

export async function readPile(items: AsyncIterable<PileItem>, options: ReadPileOptions = {}): Promise<Pile> {
  const read: ReadSnapshot[] = [];
  const unread = await readMembers(items, member => void read.push(...readMember(member, options)));
  return pileOf(read, unread, options);
}

/** Snapshots with their processes and times, and views of one moment together. */
export function pileOf(read: readonly ReadSnapshot[], unread: readonly UnreadFile[], options: AssignOptions): Pile {
  const snapshots = assignSnapshots(read, options);
  return { snapshots, viewGroups: groupViews(snapshots), unread };
}
