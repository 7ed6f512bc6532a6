/**
 * The heat map of the rows in view: one canvas beside them, a strip per row, a cell per bin. A verdict has its height as
 * well as its colour: leak fills the strip, watch its lower half, healthy is a line, unknown a dotted one.
 */
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { FleetRow } from '../../src/model/watch.ts';
import { colour, theme } from '../state/theme.ts';
import { heatRuns } from './heat-runs.ts';

export interface HeatMapProps {
  readonly rows: readonly FleetRow[];
  readonly binCount: number;
  readonly width: number;
  readonly rowHeight: number;
  /** Where the strip stands within a row. */
  readonly stripTop: number;
  readonly stripHeight: number;
}

export function HeatMap({ rows, binCount, width, rowHeight, stripTop, stripHeight }: HeatMapProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const height = rows.length * rowHeight;
  const drawnTheme = theme.value;

  useLayoutEffect(() => {
    const element = canvas.current;
    const context = element?.getContext('2d');
    if (element === null || !context || width <= 0) return;
    const ratio = devicePixelRatio;
    element.width = Math.round(width * ratio);
    element.height = Math.round(height * ratio);
    context.scale(ratio, ratio);
    for (const [i, row] of rows.entries()) {
      drawStrip(context, row.heat, width / Math.max(1, binCount), i * rowHeight + stripTop, stripHeight);
    }
  }, [rows, binCount, width, rowHeight, stripTop, stripHeight, drawnTheme]);

  return (
    <canvas ref={canvas} class="heat-map" style={{ width: `${width}px`, height: `${height}px` }} aria-hidden="true" />
  );
}

function drawStrip(context: CanvasRenderingContext2D, heat: string, cell: number, top: number, height: number): void {
  const bottom = top + height;
  for (const { letter, from, to } of heatRuns(heat)) {
    // Whole pixels: neighbours meet without a seam.
    const x = Math.round(from * cell);
    const wide = Math.max(1, Math.round(to * cell) - x);
    switch (letter) {
      case 'l':
        context.fillStyle = colour('--leak');
        context.fillRect(x, top, wide, height);
        break;
      case 'w':
        context.fillStyle = colour('--watch');
        context.fillRect(x, bottom - height / 2, wide, height / 2);
        break;
      case 'h':
        context.fillStyle = colour('--healthy');
        context.fillRect(x, bottom - 2, wide, 2);
        break;
      case 'u':
        context.fillStyle = colour('--unknown');
        for (let dot = x; dot < x + wide; dot += 5) context.fillRect(dot, bottom - 2, 2, 2);
        break;
    }
  }
}
