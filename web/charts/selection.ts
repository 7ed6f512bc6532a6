/**
 * What the user has selected on a target's page: two captures or a time range, both in the address.
 *
 *     ?a=c-1&b=c-3            two captures; the earlier one is A
 *     ?brush=FROM,TO          a time range, and the captures nearest to its ends
 *     &vs=before              the range against the one before it
 */
import type { CaptureKind } from '../../src/evidence/capture.ts';
import type { CaptureView, TargetView } from '../../src/watch/watch-model.ts';

export interface Selection {
  readonly a: CaptureView | undefined;
  readonly b: CaptureView | undefined;
  readonly brush: readonly [number, number] | undefined;
  /** Compare the brushed range with the one before it. */
  readonly againstBefore: boolean;
}

export function readSelection(query: URLSearchParams, { captures }: TargetView): Selection {
  const brush = readBrush(query.get('brush'));
  const named = ['a', 'b'].map(name => captures.find(({ id }) => id === query.get(name)));
  const [a, b] = brush === undefined ? named : brush.map(at => nearest(captures, at));
  const againstBefore = brush !== undefined && query.get('vs') === 'before';
  const rest = { brush, againstBefore };
  if (a === undefined || b === undefined) return { a: a ?? b, b: undefined, ...rest };
  if (a === b) return { a, b: undefined, ...rest };
  return a.at <= b.at ? { a, b, ...rest } : { a: b, b: a, ...rest };
}

function readBrush(text: string | null): readonly [number, number] | undefined {
  const [from = NaN, to = NaN] = (text ?? '').split(',').map(Number);
  return from < to ? [from, to] : undefined;
}

function nearest(captures: readonly CaptureView[], at: number): CaptureView | undefined {
  return captures.toSorted((x, y) => Math.abs(x.at - at) - Math.abs(y.at - at))[0];
}

/** The query after a click on a capture: the first is A, the second B; a second click deselects it. */
export function toggleCapture(
  { a, b }: Pick<Selection, 'a' | 'b'>,
  id: string,
): { a: string | null; b: string | null; brush: null } {
  const selected = [a?.id, b?.id].filter(one => one !== undefined);
  const next = selected.includes(id) ? selected.filter(one => one !== id) : [...selected.slice(-1), id];
  return { a: next[0] ?? null, b: next[1] ?? null, brush: null };
}

export interface Comparison {
  readonly kind: CaptureKind;
  readonly url: string;
}

/** The profiles that both captures have; the kind of the worst resource comes first. */
export function comparisons({ a, b }: Selection, { resources }: TargetView): Comparison[] {
  if (a === undefined || b === undefined) return [];
  const first = resources[0]?.resource === 'live heap' ? 'heap' : 'goroutine';
  const rank = (kind: string): number => (kind === first ? 0 : kind === 'heap' || kind === 'goroutine' ? 1 : 2);
  return a.files
    .flatMap(file => {
      const other = b.files.find(({ kind }) => kind === file.kind);
      return other === undefined || !isProfile(file.kind)
        ? []
        : [{ kind: file.kind, url: `/compare?a=${file.sha256}&b=${other.sha256}` }];
    })
    .sort((x, y) => rank(x.kind) - rank(y.kind));
}

/** True for files that the profile page can open. Metrics and configuration have no stacks. */
export function isProfile(kind: CaptureKind): boolean {
  return !/^(?:metrics|stats-summary|configz)/.test(kind);
}
