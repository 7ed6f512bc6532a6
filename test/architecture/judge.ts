/** Applies all rules to one tree. */
import { arrowsOf } from './graph/graph.ts';
import type { Tree } from './read/tree.ts';
import type { Records } from './records.ts';
import { arrowTable, tableDifferences } from './rules/arrows.ts';
import { cycleOffences } from './rules/cycles.ts';
import { unusedExceptions } from './rules/exceptions.ts';
import { layerOffences } from './rules/layers.ts';
import { loadingOffences } from './rules/loading.ts';
import { nameOffences } from './rules/names.ts';
import type { Offence } from './rules/offence.ts';
import { packageOffences, unusedPackages } from './rules/packages.ts';
import { productionOffences } from './rules/production.ts';
import { purityOffences } from './rules/purity.ts';
import { sizeOffences, staleSizes } from './rules/sizes.ts';

export interface Judgement {
  /** Offences that are not in the records. */
  readonly offences: readonly Offence[];
  /** Where the records, or the tables in rules/, differ from the sources. */
  readonly differences: readonly string[];
}

/** `isEntry` adds files that are needed without being imported. */
export function judge(tree: Tree, records: Records, isEntry: (path: string) => boolean = () => false): Judgement {
  const arrows = arrowsOf(tree);
  const offences = [
    ...layerOffences(tree, arrows),
    ...packageOffences(tree),
    ...loadingOffences(tree),
    ...purityOffences(tree),
    ...cycleOffences(arrows),
    ...sizeOffences(tree, records.longFiles),
    ...nameOffences(tree),
    ...productionOffences(tree, arrows, isEntry),
  ];
  const keys = new Set(offences.map(({ key }) => key));
  return {
    offences: offences.filter(offence => !isKnown(offence, records.known)),
    differences: [
      ...tableDifferences(arrowTable(tree, arrows), records.arrows),
      ...records.known.filter(key => !keys.has(key)).map(key => `known.txt lists what is fixed: ${key}`),
      ...staleSizes(tree, records.longFiles),
      ...unusedExceptions(tree).map(text => `rules/exceptions.ts: ${text}`),
      ...unusedPackages(tree).map(text => `rules/packages.ts: ${text}`),
    ],
  };
}

/** A cycle is also known if it is part of a known one. */
function isKnown({ key }: Offence, known: readonly string[]): boolean {
  if (key === undefined) return false;
  if (known.includes(key)) return true;
  const [level, ...members] = key.split(' ');
  if (level !== 'files' && level !== 'folders') return false;
  return known.some(line => {
    const names = new Set(line.split(' '));
    return names.has(level) && members.every(member => names.has(member));
  });
}
