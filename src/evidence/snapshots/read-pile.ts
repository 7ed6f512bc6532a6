/**
 * Reads a pile of evidence.
 *
 *     const pile = await readPile(source.read(paths), { families });
 *     pile.snapshots      every input with its kind, process and time
 *     pile.viewGroups     the views of each moment, and which of them counts come from
 *
 * The bytes of a member are dropped before the next one is read.
 */
import { type PileItem, type UnreadFile, readMembers } from '../pile.ts';
import type { Snapshot } from './snapshot.ts';
import { assignSnapshots, type TargetHints } from './assign-snapshots.ts';
import { type ViewGroup, groupViews } from './merge-views.ts';
import type { GateRecord, LoggedKill } from './read-context.ts';
import type { Paste } from '../formats/paste/paste.ts';
import { type MemberOptions, readMember, type ReadSnapshot } from './read-member.ts';

export interface ReadPileOptions extends MemberOptions, TargetHints {}

/** A paste, and the target that its evidence is of. */
export interface FiledPaste {
  readonly path: string;
  readonly target: string;
  readonly paste: Paste;
}

export interface Pile {
  readonly snapshots: readonly Snapshot[];
  readonly viewGroups: readonly ViewGroup[];
  readonly unread: readonly UnreadFile[];
  /** What logs tell of processes that were killed for memory. */
  readonly kills?: readonly LoggedKill[];
  /** What a gate decided; undefined without one, or with several. */
  readonly gate?: GateRecord | undefined;
  readonly pastes?: readonly FiledPaste[];
}

export async function readPile(items: AsyncIterable<PileItem>, options: ReadPileOptions = {}): Promise<Pile> {
  const read: ReadSnapshot[] = [];
  const unread = await readMembers(items, member => void read.push(...readMember(member, options)));
  return pileOf(read, unread, options);
}

/** Assigns processes and times to the snapshots and groups the views of each moment. */
export function pileOf(read: readonly ReadSnapshot[], unread: readonly UnreadFile[], hints: TargetHints): Pile {
  const snapshots = assignSnapshots(read, hints);
  const kills = read.flatMap(({ context }) => context?.kills ?? []);
  const gates = read.flatMap(({ context }) => context?.gate ?? []);
  return {
    snapshots,
    viewGroups: groupViews(snapshots),
    unread,
    kills,
    gate: gates.length === 1 ? gates[0] : undefined,
    pastes: read.flatMap(({ path, paste }) =>
      paste === undefined ? [] : [{ path, target: targetOf(path, snapshots), paste }],
    ),
  };
}

function targetOf(path: string, snapshots: readonly Snapshot[]): string {
  return snapshots.find(one => one.path === path && one.kind === 'text')?.process.target ?? '';
}
