/** The windows that a flame graph was zoomed from, so that Escape or a double click goes back one by one. */
import { useRef } from 'preact/hooks';
import type { CallTree } from '../call-tree/call-tree.ts';
import { spanOf, WHOLE, type ViewWindow } from './view-window.ts';

export interface ZoomHistory {
  readonly isWhole: boolean;
  readonly to: (window: ViewWindow) => void;
  readonly back: () => void;
  /** A click zooms at once; if it turns out to be the first half of a double click, `backFromClick` undoes it. */
  readonly beginClick: () => void;
  readonly backFromClick: () => void;
}

export function useZoomHistory(
  tree: CallTree,
  window: ViewWindow,
  onWindow: (window: ViewWindow) => void,
): ZoomHistory {
  const state = useRef<{ tree: CallTree; past: readonly ViewWindow[]; beforeClick: readonly ViewWindow[] }>({
    tree,
    past: [],
    beforeClick: [],
  });
  // A place in another tree means nothing here.
  if (state.current.tree !== tree) state.current = { tree, past: [], beforeClick: [] };
  const isSame = (a: ViewWindow, b: ViewWindow): boolean =>
    Math.abs(a.left - b.left) < 1e-9 && Math.abs(a.right - b.right) < 1e-9;
  const goBack = (past: readonly ViewWindow[]): void => {
    state.current.past = past.slice(0, -1);
    onWindow(past.at(-1) ?? WHOLE);
  };
  return {
    isWhole: spanOf(window) > 0.999999,
    to: next => {
      if (isSame(next, window)) return;
      state.current.past = [...state.current.past, window];
      onWindow(next);
    },
    back: () => goBack(state.current.past),
    beginClick: () => void (state.current.beforeClick = state.current.past),
    backFromClick: () => goBack(state.current.beforeClick),
  };
}
