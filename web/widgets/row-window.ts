/**
 * Which rows of a long table belong in the document: those near the visible part. All rows have the same height.
 */
import { useLayoutEffect, useState } from 'preact/hooks';
import type { RefObject } from 'preact';

export interface RowWindow {
  readonly first: number;
  /** Exclusive. */
  readonly last: number;
}

/** Extra rows beyond each edge, and the step in which the window moves, so that fast scrolling shows no empty rows. */
const MARGIN = 8;
const STRIDE = 8;

export function rowWindow(scrolled: number, viewHeight: number, rowHeight: number, count: number): RowWindow {
  const first = Math.floor(scrolled / rowHeight / STRIDE) * STRIDE - MARGIN;
  const last = Math.ceil((scrolled + viewHeight) / rowHeight / STRIDE) * STRIDE + MARGIN;
  const clamp = (row: number): number => Math.max(0, Math.min(count, row));
  return { first: clamp(first), last: clamp(last) };
}

/** For a table that scrolls with the page. */
export function useRowWindow(body: RefObject<HTMLElement | null>, rowHeight: number, count: number): RowWindow {
  const [shown, setShown] = useState<RowWindow>({ first: 0, last: Math.min(count, 2 * MARGIN) });
  useLayoutEffect(() => {
    const measure = (): void => {
      const top = body.current?.getBoundingClientRect().top ?? 0;
      const next = rowWindow(-top, innerHeight, rowHeight, count);
      setShown(now => (now.first === next.first && now.last === next.last ? now : next));
    };
    measure();
    addEventListener('scroll', measure, { passive: true });
    addEventListener('resize', measure);
    return () => {
      removeEventListener('scroll', measure);
      removeEventListener('resize', measure);
    };
  }, [rowHeight, count]);
  // There may be fewer rows now than at the last measurement.
  return { first: Math.min(shown.first, count), last: Math.min(shown.last, count) };
}
