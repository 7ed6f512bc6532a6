/** What is drawn in a chart besides its lines: lives, the fitted trend with its interval, the limit and when it comes. */
import type uPlot from 'uplot';
import type { ChartTrend } from '../../src/model/watch.ts';
import { colour } from '../state/theme.ts';

export interface Overlay {
  /** Moments between two lives. */
  readonly restarts: readonly number[];
  readonly trend: ChartTrend | undefined;
  readonly limit: { readonly value: number; readonly text: string } | undefined;
  /** From when to when the limit may be reached. */
  readonly limitBand: readonly [number, number] | undefined;
  /** Said at the right edge when the band is beyond it. */
  readonly limitIn: string;
  /** The captures that are chosen; their names stand in their lane. */
  readonly marks: readonly number[];
  readonly now: number;
}

/** Under the lines. */
export function drawBehind(u: uPlot, { limitBand, now }: Overlay): void {
  within(u, (context, { x, top, bottom, right }) => {
    context.fillStyle = colour('--raised');
    context.fillRect(x(now), top, Math.max(0, right - x(now)), bottom - top);
    if (limitBand === undefined) return;
    context.globalAlpha = 0.22;
    context.fillStyle = colour('--grow');
    const from = x(limitBand[0]);
    context.fillRect(from, top, Math.max(devicePixelRatio, Math.min(right, x(limitBand[1])) - from), bottom - top);
  });
}

/** Over the lines. */
export function drawAbove(u: uPlot, overlay: Overlay): void {
  within(u, (context, frame) => {
    drawRestarts(context, frame, overlay.restarts);
    for (const at of overlay.marks) vertical(context, frame, at, colour('--accent'), []);
    if (overlay.trend !== undefined) drawTrend(context, frame, overlay.trend);
    if (overlay.limit !== undefined) drawLimit(context, frame, overlay.limit);
    if (overlay.limitBand !== undefined && frame.x(overlay.limitBand[0]) > frame.right) {
      label(context, frame.right - 4 * devicePixelRatio, frame.top, `${overlay.limitIn} →`, colour('--grow'), 'right');
    }
  });
}

interface Frame {
  readonly x: (at: number) => number;
  readonly y: (value: number) => number;
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

/** Canvas pixels, clipped to the plot. */
function within(u: uPlot, draw: (context: CanvasRenderingContext2D, frame: Frame) => void): void {
  const { ctx: context, bbox } = u;
  context.save();
  context.beginPath();
  context.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  context.clip();
  draw(context, {
    x: at => u.valToPos(at, 'x', true),
    y: value => u.valToPos(value, 'y', true),
    top: bbox.top,
    bottom: bbox.top + bbox.height,
    left: bbox.left,
    right: bbox.left + bbox.width,
  });
  context.restore();
}

function drawRestarts(context: CanvasRenderingContext2D, frame: Frame, restarts: readonly number[]): void {
  for (const at of restarts) {
    vertical(context, frame, at, colour('--line-strong'), [2, 3]);
    // The tick on the axis: a life begins here.
    const x = frame.x(at);
    const size = 5 * devicePixelRatio;
    context.fillStyle = colour('--fg');
    context.beginPath();
    context.moveTo(x - size, frame.bottom);
    context.lineTo(x + size, frame.bottom);
    context.lineTo(x, frame.bottom - size * 1.4);
    context.fill();
  }
}

function drawTrend(context: CanvasRenderingContext2D, { x, y }: Frame, trend: ChartTrend): void {
  const start = [x(trend.from), y(trend.valueFrom)] as const;
  const end = x(trend.to);
  context.fillStyle = colour('--grow');
  context.globalAlpha = 0.2;
  context.beginPath();
  context.moveTo(...start);
  context.lineTo(end, y(trend.lowTo));
  context.lineTo(end, y(trend.highTo));
  context.fill();
  context.globalAlpha = 1;
  context.strokeStyle = colour('--grow');
  context.lineWidth = 1.25 * devicePixelRatio;
  context.setLineDash([]);
  context.beginPath();
  context.moveTo(...start);
  context.lineTo(end, y(trend.valueTo));
  context.stroke();
}

function drawLimit(context: CanvasRenderingContext2D, frame: Frame, limit: { value: number; text: string }): void {
  const y = frame.y(limit.value);
  const isAbove = y < frame.top;
  if (!isAbove) {
    context.strokeStyle = colour('--fg');
    context.lineWidth = devicePixelRatio;
    context.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
    context.beginPath();
    context.moveTo(frame.left, y);
    context.lineTo(frame.right, y);
    context.stroke();
  }
  const top = isAbove ? frame.top : y;
  label(context, frame.left + 6 * devicePixelRatio, top, isAbove ? `${limit.text} ↑` : limit.text, colour('--fg'));
}

function vertical(context: CanvasRenderingContext2D, frame: Frame, at: number, stroke: string, dash: number[]): void {
  const x = Math.round(frame.x(at)) + 0.5;
  context.strokeStyle = stroke;
  context.lineWidth = devicePixelRatio;
  context.setLineDash(dash.map(length => length * devicePixelRatio));
  context.beginPath();
  context.moveTo(x, frame.top);
  context.lineTo(x, frame.bottom);
  context.stroke();
  context.setLineDash([]);
}

function label(
  context: CanvasRenderingContext2D,
  x: number,
  top: number,
  text: string,
  fill: string,
  align: 'left' | 'right' = 'left',
): void {
  context.font = `${11 * devicePixelRatio}px ${getComputedStyle(document.body).fontFamily}`;
  context.textAlign = align;
  context.textBaseline = 'top';
  const pad = 2 * devicePixelRatio;
  context.globalAlpha = 0.85;
  context.fillStyle = colour('--bg');
  const wide = context.measureText(text).width;
  context.fillRect(x - pad - (align === 'right' ? wide : 0), top + pad, wide + 2 * pad, 13 * devicePixelRatio);
  context.globalAlpha = 1;
  context.fillStyle = fill;
  context.fillText(text, x, top + pad);
}
