/** How uPlot draws one chart: scales, axes, lines, cursor and selection. */
import type uPlot from 'uplot';
import { amountText, type Unit } from '../widgets/value-text.ts';
import { colour } from '../state/theme.ts';
import { axisTicks } from '../widgets/time-text.ts';
import { valueRange, type ChartData } from './chart-data.ts';
import { drawAbove, drawBelow, type Overlay } from './overlay.ts';
import type { Panel } from './panels.ts';

/** Pixels. The lanes above and below the charts use the same margins. */
export const AXIS_WIDTH = 68;
export const RIGHT_MARGIN = 8;
const PLOT_HEIGHT = 96;
const MAIN_PLOT_HEIGHT = 168;
/** A chart with a limit has much to show above its line. */
const LIMIT_PLOT_HEIGHT = 128;
const TIME_AXIS_HEIGHT = 22;
const TIME_TICK_DISTANCE = 90;

/** Where a drag began: charts that share a cursor show the selection, too, but only one reports it. */
export interface Drag {
  readonly on: uPlot;
  readonly withShift: boolean;
}

export interface ChartContent {
  readonly panel: Panel;
  readonly data: ChartData;
  readonly range: readonly [number, number];
  readonly overlay: Overlay;
  readonly width: number;
  readonly hasTimeAxis: boolean;
  /** The chart of the resource that leaks is larger. */
  readonly isMain: boolean;
  /** The selected time range, which every chart shows. */
  readonly brush: readonly [number, number] | undefined;
  /** The last drag on any of the charts of a page. */
  readonly drag: { current: Drag | undefined };
  /** The user has dragged across a time range; with Shift, to compare it with the range before. */
  readonly onBrush: (range: readonly [number, number], withShift: boolean) => void;
}

export function chartHeight({ hasTimeAxis, isMain, overlay }: ChartContent): number {
  const plot = isMain ? MAIN_PLOT_HEIGHT : overlay.limit === undefined ? PLOT_HEIGHT : LIMIT_PLOT_HEIGHT;
  return plot + (hasTimeAxis ? TIME_AXIS_HEIGHT : 0);
}

const LINE: uPlot.Series = { scale: 'y', stroke: () => colour('--fg'), width: 1.5, points: { show: false } };
const BACKGROUND_LINE: uPlot.Series = {
  scale: 'background',
  stroke: () => colour('--line-strong'),
  fill: () => colour('--sunk'),
  width: 1,
  points: { show: false },
};

/** Drawing reads `latest.current`, so that a chart is created once and then only redrawn. */
export function chartOptions(
  latest: { readonly current: ChartContent },
  onCursor: (index: number | null) => void,
): uPlot.Options {
  const { panel, width, hasTimeAxis, range, drag } = latest.current;
  const unit = panel.lines[0]?.unit ?? 'count';
  const axisFont = `11px ${getComputedStyle(document.documentElement).getPropertyValue('--mono')}`;
  const grid = { stroke: () => colour('--line'), width: 1 };
  const hidden = { show: false };
  return {
    width,
    height: chartHeight(latest.current),
    padding: [6, RIGHT_MARGIN, hasTimeAxis ? 0 : 6, 0],
    legend: hidden,
    scales: {
      x: { time: true, min: range[0], max: range[1], auto: false },
      y: { range: () => valueAxisRange(latest.current) },
      background: { range: (_, low, high) => (low === null || high === null ? [0, 1] : [0, Math.max(high, 1) * 1.15]) },
    },
    axes: [
      {
        show: hasTimeAxis,
        size: TIME_AXIS_HEIGHT,
        gap: 2,
        font: axisFont,
        stroke: () => colour('--muted'),
        grid,
        ticks: hidden,
        splits: (u, _, from, to) => axisTicks(from, to, u.width / TIME_TICK_DISTANCE).map(({ at }) => at),
        values: (u, splits) => {
          const { min, max } = u.scales['x'] ?? {};
          const ticks = axisTicks(min ?? 0, max ?? 0, u.width / TIME_TICK_DISTANCE);
          const texts = new Map(ticks.map(({ at, text }) => [at, text]));
          return splits.map(at => texts.get(at) ?? '');
        },
      },
      {
        scale: 'y',
        size: AXIS_WIDTH,
        gap: 4,
        font: axisFont,
        stroke: () => colour('--muted'),
        grid,
        ticks: hidden,
        space: 28,
        ...(unit === 'bytes' ? { incrs: BINARY_STEPS } : {}),
        values: (_, splits) => splits.map(value => tickText(unit, value)),
      },
    ],
    series: [{}, ...panel.lines.map(line => (line.isBackground ? BACKGROUND_LINE : LINE))],
    cursor: {
      y: false,
      points: { size: 6 },
      sync: { key: 'target' },
      drag: { x: true, y: false, setScale: false },
    },
    hooks: {
      init: [
        u => u.over.addEventListener('mousedown', event => void (drag.current = { on: u, withShift: event.shiftKey })),
      ],
      drawClear: [u => drawBelow(u, latest.current.overlay)],
      draw: [u => drawAbove(u, latest.current.overlay)],
      setCursor: [u => onCursor(u.cursor.idx ?? null)],
      setSelect: [
        u => {
          const { left, width: selected } = u.select;
          if (selected < 4 || drag.current?.on !== u) return;
          latest.current.onBrush([u.posToVal(left, 'x'), u.posToVal(left + selected, 'x')], drag.current.withShift);
        },
      ],
    },
  };
}

const BINARY_STEPS = Array.from({ length: 50 }, (_, power) => 2 ** power);

function tickText(unit: Unit, value: number): string {
  return value === 0 ? '0' : amountText(unit, value);
}

/** A limit up to this many times the highest value is part of the chart; otherwise a note at the top names it. */
const NEAR_LIMIT = 16;

function valueAxisRange({ panel, data, overlay, range }: ChartContent): [number, number] {
  const front = data.columns.filter((_, line) => panel.lines[line]?.isBackground === false);
  const isShown = data.times.map(at => at >= range[0] && at <= range[1]);
  const values = front.flatMap(column => column.filter((_, i) => isShown[i] === true));
  const { trend, limit } = overlay;
  const top = Math.max(...values.map(value => value ?? -Infinity));
  const isNear = limit !== undefined && limit.value <= top * NEAR_LIMIT;
  const ahead = trend === undefined ? [] : forecastAt(trend, range[1]);
  // Beyond the limit there is nothing to see.
  const shown = isNear ? [...ahead.map(value => Math.min(value, limit.value)), limit.value * 1.04] : ahead;
  const fitted = trend === undefined ? [] : [trend.valueFrom, trend.valueAt];
  const [from, to] = valueRange([...values, ...fitted, ...shown], panel.resource === null);
  return [from, to];
}

/** The edges of the forecast at the right edge of the chart. */
function forecastAt(trend: NonNullable<Overlay['trend']>, edge: number): number[] {
  const share = Math.min(1, Math.max(0, (edge - trend.at) / Math.max(1, trend.to - trend.at)));
  return [trend.lowTo, trend.highTo].map(value => trend.valueAt + share * (value - trend.valueAt));
}
