/**
 * A flame graph: a canvas with keyboard control, and a line of text about the current frame below it. Screen readers get
 * that line, and the same tree as a table (tree-table.tsx).
 */
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { FlameCanvas } from './flame-canvas.ts';
import { FrameDetails, frameSentence } from './frame-details.tsx';
import type { CallTree } from '../call-tree/call-tree.ts';
import { contentHeight, initialHeight } from './paint.ts';
import { bucketsOf, paletteOf, type Colouring } from './palette.ts';
import { theme } from '../state/theme.ts';
import { stepFrom, type Step } from './keyboard-steps.ts';
import { panBy, reveal, spanOf, WHOLE, windowOf, zoomAround, type ViewWindow } from './view-window.ts';

export interface FlameGraphProps {
  /** For screen readers. */
  readonly label: string;
  readonly tree: CallTree;
  readonly unit: string;
  readonly colouring: Colouring;
  readonly flipped: boolean;
  /** Leaves out the root's row. */
  readonly rootless?: boolean;
  readonly window: ViewWindow;
  /** A node; -1 for none. */
  readonly selected: number;
  readonly matched?: Uint8Array | undefined;
  readonly onSelect: (node: number) => void;
  readonly onWindow: (window: ViewWindow) => void;
  /** Enter or double click; by default it zooms to the frame. */
  readonly onOpen?: (node: number) => void;
}

const STEPS: Readonly<Record<string, Step>> = {
  ArrowUp: 'caller',
  ArrowDown: 'callee',
  ArrowLeft: 'left',
  ArrowRight: 'right',
  Home: 'first',
  End: 'last',
};
const FLIPPED_STEPS: Readonly<Record<string, Step>> = { ...STEPS, ArrowUp: 'callee', ArrowDown: 'caller' };

export function FlameGraph(props: FlameGraphProps) {
  const { tree, colouring, selected, window } = props;
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const drawing = useRef<FlameCanvas | undefined>(undefined);
  const [hovered, setHovered] = useState(-1);
  const [hasFocus, setHasFocus] = useState(false);
  const keysId = useId();
  const firstDepth = props.rootless === true ? 1 : 0;

  const select = (node: number): void => {
    props.onSelect(node);
    const seen = reveal(tree, node, window);
    if (seen !== window) props.onWindow(seen);
    drawing.current?.revealRow(node);
  };
  const onOpen = props.onOpen ?? ((node: number): void => props.onWindow(windowOf(tree, node)));
  const events = {
    onHover: setHovered,
    onSelect: props.onSelect,
    onOpen,
    onWindow: props.onWindow,
  };

  useEffect(() => {
    const made = new FlameCanvas(box.current!, canvas.current!, events);
    drawing.current = made;
    return () => made.dispose();
  }, []);

  const buckets = useMemo(() => bucketsOf(tree, colouring), [tree, colouring]);
  const shownTheme = theme.value;
  const palette = useMemo(() => paletteOf(colouring), [colouring, shownTheme]);
  useEffect(() => {
    if (drawing.current === undefined) return;
    drawing.current.events = events;
    const { flipped, matched } = props;
    // The hovered node may belong to the previous tree.
    const under = hovered < tree.length ? hovered : -1;
    drawing.current.show(
      { tree, palette, buckets, window, flipped, firstDepth, matched, selected, hovered: under, hasFocus },
      true,
    );
  });
  // Set here, not in the style: a height the user has dragged stays until the tree changes.
  useEffect(() => {
    box.current!.style.height = `min(46vh, ${initialHeight({ tree, firstDepth }) + 2}px)`;
  }, [tree]);
  useEffect(() => {
    setHovered(-1);
    if (box.current !== null) box.current.scrollTop = props.flipped ? box.current.scrollHeight : 0;
  }, [tree, props.flipped]);
  useEffect(() => {
    if (selected > 0) drawing.current?.revealRow(selected);
  }, [tree, selected]);

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = Math.max(selected, firstDepth);
    const step = (props.flipped ? FLIPPED_STEPS : STEPS)[event.key];
    const isWhole = spanOf(window) > 0.999999;
    if (step !== undefined && event.shiftKey && (step === 'left' || step === 'right')) {
      props.onWindow(panBy(window, step === 'left' ? -0.1 : 0.1));
    } else if (step !== undefined) select(Math.max(stepFrom(tree, at, step), firstDepth));
    else if (event.key === 'Enter') onOpen(at);
    else if (event.key === 'Escape' && !isWhole) props.onWindow(WHOLE);
    else if (event.key === '+' || event.key === '=') props.onWindow(zoomAround(window, 0.7, 0.5));
    else if (event.key === '-') props.onWindow(zoomAround(window, 1 / 0.7, 0.5));
    else return;
    event.preventDefault();
  };

  const shown = hovered >= 0 && hovered < tree.length ? hovered : Math.max(selected, firstDepth);
  return (
    <div class="flame">
      <div
        ref={box}
        class="flame-box"
        role="application"
        aria-label={props.label}
        aria-describedby={keysId}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onFocus={() => setHasFocus(true)}
        onBlur={() => setHasFocus(false)}
      >
        <div class="flame-content" style={{ height: `${contentHeight({ tree, firstDepth })}px` }}>
          <canvas ref={canvas} class="flame-canvas" />
        </div>
      </div>
      <p id={keysId} class="flame-keys muted">
        Arrow keys move between frames, Enter zooms to a frame, Escape shows all, + and − zoom. The “Call tree” table
        shows the same tree.
      </p>
      <p class="sr-only" aria-live="polite">
        {hasFocus && selected >= 0 && selected < tree.length ? frameSentence(tree, selected, props.unit) : ''}
      </p>
      <FrameDetails tree={tree} node={shown < tree.length ? shown : 0} unit={props.unit} />
    </div>
  );
}
