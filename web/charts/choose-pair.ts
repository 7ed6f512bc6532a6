/**
 * The two captures that show best what grew: the first and the last of the latest life that has two. Captures of two
 * lives have nothing in common.
 *
 *     life 1  o----o      life 2  o----o--o
 *                                 A       B
 */
import type { CaptureKind } from '../../src/evidence/capture.ts';
import type { Resource } from '../../src/evidence/resource.ts';
import type { CaptureView } from '../../src/watch/watch-model.ts';
import type { Epoch } from './chart-data.ts';

export interface FilePair {
  readonly kind: CaptureKind;
  readonly before: CaptureView;
  readonly after: CaptureView;
  /** The files' digests, and when they were collected. */
  readonly a: string;
  readonly b: string;
  readonly atA: number;
  readonly atB: number;
}

/** A leak of the heap shows in heap profiles, every other in goroutine profiles. */
export function kindFor(resource: Resource): CaptureKind {
  return resource === 'live heap' ? 'heap' : 'goroutine';
}

export function choosePair(
  captures: readonly CaptureView[],
  epochs: readonly Epoch[],
  kind: CaptureKind,
): FilePair | undefined {
  const ordered = captures.toSorted((x, y) => x.at - y.at);
  const lives = epochs.length === 0 ? [{ from: -Infinity, to: null }] : epochs.toSorted((x, y) => y.from - x.from);
  for (const { from, to } of lives) {
    const ofLife = ordered.filter(({ at }) => at >= from && at <= (to ?? Infinity));
    const pair = pairOf(ofLife, kind);
    if (pair !== undefined) return pair;
  }
  return undefined;
}

/** The first and the last that differ: several captures may have the same profile. */
export function pairOf(captures: readonly CaptureView[], kind: CaptureKind): FilePair | undefined {
  const having = captures.flatMap(capture => {
    const file = capture.files.find(one => one.kind === kind);
    return file === undefined ? [] : [{ capture, file }];
  });
  const first = having[0];
  const last = having.findLast(({ file }) => file.sha256 !== first?.file.sha256);
  if (first === undefined || last === undefined) return undefined;
  return {
    kind,
    before: first.capture,
    after: last.capture,
    a: first.file.sha256,
    b: last.file.sha256,
    atA: first.file.at,
    atB: last.file.at,
  };
}
