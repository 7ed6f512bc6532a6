/** The entries of the catalogue that match the filter. */
import { refOf } from '../../../src/knowledge/refs.ts';
import type { CatalogueView } from '../../../src/knowledge/view.ts';

export type CatalogueEntry = CatalogueView['leaks'][number];

export interface CatalogueFilter {
  /** Every word must occur in the entry. */
  readonly text: string;
  /** '' for any. */
  readonly component: string;
  readonly onlyHere: boolean;
}

export function filterLeaks(leaks: readonly CatalogueEntry[], filter: CatalogueFilter): CatalogueEntry[] {
  const terms = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  return leaks
    .filter(leak => filter.component === '' || leak.component === filter.component)
    .filter(leak => !filter.onlyHere || leak.targetCount > 0)
    .filter(leak => {
      const text = textOf(leak);
      return terms.every(term => text.includes(term));
    })
    .sort((a, b) => b.targetCount - a.targetCount);
}

function textOf(leak: CatalogueEntry): string {
  const { id, title, component, grade, affected, fixedIn, references, summary, targets } = leak;
  const names = references.map(referenceText);
  return [id, title, component, gradeText(grade), affected, ...fixedIn, ...references, ...names, summary, ...targets]
    .join('\n')
    .toLowerCase();
}

/** The components and their numbers of entries, the largest first. */
export function componentsOf(leaks: readonly CatalogueEntry[]): (readonly [name: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const { component } of leaks) counts.set(component, (counts.get(component) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

const GRADES: Readonly<Record<string, string>> = {
  seen: 'stacks seen in dumps',
  'from-fix': 'stacks inferred from the fix',
  'no-stacks': 'not recognisable by stacks',
  unconfirmed: 'reported, unconfirmed',
};

export function gradeText(grade: string): string {
  return GRADES[grade] ?? grade;
}

/** `kubernetes#139823` for known trackers, otherwise the address. */
export function referenceText(address: string): string {
  return refOf(address) ?? address.replace(/^https:\/\//, '');
}
