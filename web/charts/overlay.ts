/** What a chart shows besides its lines: restarts, the fitted trend with its interval, the limit and when it is reached. */
import type uPlot from 'uplot';
import type { ChartTrend } from '../../src/watch/watch-model.ts';
import { colour } from '../state/theme.ts';

export interface Overlay {
  /** Times between two lives. */
  readonly restarts: readonly number[];
  readonly trend: ChartTrend | undefined;
  readonly limit: { readonly value: number; readonly text: string } | undefined;
  /** The time range in which the limit may be reached. */
  readonly limitBand: readonly [number, number] | undefined;
  /** Shown at the right edge when the band is beyond it. */
  readonly limitIn: string;
  /** The times of the selected captures. */
  readonly captures: readonly number[];
  readonly now: number;
}

/** Below the lines. */
export function drawBelow(u: uPlot, { limitBand, now }: Overlay): void {
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

/** Above the lines. */
export function drawAbove(u: uPlot, overlay: Overlay): void {
  within(u, (context, plot) => {
    drawRestarts(context, plot, overlay.restarts);
    for (const at of overlay.captures) vertical(context, plot, at, colour('--accent'), []);
    if (overlay.trend !== undefined) drawTrend(context, plot, overlay.trend);
    if (overlay.limit !== undefined) drawLimit(context, plot, overlay.limit);
    if (overlay.limitBand !== undefined && plot.x(overlay.limitBand[0]) > plot.right) {
      label(context, plot.right - 4 * devicePixelRatio, plot.top, `${overlay.limitIn} →`, colour('--grow'), 'right');
    }
  });
}

interface Plot {
  readonly x: (at: number) => number;
  readonly y: (value: number) => number;
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

/** Draws in canvas pixels, clipped to the plot. */
function within(u: uPlot, draw: (context: CanvasRenderingContext2D, plot: Plot) => void): void {
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

function drawRestarts(context: CanvasRenderingContext2D, plot: Plot, restarts: readonly number[]): void {
  for (const at of restarts) {
    vertical(context, plot, at, colour('--line-strong'), [2, 3]);
    // A triangle on the axis marks the start of a life.
    const x = plot.x(at);
    const size = 5 * devicePixelRatio;
    context.fillStyle = colour('--fg');
    context.beginPath();
    context.moveTo(x - size, plot.bottom);
    context.lineTo(x + size, plot.bottom);
    context.lineTo(x, plot.bottom - size * 1.4);
    context.fill();
  }
}

/** The fitted line up to now, and from there on a fan with its middle dashed. */
function drawTrend(context: CanvasRenderingContext2D, { x, y }: Plot, trend: ChartTrend): void {
  const now = [x(trend.at), y(trend.valueAt)] as const;
  const end = x(trend.to);
  context.fillStyle = colour('--grow');
  context.globalAlpha = 0.2;
  context.beginPath();
  context.moveTo(...now);
  context.lineTo(end, y(trend.lowTo));
  context.lineTo(end, y(trend.highTo));
  context.fill();
  context.globalAlpha = 1;
  context.strokeStyle = colour('--grow');
  context.lineWidth = 1.25 * devicePixelRatio;
  line(context, [x(trend.from), y(trend.valueFrom)], now, []);
  if (trend.valueTo !== null) line(context, now, [end, y(trend.valueTo)], [4, 3]);
}

type Point = readonly [x: number, y: number];

function line(context: CanvasRenderingContext2D, from: Point, to: Point, dash: readonly number[]): void {
  context.setLineDash(dash.map(length => length * devicePixelRatio));
  context.beginPath();
  context.moveTo(...from);
  context.lineTo(...to);
  context.stroke();
  context.setLineDash([]);
}

function drawLimit(context: CanvasRenderingContext2D, plot: Plot, limit: { value: number; text: string }): void {
  const y = plot.y(limit.value);
  const isAbove = y < plot.top;
  if (!isAbove) {
    context.strokeStyle = colour('--fg');
    context.lineWidth = devicePixelRatio;
    context.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
    context.beginPath();
    context.moveTo(plot.left, y);
    context.lineTo(plot.right, y);
    context.stroke();
  }
  const top = isAbove ? plot.top : y;
  label(context, plot.left + 6 * devicePixelRatio, top, isAbove ? `${limit.text} ↑` : limit.text, colour('--fg'));
}

function vertical(context: CanvasRenderingContext2D, plot: Plot, at: number, stroke: string, dash: number[]): void {
  const x = Math.round(plot.x(at)) + 0.5;
  context.strokeStyle = stroke;
  context.lineWidth = devicePixelRatio;
  context.setLineDash(dash.map(length => length * devicePixelRatio));
  context.beginPath();
  context.moveTo(x, plot.top);
  context.lineTo(x, plot.bottom);
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
