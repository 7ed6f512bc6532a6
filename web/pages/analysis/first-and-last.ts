/** For each kind of profile, a link that compares the earliest with the latest of one process. */
import type { AnalysisInput } from '../../../src/judge/analysis.ts';

export interface PairLink {
  readonly kind: string;
  readonly url: string;
}

const COMPARED = ['heap', 'goroutine'];

/** `keys`: the files of this tab by path. Files inside an archive have none. */
export function firstAndLast(inputs: readonly AnalysisInput[], keys: ReadonlyMap<string, string>): PairLink[] {
  return COMPARED.flatMap(kind => {
    const of = inputs
      .filter(input => input.kind === kind && input.error === null && input.takenAt !== null && keys.has(input.path))
      .toSorted((a, b) => (a.takenAt ?? '').localeCompare(b.takenAt ?? ''));
    const last = of.at(-1);
    const first = of.find(({ target }) => target === last?.target);
    if (first === undefined || last === undefined || first.takenAt === last.takenAt) return [];
    return [{ kind, url: `/compare?a=${keys.get(first.path)}&b=${keys.get(last.path)}` }];
  });
}
