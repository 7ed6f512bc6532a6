/**
 * Which rows of a long table are in view. The table scrolls with the page; rows are of one height, and only those near
 * the view are in the document.
 */
import { useLayoutEffect, useState } from 'preact/hooks';
import type { RefObject } from 'preact';

export interface RowWindow {
  readonly first: number;
  /** Exclusive. */
  readonly last: number;
}

/** Rows beyond each edge, and how far one scrolls before the window moves: scrolling shows no empty rows. */
const MARGIN = 8;
const STRIDE = 8;

export function rowWindow(scrolled: number, viewHeight: number, rowHeight: number, count: number): RowWindow {
  const first = Math.floor(scrolled / rowHeight / STRIDE) * STRIDE - MARGIN;
  const last = Math.ceil((scrolled + viewHeight) / rowHeight / STRIDE) * STRIDE + MARGIN;
  const clamp = (row: number): number => Math.max(0, Math.min(count, row));
  return { first: clamp(first), last: clamp(last) };
}

export function useWindowRows(body: RefObject<HTMLElement | null>, rowHeight: number, count: number): RowWindow {
  const [shown, setShown] = useState<RowWindow>({ first: 0, last: Math.min(count, 2 * MARGIN) });
  useLayoutEffect(() => {
    const look = (): void => {
      const top = body.current?.getBoundingClientRect().top ?? 0;
      const next = rowWindow(-top, innerHeight, rowHeight, count);
      setShown(now => (now.first === next.first && now.last === next.last ? now : next));
    };
    look();
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => {
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, [rowHeight, count]);
  // The count may have fallen since the last look.
  return { first: Math.min(shown.first, count), last: Math.min(shown.last, count) };
}
