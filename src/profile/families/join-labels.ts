/**
 * Adds labels to a debug=2 dump from a debug=1 profile of the same process.
 *
 * Up to Go 1.26 debug=2 has states and waits but no labels, and debug=1 has labels but neither. If all goroutines of
 * one stack have the same labels, and both files have the same number of them, each has those labels: exact. If there
 * are several label sets, only their counts are known: ambiguous.
 *
 *     stack, line by line  ->  family  ->  unknown        the first level at which the numbers agree decides
 */
import type { LabelledCount, LabelSet } from './family.ts';
import type { GoroutineDump } from '../goroutine-dump.ts';
import { groupStacks, labelSetOf } from './dump-families.ts';

export type JoinGrade =
  /** Known for every goroutine of the group. */
  | 'exact'
  /** The sets and their counts are known, but not which goroutine has which. */
  | 'ambiguous'
  /** Not in the debug=1 profile: started or ended in between. */
  | 'unknown';

export interface JoinedGroup {
  readonly familyId: string;
  readonly grade: JoinGrade;
  /** Goroutines of the debug=2 dump. */
  readonly count: number;
  /** The label sets of the group in debug=1; goroutines without labels have the empty set. */
  readonly candidates: readonly LabelledCount[];
  readonly why: string;
}

export interface JoinedLabels {
  /** By row of the debug=2 dump: index into `sets`; 0, the empty set, if unknown. */
  readonly labels: Uint32Array;
  /** By row: index into `groups`. */
  readonly group: Uint32Array;
  readonly sets: readonly LabelSet[];
  readonly groups: readonly JoinedGroup[];
  /** Goroutines by grade. */
  readonly totals: Readonly<Record<JoinGrade, number>>;
}

interface Group {
  readonly family: string;
  readonly rows: number[];
}

interface Profiled {
  total: number;
  readonly sets: Map<string, { readonly labels: LabelSet; count: number }>;
}

export function joinLabels(debug2: GoroutineDump, debug1: GoroutineDump): JoinedLabels {
  const byStack = profiled(debug1, stackTexts(debug1));
  const byFamily = profiled(debug1, familyIds(debug1));
  const families = familyIds(debug2);
  const stackGroups = groupRows(debug2, stackTexts(debug2), families);
  const familySizes = new Map<string, number>();
  for (const { family, rows } of stackGroups.values()) {
    familySizes.set(family, (familySizes.get(family) ?? 0) + rows.length);
  }

  const sets: LabelSet[] = [[]];
  const setIndex = new Map<string, number>([['[]', 0]]);
  const intern = (labels: LabelSet): number => {
    const text = JSON.stringify(labels);
    let index = setIndex.get(text);
    if (index === undefined) setIndex.set(text, (index = sets.push(labels) - 1));
    return index;
  };
  const labels = new Uint32Array(debug2.goroutines.length);
  const group = new Uint32Array(debug2.goroutines.length);
  const groups: JoinedGroup[] = [];
  const totals = { exact: 0, ambiguous: 0, unknown: 0 };
  for (const [text, { family, rows }] of stackGroups) {
    const joined = grade(byStack.get(text), byFamily.get(family), rows.length, familySizes.get(family)!);
    const set = joined.grade === 'exact' ? intern(joined.candidates[0].labels) : 0;
    for (const row of rows) {
      // From Go 1.27 on the dump has labels itself, which need no joining.
      const own = debug2.goroutines.labels[row];
      labels[row] = own === 0 ? set : intern(labelSetOf(debug2, own));
      group[row] = groups.length;
      totals[own === 0 ? joined.grade : 'exact']++;
    }
    groups.push({ familyId: family, count: rows.length, ...joined });
  }
  return { labels, group, sets, groups, totals };
}

function grade(
  stack: Profiled | undefined,
  family: Profiled | undefined,
  stackSize: number,
  familySize: number,
): Pick<JoinedGroup, 'grade' | 'candidates' | 'why'> {
  if (stack !== undefined && stack.total === stackSize && stack.sets.size === 1) {
    return { grade: 'exact', candidates: [...stack.sets.values()], why: 'one label set on this stack, counts agree' };
  }
  if (family !== undefined && family.total === familySize && family.sets.size === 1) {
    return { grade: 'exact', candidates: [...family.sets.values()], why: 'one label set in the family, counts agree' };
  }
  const known = stack ?? family;
  if (known === undefined) return { grade: 'unknown', candidates: [], why: 'not in the debug=1 profile' };
  const size = stack === undefined ? familySize : stackSize;
  const candidates = [...known.sets.values()].sort((a, b) => b.count - a.count);
  const why =
    known.total === size
      ? `${known.sets.size} label sets on one stack`
      : `${size} goroutines here, ${known.total} in the debug=1 profile`;
  return { grade: 'ambiguous', candidates, why };
}

/** Label sets and counts of a debug=1 profile, by any name of its stacks. */
function profiled(dump: GoroutineDump, names: readonly string[]): Map<string, Profiled> {
  const out = new Map<string, Profiled>();
  const { goroutines } = dump;
  for (let row = 0; row < goroutines.length; row++) {
    const name = names[goroutines.stack[row]];
    let entry = out.get(name);
    if (entry === undefined) out.set(name, (entry = { total: 0, sets: new Map() }));
    const labels = labelSetOf(dump, goroutines.labels[row]);
    const text = JSON.stringify(labels);
    const count = goroutines.count[row];
    entry.total += count;
    const known = entry.sets.get(text);
    if (known === undefined) entry.sets.set(text, { labels, count });
    else known.count += count;
  }
  return out;
}

function groupRows(dump: GoroutineDump, texts: readonly string[], families: readonly string[]): Map<string, Group> {
  const out = new Map<string, Group>();
  for (let row = 0; row < dump.goroutines.length; row++) {
    const stack = dump.goroutines.stack[row];
    let group = out.get(texts[stack]);
    if (group === undefined) out.set(texts[stack], (group = { family: families[stack], rows: [] }));
    group.rows.push(row);
  }
  return out;
}

/** By stack: its named frames with file and line, which both formats print in the same way. */
function stackTexts(dump: GoroutineDump): string[] {
  const { stacks, frames } = dump;
  const texts: string[] = [];
  for (let stack = 0; stack < stacks.length; stack++) {
    let text = '';
    for (let i = stacks.frameStart[stack]; i < stacks.frameStart[stack + 1]; i++) {
      const frame = stacks.frames[i];
      const name = dump.strings[frames.fn[frame]];
      if (name === '' || name.startsWith('runtime.')) continue;
      text += `${name} ${dump.strings[frames.file[frame]]}:${frames.line[frame]}\n`;
    }
    texts.push(text);
  }
  return texts;
}

function familyIds(dump: GoroutineDump): string[] {
  const { families, familyOfStack } = groupStacks(dump);
  const ids = families.ids();
  return Array.from(familyOfStack, family => ids[family]);
}
