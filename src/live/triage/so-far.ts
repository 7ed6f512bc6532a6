/** What one set proves, or what would decide: the answer while more sets are being waited for. */
import type { Pile } from '../../evidence/snapshots/read-pile.ts';
import { evidenceOf } from '../../evidence/snapshots/process-evidence.ts';
import type { Analysis } from '../../judge/analysis.ts';
import type { FamilyTable } from '../../profile/families/family.ts';
import type { LargestFamily, TriageSoFar } from './triage.ts';
import type { Conclusion } from './conclude.ts';

export interface SetFacts {
  readonly set: number;
  readonly pile: Pile;
  readonly analysis: Analysis;
  readonly conclusion: Conclusion;
}

export function soFar({ set, pile, analysis, conclusion }: SetFacts): TriageSoFar {
  const isProved = isDecided(conclusion, analysis, set);
  const decides = isProved ? [] : whatDecides(analysis, set);
  return { set, ...conclusion, largest: largestOf(pile), decides, isProved };
}

/** History alone proves a leak without naming the code: a second set shows which one grows. */
function isDecided({ verdict }: Conclusion, analysis: Analysis, set: number): boolean {
  if (verdict === 'leak') return analysis.verdict === 'leak' || set > 1;
  return verdict === 'healthy';
}

/** The largest families of the current process. */
function largestOf({ snapshots, viewGroups }: Pile): LargestFamily[] {
  const { heap = [], goroutines = [] } = evidenceOf(snapshots, viewGroups).at(-1) ?? {};
  return [heap.at(-1)?.table, goroutines.at(-1)?.table].flatMap(table => (table === undefined ? [] : firstOf(table)));
}

function firstOf({ kind, total, counts }: FamilyTable): LargestFamily[] {
  const [first] = counts;
  if (first === undefined || total <= 0) return [];
  const isHeap = kind === 'heap';
  const amount = isHeap ? first.bytes : first.count;
  return [{ title: first.family.title, amount, total, unit: isHeap ? 'bytes' : 'count' }];
}

function whatDecides({ findings, inputs }: Analysis, set: number): string[] {
  const undecided = findings.flatMap(({ retention }) => retention?.undecided ?? []).slice(0, 1);
  const hasProfiles = inputs.some(({ kind }) => kind === 'heap' || kind === 'goroutine');
  if (!hasProfiles) return ['metrics over ten minutes or more: no profile could be taken'];
  const next =
    set === 1
      ? 'set 2: which stacks grow, and which goroutines are still in the same wait'
      : `set ${set + 1}: growth in every interval is a leak, none over ten minutes is health`;
  return [...undecided, next];
}
