/**
 * The canvas of a flame graph: redraws at most once per animation frame, and turns pointer and wheel events into
 * windows and nodes.
 *
 * The canvas is as large as the visible part of its scrolling box and sticks to the top. The browser handles vertical
 * scrolling; this class handles the width: Ctrl+wheel or two fingers zoom, a drag or a horizontal wheel pans.
 */
import { depthAt, paint, rowTop, ROW_PIXELS, type Scene, type Viewport } from './paint.ts';
import { interpolate, panBy, zoomAround, type ViewWindow, frameAt } from './view-window.ts';

export interface FlameEvents {
  /** The pointer is on a frame; -1 when it is on none. */
  readonly onHover: (node: number, at: PointerPlace) => void;
  /** The first click of a single or double click. */
  readonly onClick: (node: number) => void;
  readonly onDoubleClick: () => void;
  /** Right click; false leaves it to the browser. */
  readonly onMenu: (node: number, at: PointerPlace) => boolean;
  /** The user stopped moving the window. Not called for every step: the page need not follow each. */
  readonly onWindow: (window: ViewWindow) => void;
}

/** In pixels of the browser window. */
export interface PointerPlace {
  readonly x: number;
  readonly y: number;
}

const ANIMATION_MS = 160;
const REST_MS = 120;
/** Smaller movements are a click. */
const DRAG_PIXELS = 4;

export class FlameCanvas {
  private scene: Scene | undefined;
  private readonly context: CanvasRenderingContext2D;
  private readonly observer: ResizeObserver;
  private readonly pointers = new Map<number, { readonly startX: number; x: number; readonly startY: number }>();
  private frameRequest = 0;
  private animation: { readonly from: ViewWindow; readonly startMs: number } | undefined;
  private isDragging = false;
  /** While the user moves the window: the last window the page knows, and the timer that ends the move. */
  private moving: { readonly from: ViewWindow; readonly timer: ReturnType<typeof setTimeout> } | undefined;
  private readonly stop = new AbortController();
  private readonly box: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  /** Replaced on every render of the page. */
  events: FlameEvents;

  constructor(box: HTMLElement, canvas: HTMLCanvasElement, events: FlameEvents) {
    this.box = box;
    this.canvas = canvas;
    this.events = events;
    const context = canvas.getContext('2d', { alpha: false });
    if (context === null) throw new Error('bug: no 2d context');
    this.context = context;
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(box);
    const { signal } = this.stop;
    box.addEventListener('scroll', () => this.requestFrame(), { signal, passive: true });
    box.addEventListener('wheel', event => this.wheel(event), { signal, passive: false });
    canvas.addEventListener('pointerdown', event => this.pointerDown(event), { signal });
    canvas.addEventListener('pointermove', event => this.pointerMove(event), { signal });
    canvas.addEventListener('pointerup', event => this.pointerUp(event), { signal });
    canvas.addEventListener('pointercancel', event => this.pointers.delete(event.pointerId), { signal });
    canvas.addEventListener('pointerleave', event => this.events.onHover(-1, placeOf(event)), { signal });
    canvas.addEventListener('click', event => this.click(event), { signal });
    canvas.addEventListener('dblclick', () => !this.isDragging && this.events.onDoubleClick(), { signal });
    canvas.addEventListener('contextmenu', event => this.menu(event), { signal });
  }

  dispose(): void {
    this.stop.abort();
    this.observer.disconnect();
    cancelAnimationFrame(this.frameRequest);
    this.stopMoving();
  }

  /** `animate` moves smoothly to a new window. */
  show(given: Scene, animate: boolean): void {
    const before = this.scene;
    // While the user moves the window, the page still has the old one.
    const isBackground = this.moving !== undefined && before?.tree === given.tree && given.window === this.moving.from;
    const scene = isBackground && before !== undefined ? { ...given, window: before.window } : given;
    if (!isBackground) this.stopMoving();
    this.scene = scene;
    const moved = before !== undefined && before.tree === scene.tree && before.window !== scene.window;
    if (moved && animate && !matchMedia('(prefers-reduced-motion: reduce)').matches) {
      this.animation = { from: this.shownWindow(performance.now(), before.window), startMs: performance.now() };
    } else if (moved) {
      this.animation = undefined;
    }
    this.requestFrame();
  }

  /** Scrolls just far enough to show the node's row. */
  revealRow(node: number): void {
    if (this.scene === undefined) return;
    const top = rowTop(this.scene, this.viewport(), this.scene.tree.depth[node]);
    const below = top + ROW_PIXELS - this.box.clientHeight;
    if (top < 0) this.box.scrollTop += top;
    else if (below > 0) this.box.scrollTop += below;
  }

  /** Where a node is drawn, in the browser window; for a menu that the keyboard opens. */
  placeOf(node: number): PointerPlace {
    const { left, top, width } = this.canvas.getBoundingClientRect();
    if (this.scene === undefined) return { x: left, y: top };
    const { tree, window } = this.scene;
    const from = ((tree.x[node] - window.left) / (window.right - window.left)) * width;
    const below = rowTop(this.scene, this.viewport(), tree.depth[node]) + ROW_PIXELS;
    return { x: left + Math.min(Math.max(from, 0), width), y: top + below };
  }

  private viewport(): Viewport {
    return { width: this.box.clientWidth, height: this.box.clientHeight, scrollTop: this.box.scrollTop };
  }

  private resize(): void {
    const { width, height } = this.viewport();
    const scale = devicePixelRatio;
    this.canvas.width = Math.max(1, Math.round(width * scale));
    this.canvas.height = Math.max(1, Math.round(height * scale));
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    this.context.font = `12px ${getComputedStyle(this.canvas).fontFamily}`;
    // Draw now: a resized canvas is black until it is painted.
    this.draw(performance.now());
  }

  private requestFrame(): void {
    if (this.frameRequest !== 0) return;
    this.frameRequest = requestAnimationFrame(nowMs => {
      this.frameRequest = 0;
      this.draw(nowMs);
    });
  }

  private draw(nowMs: number): void {
    if (this.scene === undefined) return;
    const window = this.shownWindow(nowMs, this.scene.window);
    paint(this.context, { ...this.scene, window }, this.viewport());
    if (this.animation !== undefined) this.requestFrame();
  }

  /** The window of a running animation that ends at `to`. */
  private shownWindow(nowMs: number, to: ViewWindow): ViewWindow {
    if (this.animation === undefined) return to;
    const share = (nowMs - this.animation.startMs) / ANIMATION_MS;
    if (share >= 1) {
      this.animation = undefined;
      return to;
    }
    const eased = 1 - (1 - Math.max(0, share)) ** 3;
    return interpolate(this.animation.from, to, eased);
  }

  private nodeUnder(event: MouseEvent): number {
    if (this.scene === undefined) return -1;
    const { left, top } = this.canvas.getBoundingClientRect();
    const viewport = this.viewport();
    const depth = depthAt(this.scene, viewport, event.clientY - top);
    return frameAt(this.scene.tree, this.scene.window, viewport.width, depth, event.clientX - left);
  }

  private setWindow(window: ViewWindow): void {
    if (this.scene === undefined) return;
    const from = this.moving?.from ?? this.scene.window;
    this.stopMoving();
    this.animation = undefined;
    this.scene = { ...this.scene, window };
    this.requestFrame();
    const rest = (): void => {
      this.moving = undefined;
      this.events.onWindow(window);
    };
    this.moving = { from, timer: setTimeout(rest, REST_MS) };
  }

  private stopMoving(): void {
    clearTimeout(this.moving?.timer);
    this.moving = undefined;
  }

  private wheel(event: WheelEvent): void {
    if (this.scene === undefined) return;
    const { left, width } = this.canvas.getBoundingClientRect();
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      const factor = Math.exp(Math.max(-120, Math.min(120, event.deltaY)) * 0.004);
      this.setWindow(zoomAround(this.scene.window, factor, (event.clientX - left) / width));
      return;
    }
    const sideways = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
    if (Math.abs(sideways) <= Math.abs(event.shiftKey ? 0 : event.deltaY)) return;
    event.preventDefault();
    this.setWindow(panBy(this.scene.window, sideways / width));
  }

  private pointerDown(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.pointers.set(event.pointerId, { startX: event.clientX, x: event.clientX, startY: event.clientY });
    if (this.pointers.size === 1) this.isDragging = false;
  }

  private pointerMove(event: PointerEvent): void {
    const pointer = this.pointers.get(event.pointerId);
    if (pointer === undefined || this.scene === undefined) {
      this.events.onHover(this.nodeUnder(event), placeOf(event));
      return;
    }
    const { left, width } = this.canvas.getBoundingClientRect();
    const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1];
    if (!this.isDragging && Math.abs(event.clientX - pointer.startX) < DRAG_PIXELS && other === undefined) return;
    if (!this.isDragging) this.events.onHover(-1, placeOf(event));
    this.isDragging = true;
    this.canvas.setPointerCapture(event.pointerId);
    if (other === undefined) {
      this.setWindow(panBy(this.scene.window, (pointer.x - event.clientX) / width));
    } else {
      const factor = Math.abs(pointer.x - other.x) / Math.max(1, Math.abs(event.clientX - other.x));
      this.setWindow(zoomAround(this.scene.window, factor, ((event.clientX + other.x) / 2 - left) / width));
    }
    pointer.x = event.clientX;
  }

  private pointerUp(event: PointerEvent): void {
    this.pointers.delete(event.pointerId);
  }

  private click(event: MouseEvent): void {
    if (this.isDragging || event.detail > 1) return;
    const node = this.nodeUnder(event);
    if (node >= 0) this.events.onClick(node);
  }

  private menu(event: MouseEvent): void {
    const node = this.nodeUnder(event);
    if (node >= 0 && this.events.onMenu(node, placeOf(event))) event.preventDefault();
  }
}

function placeOf({ clientX, clientY }: MouseEvent): PointerPlace {
  return { x: clientX, y: clientY };
}
