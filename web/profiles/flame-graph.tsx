/**
 * A flame graph: a canvas with keyboard control, and a line of text about the current frame below it. Screen readers get
 * that line, and the same tree as a table (tree-table.tsx).
 */
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { FlameCanvas, type FlameEvents, type PointerPlace } from './flame-canvas.ts';
import { frameFigures, frameSentence, type SandwichHalf } from './function-totals.ts';
import { ContextMenu, type MenuEntry, type OpenMenu } from '../widgets/context-menu.tsx';
import { type CallTree, nameOf, placeOf } from './call-tree.ts';
import { contentHeight, initialHeight } from './paint.ts';
import { bucketsOf, type Colouring, paletteOf } from './palette.ts';
import { shortPath, shortSymbol } from '../widgets/short-names.ts';
import { theme } from '../state/theme.ts';
import {
  panBy,
  reveal,
  spanOf,
  type Step,
  stepFrom,
  type ViewWindow,
  WHOLE,
  windowOf,
  zoomAround,
} from './view-window.ts';
import { packageOf } from '../../src/profile/families/normalise.ts';
import { visible } from '../../src/base/visible-text.ts';
import type { RefObject } from 'preact';

const GAP_PIXELS = 14;

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
  /** The change with the strongest colour; by default the biggest one in the tree. */
  readonly biggestChange?: number | undefined;
  /** If the tree is half of a sandwich. */
  readonly half?: SandwichHalf | undefined;
  readonly onSelect: (node: number) => void;
  readonly onWindow: (window: ViewWindow) => void;
  /** What a right click or the menu key offers for a frame, besides zooming. */
  readonly menu?: ((node: number) => readonly MenuEntry[]) | undefined;
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

/** The menu key, Shift+F10, or m for keyboards without either. */
function isMenuKey({ key, shiftKey }: KeyboardEvent): boolean {
  return key === 'ContextMenu' || key === 'm' || (key === 'F10' && shiftKey);
}

/** Undefined if the key neither zooms nor pans. */
function zoomedByKey(
  window: ViewWindow,
  { key, shiftKey }: KeyboardEvent,
  step: Step | undefined,
): ViewWindow | undefined {
  if (shiftKey && (step === 'left' || step === 'right')) return panBy(window, step === 'left' ? -0.1 : 0.1);
  if (step !== undefined) return undefined;
  if (key === '+' || key === '=') return zoomAround(window, 0.7, 0.5);
  return key === '-' ? zoomAround(window, 1 / 0.7, 0.5) : undefined;
}

export function FlameGraph(props: FlameGraphProps) {
  const { tree, selected, unit, half } = props;
  const box = useRef<HTMLDivElement>(null);
  const tooltip = useRef<HTMLDivElement>(null);
  const pointer = useRef<PointerPlace>({ x: 0, y: 0 });
  const [hovered, setHovered] = useState(-1);
  const [openMenu, setOpenMenu] = useState<OpenMenu | undefined>(undefined);
  const zoom = useZoomHistory(tree, props.window, props.onWindow);
  const [hasFocus, setHasFocus] = useState(false);
  const keysId = useId();
  const firstDepth = props.rootless === true ? 1 : 0;

  const hover = (node: number, at: PointerPlace = pointer.current): void => {
    // Moves the tooltip without a render: the pointer moves more often than the frame under it changes.
    pointer.current = at;
    placeTooltip(tooltip.current, at);
    setHovered(openMenu === undefined ? node : -1);
  };
  const showMenu = (node: number, { x, y }: PointerPlace = pointer.current): boolean => {
    if (props.menu === undefined) return false;
    const entries: readonly MenuEntry[] = [
      { name: 'Zoom to it', run: () => zoom.to(windowOf(tree, node)) },
      ...(zoom.isWhole ? [] : [{ name: 'Zoom back', run: zoom.back }]),
      ...props.menu(node),
    ];
    props.onSelect(node);
    setHovered(-1);
    setOpenMenu({ x, y, label: shortSymbol(nameOf(tree, node)), entries });
    return true;
  };
  const closeMenu = (): void => {
    setOpenMenu(undefined);
    box.current?.focus({ preventScroll: true });
  };
  // Before the paint: a tooltip never appears in one place and jumps to another.
  useLayoutEffect(() => placeTooltip(tooltip.current, pointer.current), [hovered]);
  useEffect(() => setHovered(-1), [tree, props.flipped]);

  const isHovering = hovered >= 0 && hovered < tree.length;
  const shown = isHovering ? hovered : Math.max(selected, firstDepth);
  return (
    <div class="flame">
      <FlameBox
        graph={props}
        box={box}
        zoom={zoom}
        firstDepth={firstDepth}
        hovered={hovered}
        hover={hover}
        showMenu={showMenu}
        hasFocus={hasFocus}
        setHasFocus={setHasFocus}
        keysId={keysId}
      />
      <p id={keysId} class="flame-keys muted">
        Arrow keys move between frames, Enter zooms to a frame, Escape goes back, + and − zoom, m opens the menu of a
        frame. The “Call tree” table shows the same tree.
      </p>
      <p class="sr-only" aria-live="polite">
        {hasFocus && selected >= 0 && selected < tree.length ? frameSentence(tree, selected, unit, half) : ''}
      </p>
      <FrameDetails tree={tree} node={shown < tree.length ? shown : 0} unit={unit} half={half} />
      {isHovering && (
        <FrameTooltip
          box={tooltip}
          tree={tree}
          node={hovered}
          unit={unit}
          half={half}
          hasMenu={props.menu !== undefined}
        />
      )}
      {openMenu !== undefined && <ContextMenu {...openMenu} onClose={closeMenu} />}
    </div>
  );
}

interface FlameBoxProps {
  readonly graph: FlameGraphProps;
  readonly box: RefObject<HTMLDivElement | null>;
  readonly zoom: ZoomHistory;
  readonly firstDepth: 0 | 1;
  readonly hovered: number;
  readonly hover: (node: number, at?: PointerPlace) => void;
  readonly showMenu: (node: number, at?: PointerPlace) => boolean;
  readonly hasFocus: boolean;
  readonly setHasFocus: (hasFocus: boolean) => void;
  readonly keysId: string;
}

/** The canvas in a box that scrolls, with the keys and the pointer. */
function FlameBox({ graph, box, zoom, firstDepth, hovered, hover, showMenu, ...props }: FlameBoxProps) {
  const { tree, window, selected, flipped, onSelect, onWindow } = graph;
  const canvas = useRef<HTMLCanvasElement>(null);
  const zoomTo = (node: number): void => zoom.to(windowOf(tree, node));
  const events: FlameEvents = {
    onHover: hover,
    onClick: node => {
      zoom.beginClick();
      onSelect(node);
      zoomTo(node);
    },
    onDoubleClick: zoom.backFromClick,
    onMenu: showMenu,
    onWindow,
  };
  const drawing = useDrawing({ box, canvas }, graph, events, { firstDepth, hovered, hasFocus: props.hasFocus });
  const select = (node: number): void => {
    onSelect(node);
    const seen = reveal(tree, node, window);
    if (seen !== window) onWindow(seen);
    drawing.current?.revealRow(node);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = Math.max(selected, firstDepth);
    const step = (flipped ? FLIPPED_STEPS : STEPS)[event.key];
    const zoomed = zoomedByKey(window, event, step);
    if (zoomed !== undefined) onWindow(zoomed);
    else if (step !== undefined) select(Math.max(stepFrom(tree, at, step), firstDepth));
    else if (event.key === 'Enter') zoomTo(at);
    else if (event.key === 'Escape' && hovered >= 0) hover(-1);
    else if (event.key === 'Escape' && !zoom.isWhole) zoom.back();
    else if (!isMenuKey(event) || !showMenu(at, drawing.current?.placeOf(at))) return;
    event.preventDefault();
  };
  return (
    <div
      ref={box}
      class="flame-box"
      role="application"
      aria-label={graph.label}
      aria-describedby={props.keysId}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onFocus={() => props.setHasFocus(true)}
      onBlur={() => props.setHasFocus(false)}
    >
      <div class="flame-content" style={{ height: `${contentHeight({ tree, firstDepth })}px` }}>
        <canvas ref={canvas} class="flame-canvas" />
      </div>
    </div>
  );
}

interface Elements {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly canvas: RefObject<HTMLCanvasElement | null>;
}

interface Shown {
  readonly firstDepth: 0 | 1;
  readonly hovered: number;
  readonly hasFocus: boolean;
}

/** The canvas, drawn again after each render; it has the size and the place in the tree that fit. */
function useDrawing(
  { box, canvas }: Elements,
  props: FlameGraphProps,
  events: FlameEvents,
  { firstDepth, hovered, hasFocus }: Shown,
): { readonly current: FlameCanvas | undefined } {
  const { tree, colouring, selected, window, flipped, matched } = props;
  const drawing = useRef<FlameCanvas | undefined>(undefined);
  // Before the first paint, so that no click on a visible graph is lost.
  useLayoutEffect(() => {
    const made = new FlameCanvas(box.current!, canvas.current!, events);
    drawing.current = made;
    return () => made.dispose();
  }, []);
  const buckets = useMemo(
    () => bucketsOf(tree, colouring, props.biggestChange),
    [tree, colouring, props.biggestChange],
  );
  const shownTheme = theme.value;
  const palette = useMemo(() => paletteOf(colouring), [colouring, shownTheme]);
  useEffect(() => {
    if (drawing.current === undefined) return;
    drawing.current.events = events;
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
    if (box.current !== null) box.current.scrollTop = flipped ? box.current.scrollHeight : 0;
  }, [tree, flipped]);
  useEffect(() => {
    if (selected > 0) drawing.current?.revealRow(selected);
  }, [tree, selected]);
  return drawing;
}

interface FrameDetailsProps {
  readonly tree: CallTree;
  readonly node: number;
  readonly unit: string;
  readonly half: SandwichHalf | undefined;
}

/** One frame as a line of text: its name, its values and its file. */
function FrameDetails({ tree, node, unit, half }: FrameDetailsProps) {
  const frame = tree.frame[node];
  const name = nameOf(tree, node);
  const path = frame < 0 ? '' : packageOf(name);
  const place = placeOf(tree, node);
  return (
    <div class="frame-details">
      <p class="frame-name mono">
        {path === '' ? (
          visible(name)
        ) : (
          <>
            <span class="muted">{visible(name.slice(0, path.length + 1))}</span>
            {visible(name.slice(path.length + 1))}
          </>
        )}
      </p>
      <p class="frame-values">
        {frameFigures(tree, node, unit, half).map(([label, text]) => (
          <span key={label} class="frame-value">
            <span class="muted">{label}</span> <span class="mono">{text}</span>
          </span>
        ))}
        {place !== '' && (
          <span class="frame-file muted mono" title={visible(place)}>
            {visible(shortPath(place))}
          </span>
        )}
      </p>
    </div>
  );
}

interface FrameTooltipProps {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly tree: CallTree;
  readonly node: number;
  readonly unit: string;
  readonly half: SandwichHalf | undefined;
  readonly hasMenu: boolean;
}

/** The figures of the frame under the pointer, beside the cursor. Screen readers get the line below the graph. */
function FrameTooltip({ box, tree, node, unit, half, hasMenu }: FrameTooltipProps) {
  const place = placeOf(tree, node);
  return (
    <div ref={box} class="frame-tooltip" aria-hidden="true">
      <p class="mono">
        <strong>{visible(nameOf(tree, node))}</strong>
      </p>
      {place !== '' && <p class="mono muted">{visible(place)}</p>}
      <dl>
        {frameFigures(tree, node, unit, half).map(([label, text]) => (
          <>
            <dt class="muted">{label}</dt>
            <dd class="mono">{text}</dd>
          </>
        ))}
      </dl>
      <p class="muted">Click zooms, double click goes back{hasMenu ? ', right click for more' : ''}</p>
    </div>
  );
}

/** Right of the cursor and below it, or on the other side where there is no room. */
function placeTooltip(box: HTMLElement | null, { x, y }: PointerPlace): void {
  if (box === null) return;
  const { offsetWidth, offsetHeight } = box;
  const fitsRight = x + GAP_PIXELS + offsetWidth <= innerWidth;
  const fitsBelow = y + GAP_PIXELS + offsetHeight <= innerHeight;
  const left = fitsRight ? x + GAP_PIXELS : Math.max(0, x - GAP_PIXELS - offsetWidth);
  const top = fitsBelow ? y + GAP_PIXELS : Math.max(0, y - GAP_PIXELS - offsetHeight);
  box.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
}

/** The windows that a flame graph was zoomed from, so that Escape or a double click goes back one by one. */
interface ZoomHistory {
  readonly isWhole: boolean;
  readonly to: (window: ViewWindow) => void;
  readonly back: () => void;
  /** A click zooms at once; if it turns out to be the first half of a double click, `backFromClick` undoes it. */
  readonly beginClick: () => void;
  readonly backFromClick: () => void;
}

function useZoomHistory(tree: CallTree, window: ViewWindow, onWindow: (window: ViewWindow) => void): ZoomHistory {
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
