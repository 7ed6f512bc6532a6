/**
 * What is chosen on a target's page, as the address has it: two captures, or a brushed time.
 *
 *     ?a=c-1&b=c-3            these captures, the earlier one is A
 *     ?brush=FROM,TO          a time; its captures are those nearest to its ends
 */
import type { CaptureView, TargetView } from '../../../src/model/watch.ts';
import { isProfile } from '../capture-kind.ts';

export interface Selection {
  readonly a: CaptureView | undefined;
  readonly b: CaptureView | undefined;
  readonly brush: readonly [number, number] | undefined;
}

export function readSelection(query: URLSearchParams, { captures }: TargetView): Selection {
  const brush = readBrush(query.get('brush'));
  const named = ['a', 'b'].map(name => captures.find(({ id }) => id === query.get(name)));
  const [a, b] = brush === undefined ? named : brush.map(at => nearest(captures, at));
  if (a === undefined || b === undefined) return { a: a ?? b, b: undefined, brush };
  if (a === b) return { a, b: undefined, brush };
  return a.at <= b.at ? { a, b, brush } : { a: b, b: a, brush };
}

function readBrush(text: string | null): readonly [number, number] | undefined {
  const [from, to] = (text ?? '').split(',').map(Number);
  return from < to ? [from, to] : undefined;
}

function nearest(captures: readonly CaptureView[], at: number): CaptureView | undefined {
  return captures.toSorted((x, y) => Math.abs(x.at - at) - Math.abs(y.at - at))[0];
}

/** The query after a capture was chosen: the first is A, the second B, and choosing one again lets it go. */
export function toggled({ a, b }: Selection, id: string): { a: string | null; b: string | null; brush: null } {
  const chosen = [a?.id, b?.id].filter(one => one !== undefined);
  const next = chosen.includes(id) ? chosen.filter(one => one !== id) : [...chosen.slice(-1), id];
  return { a: next[0] ?? null, b: next[1] ?? null, brush: null };
}

export interface Comparison {
  readonly kind: string;
  readonly url: string;
}

/** The kinds that both captures hold, that of the worst resource first. */
export function comparable({ a, b }: Selection, { resources }: TargetView): Comparison[] {
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
