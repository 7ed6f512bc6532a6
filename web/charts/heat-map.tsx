/**
 * The heat map of the visible rows: one canvas, a bar per row, a cell per time bin. Verdicts differ in height as well as
 * in colour: leak fills the bar, watch the lower half of it; healthy is a line, unknown a dotted line.
 */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { formatAge } from '../../src/base/say.ts';
import type { FleetRow } from '../../src/watch/views/fleet.ts';
import type { TimeBins } from '../../src/watch/watch-model.ts';
import { colour, theme } from '../state/theme.ts';
import { utcText, axisTicks } from '../widgets/time-text.ts';

export interface HeatMapProps {
  readonly rows: readonly FleetRow[];
  readonly binCount: number;
  readonly width: number;
  readonly rowHeight: number;
  /** The top of the bar within its row. */
  readonly barTop: number;
  readonly barHeight: number;
}

export function HeatMap({ rows, binCount, width, rowHeight, barTop, barHeight }: HeatMapProps) {
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
      drawBar(context, row.heat, width / Math.max(1, binCount), i * rowHeight + barTop, barHeight);
    }
  }, [rows, binCount, width, rowHeight, barTop, barHeight, drawnTheme]);

  return (
    <canvas ref={canvas} class="heat-map" style={{ width: `${width}px`, height: `${height}px` }} aria-hidden="true" />
  );
}

function drawBar(context: CanvasRenderingContext2D, heat: string, cell: number, top: number, height: number): void {
  const bottom = top + height;
  for (const { letter, from, to } of heatRuns(heat)) {
    // Round to whole pixels, so that there are no gaps between cells.
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

/** The time axis above the heat map. */
const LABEL_WIDTH = 64;

export function HeatAxis({ bins, width }: { readonly bins: TimeBins; readonly width: number }) {
  if (width <= 0) return null;
  const span = bins.stepSeconds * bins.count;
  const xOf = (at: number): number => ((at - bins.from) / span) * width;
  const ticks = axisTicks(bins.from, bins.from + span, Math.max(1, Math.floor(width / LABEL_WIDTH)));
  return (
    <div class="heat-axis" aria-hidden="true">
      {ticks
        .filter(({ at }) => xOf(at) < width - LABEL_WIDTH / 2)
        .map(({ at, text }) => (
          <span key={at} class="mono" style={{ left: `${xOf(at)}px` }} title={utcText(at)}>
            {text}
          </span>
        ))}
    </div>
  );
}

/** A row of the heat map, one letter per bin, as runs of equal letters and as a sentence for screen readers. */
interface HeatRun {
  readonly letter: string;
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

const VERDICT_NAMES: Readonly<Record<string, string>> = {
  l: 'leak',
  w: 'watch',
  h: 'healthy',
  u: 'unknown',
  '-': 'no data',
};

export function heatRuns(heat: string): HeatRun[] {
  const runs: HeatRun[] = [];
  for (let from = 0; from < heat.length;) {
    const letter = heat.charAt(from);
    let to = from + 1;
    while (heat.charAt(to) === letter) to++;
    runs.push({ letter, from, to });
    from = to;
  }
  return runs;
}

const MAX_RUNS = 5;

/** `healthy 4d, watch 12h, leak 1d4h`; only the last runs if there are many. */
export function heatSentence(heat: string, { stepSeconds }: TimeBins): string {
  const runs = heatRuns(heat);
  const shown = runs.slice(-MAX_RUNS);
  const parts = shown.map(
    ({ letter, from, to }) => `${VERDICT_NAMES[letter] ?? 'unknown'} ${formatAge((to - from) * stepSeconds)}`,
  );
  return `${runs.length > shown.length ? 'other verdicts earlier, then ' : ''}${parts.join(', ')}`;
}
