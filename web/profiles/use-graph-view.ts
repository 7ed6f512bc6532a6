/** The visible part of a drawing: pan by a drag, zoom by Ctrl+wheel. */
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Drawing, Point } from './place-nodes.ts';

interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface GraphViewControl {
  readonly viewBox: string;
  /** Below 1 zooms in. */
  readonly zoom: (factor: number) => void;
  readonly fit: () => void;
  /** Moves just far enough to show a point. */
  readonly reveal: (point: Point) => void;
  /** Whether the last press was a drag, not a click. */
  readonly wasDragged: () => boolean;
  readonly handlers: {
    readonly onPointerDown: (event: PointerEvent) => void;
    readonly onPointerMove: (event: PointerEvent) => void;
    readonly onPointerUp: () => void;
  };
}

const MARGIN = 12;
const DRAG_PIXELS = 4;

export function useGraphView(svg: RefObject<SVGSVGElement | null>, drawing: Drawing): GraphViewControl {
  const whole: Area = {
    x: -MARGIN,
    y: -MARGIN,
    width: drawing.width + 2 * MARGIN,
    height: drawing.height + 2 * MARGIN,
  };
  const [area, setArea] = useState(whole);
  const drag = useRef<{ x: number; y: number; from: Area; isDragging: boolean } | undefined>(undefined);
  const dragged = useRef(false);
  useEffect(() => setArea(whole), [drawing]);

  /** Pixels of the drawing per pixel of the screen: the drawing keeps its proportions. */
  const scaleOf = ({ width, height }: Area): number => {
    const box = svg.current?.getBoundingClientRect();
    return box === undefined || box.width === 0 ? 1 : Math.max(width / box.width, height / box.height);
  };
  const zoomAt = (factor: number, at: Point): void =>
    setArea(now => {
      const width = Math.min(Math.max(now.width * factor, 60), whole.width * 2);
      const ratio = width / now.width;
      return {
        x: at.x - (at.x - now.x) * ratio,
        y: at.y - (at.y - now.y) * ratio,
        width,
        height: now.height * ratio,
      };
    });
  // Not by an attribute: it must not be passive, so that the page does not zoom as well.
  useEffect(() => {
    const element = svg.current;
    if (element === null) return;
    const onWheel = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const matrix = element.getScreenCTM()?.inverse();
      if (matrix === undefined) return;
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
      zoomAt(Math.exp(Math.max(-120, Math.min(120, event.deltaY)) * 0.003), at);
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [drawing]);

  return {
    viewBox: `${area.x} ${area.y} ${area.width} ${area.height}`,
    zoom: factor => zoomAt(factor, { x: area.x + area.width / 2, y: area.y + area.height / 2 }),
    fit: () => setArea(whole),
    reveal: ({ x, y }) =>
      setArea(now => {
        const isInside = x > now.x && x < now.x + now.width && y > now.y && y < now.y + now.height;
        return isInside ? now : { ...now, x: x - now.width / 2, y: y - now.height / 2 };
      }),
    wasDragged: () => dragged.current,
    handlers: {
      onPointerDown: event => {
        if (event.button !== 0) return;
        dragged.current = false;
        drag.current = { x: event.clientX, y: event.clientY, from: area, isDragging: false };
      },
      onPointerMove: event => {
        const start = drag.current;
        if (start === undefined) return;
        const [byX, byY] = [event.clientX - start.x, event.clientY - start.y];
        if (!start.isDragging && Math.hypot(byX, byY) < DRAG_PIXELS) return;
        if (!start.isDragging) svg.current?.setPointerCapture(event.pointerId);
        start.isDragging = dragged.current = true;
        const scale = scaleOf(start.from);
        setArea({ ...start.from, x: start.from.x - byX * scale, y: start.from.y - byY * scale });
      },
      onPointerUp: () => void (drag.current = undefined),
    },
  };
}
