/**
 * A flame graph: a canvas with keyboard control, and a line of text about the current frame below it. Screen readers get
 * that line, and the same tree as a table (tree-table.tsx).
 */
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { FlameCanvas, type PointerPlace } from './flame-canvas.ts';
import { frameSentence, type SandwichHalf, frameFigures } from './frame-figures.ts';
import { ContextMenu, type MenuEntry, type OpenMenu } from '../widgets/context-menu.tsx';
import { nameOf, type CallTree, placeOf } from '../call-tree/call-tree.ts';
import { contentHeight, initialHeight } from './paint.ts';
import { bucketsOf, paletteOf, type Colouring } from './palette.ts';
import { shortSymbol, shortPath } from '../text/short-names.ts';
import { useZoomHistory } from './use-zoom-history.ts';
import { theme } from '../state/theme.ts';
import { stepFrom, type Step } from './keyboard-steps.ts';
import { panBy, reveal, windowOf, zoomAround, type ViewWindow } from './view-window.ts';
import { packageOf } from '../../src/profile/go-name/normalise.ts';
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

export function FlameGraph(props: FlameGraphProps) {
  const { tree, colouring, selected, window } = props;
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const drawing = useRef<FlameCanvas | undefined>(undefined);
  const tooltip = useRef<HTMLDivElement>(null);
  const pointer = useRef<PointerPlace>({ x: 0, y: 0 });
  const [hovered, setHovered] = useState(-1);
  const [openMenu, setOpenMenu] = useState<OpenMenu | undefined>(undefined);
  const zoom = useZoomHistory(tree, window, props.onWindow);
  const [hasFocus, setHasFocus] = useState(false);
  const keysId = useId();
  const firstDepth = props.rootless === true ? 1 : 0;

  const select = (node: number): void => {
    props.onSelect(node);
    const seen = reveal(tree, node, window);
    if (seen !== window) props.onWindow(seen);
    drawing.current?.revealRow(node);
  };
  const zoomTo = (node: number): void => zoom.to(windowOf(tree, node));
  const showMenu = (node: number, { x, y }: PointerPlace): boolean => {
    if (props.menu === undefined) return false;
    const entries: readonly MenuEntry[] = [
      { name: 'Zoom to it', run: () => zoomTo(node) },
      ...(zoom.isWhole ? [] : [{ name: 'Zoom back', run: zoom.back }]),
      ...props.menu(node),
    ];
    props.onSelect(node);
    setHovered(-1);
    setOpenMenu({ x, y, label: shortSymbol(nameOf(tree, node)), entries });
    return true;
  };
  const events = {
    onHover: (node: number, at: PointerPlace): void => {
      // Moves the tooltip without a render: the pointer moves more often than the frame under it changes.
      pointer.current = at;
      placeTooltip(tooltip.current, at);
      setHovered(openMenu === undefined ? node : -1);
    },
    onClick: (node: number): void => {
      zoom.beginClick();
      props.onSelect(node);
      zoomTo(node);
    },
    onDoubleClick: zoom.backFromClick,
    onMenu: showMenu,
    onWindow: props.onWindow,
  };

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
    const { flipped, matched } = props;
    // The hovered node may belong to the previous tree.
    const under = hovered < tree.length ? hovered : -1;
    drawing.current.show(
      { tree, palette, buckets, window, flipped, firstDepth, matched, selected, hovered: under, hasFocus },
      true,
    );
  });
  // Before the paint: a tooltip never appears in one place and jumps to another.
  useLayoutEffect(() => placeTooltip(tooltip.current, pointer.current), [hovered]);
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
    if (step !== undefined && event.shiftKey && (step === 'left' || step === 'right')) {
      props.onWindow(panBy(window, step === 'left' ? -0.1 : 0.1));
    } else if (step !== undefined) select(Math.max(stepFrom(tree, at, step), firstDepth));
    else if (event.key === 'Enter') zoomTo(at);
    else if (event.key === 'Escape' && hovered >= 0) setHovered(-1);
    else if (event.key === 'Escape' && !zoom.isWhole) zoom.back();
    else if (isMenuKey(event) && showMenu(at, drawing.current?.placeOf(at) ?? pointer.current)) setHovered(-1);
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
        Arrow keys move between frames, Enter zooms to a frame, Escape goes back, + and − zoom, m opens the menu of a
        frame. The “Call tree” table shows the same tree.
      </p>
      <p class="sr-only" aria-live="polite">
        {hasFocus && selected >= 0 && selected < tree.length
          ? frameSentence(tree, selected, props.unit, props.half)
          : ''}
      </p>
      <FrameDetails tree={tree} node={shown < tree.length ? shown : 0} unit={props.unit} half={props.half} />
      {hovered >= 0 && hovered < tree.length && (
        <FrameTooltip
          box={tooltip}
          tree={tree}
          node={hovered}
          unit={props.unit}
          half={props.half}
          hasMenu={props.menu !== undefined}
        />
      )}
      {openMenu !== undefined && (
        <ContextMenu
          {...openMenu}
          onClose={() => {
            setOpenMenu(undefined);
            box.current?.focus({ preventScroll: true });
          }}
        />
      )}
    </div>
  );
}

/** One frame as a line of text: its name, its values and its file. */
interface FrameDetailsProps {
  readonly tree: CallTree;
  readonly node: number;
  readonly unit: string;
  readonly half: SandwichHalf | undefined;
}

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

/** The figures of the frame under the pointer, beside the cursor. Screen readers get the line below the graph. */
interface FrameTooltipProps {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly tree: CallTree;
  readonly node: number;
  readonly unit: string;
  readonly half: SandwichHalf | undefined;
  readonly hasMenu: boolean;
}

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
