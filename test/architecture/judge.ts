/** Applies all rules to one tree. */
import { arrowsOf } from './graph.ts';
import { type Known, outdated, unknownOffences } from './known.ts';
import type { Offence } from './offence.ts';
import type { Tree } from './read/tree.ts';
import { cycleOffences } from './rules/cycles.ts';
import { isExcused, unusedExceptions } from './rules/exceptions.ts';
import { loadingOffences } from './rules/loading.ts';
import { nameOffences } from './rules/names.ts';
import { packageOffences, unusedPackages } from './rules/packages.ts';
import { purityOffences } from './rules/purity.ts';
import { roomOffences, type Rooms, unusedArrows } from './rules/rooms.ts';
import { sizeOffences } from './rules/sizes.ts';
import { useOffences } from './rules/uses.ts';

/** `isNeeded` adds files that are needed without being imported. */
export function offencesIn(tree: Tree, rooms: Rooms, isNeeded: (path: string) => boolean = () => false): Offence[] {
  const arrows = arrowsOf(tree);
  return [
    ...roomOffences(tree, arrows, rooms),
    ...packageOffences(tree),
    ...loadingOffences(tree),
    ...purityOffences(tree),
    ...cycleOffences(arrows),
    ...sizeOffences(tree),
    ...nameOffences(tree),
    ...useOffences(tree, arrows, isNeeded),
    ...Array.from(tree).flatMap(([path, { source }]) => {
      const found = source?.found.filter(({ what }) => !isExcused(path, what)) ?? [];
      return found.map(one => ({ ...one, path }));
    }),
  ];
}

export interface Judgement {
  /** Offences beyond those in records/known.txt. */
  readonly offences: readonly Offence[];
  /** Where known.txt, the table of rooms, or the tables in rules/ list what is not there any more. */
  readonly differences: readonly string[];
}

export function judge(tree: Tree, rooms: Rooms, known: Known): Judgement {
  const all = offencesIn(tree, rooms);
  return {
    offences: unknownOffences(all, known),
    differences: [
      ...unusedArrows(rooms, arrowsOf(tree)),
      ...outdated(all, known),
      ...unusedExceptions(tree).map(text => `rules/exceptions.ts: ${text}`),
      ...unusedPackages(tree).map(text => `rules/packages.ts: ${text}`),
    ],
  };
}
