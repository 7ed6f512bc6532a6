/** One chart of the stack on a target's page: uPlot with our axes, our overlay, and a brush. */
import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { axisTicks } from '../text/time-text.ts';
import { colour, theme } from '../state/theme.ts';
import { amountText, type Unit } from '../text/amount-text.ts';
import { valueRange, type ChartData } from './chart-data.ts';
import { drawAbove, drawBehind, type Overlay } from './overlay.ts';
import type { Panel } from './panels.ts';

/** Pixels that the lanes beside the charts keep free, too. */
export const AXIS_WIDTH = 68;
export const RIGHT_MARGIN = 8;
const PLOT_HEIGHT = 96;
/** Of what the page is about. */
const MAIN_HEIGHT = 168;
const TIME_AXIS_HEIGHT = 22;

export interface TimeChartProps {
  readonly panel: Panel;
  readonly data: ChartData;
  readonly range: readonly [number, number];
  readonly overlay: Overlay;
  readonly width: number;
  readonly hasTimeAxis: boolean;
  readonly isMain: boolean;
  readonly onBrush: (range: readonly [number, number]) => void;
}

export function TimeChart(props: TimeChartProps) {
  const { panel, data, range, overlay, width, hasTimeAxis, isMain } = props;
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const cursor = useMemo(() => signal<number | null>(null), []);
  const shape = panel.lines.map(line => line.series.metric + line.isBehind).join();
  const drawnTheme = theme.value;

  useLayoutEffect(() => {
    if (host.current === null) return;
    const made = new uPlot(
      options(latest, index => void (cursor.value = index)),
      toColumns(data),
      host.current,
    );
    chart.current = made;
    return () => made.destroy();
  }, [shape, hasTimeAxis]);

  useEffect(() => {
    const made = chart.current;
    if (made === undefined) return;
    made.batch(() => {
      made.setSize({ width, height: heightOf(props) });
      made.setData(toColumns(data), false);
      made.setScale('x', { min: range[0], max: range[1] });
    });
    made.redraw(true, true);
  }, [data, range[0], range[1], overlay, width, drawnTheme, hasTimeAxis, isMain]);

  return (
    <figure class="time-chart" aria-label={spoken(panel)}>
      <figcaption>
        <strong>{panel.title}</strong>
        {panel.lines
          .map((line, i) => <Reading key={line.label} line={line} column={data.columns[i]} at={cursor.value} />)
          .reverse()}
      </figcaption>
      <div ref={host} aria-hidden="true" />
    </figure>
  );
}

/** The value under the cursor, else the newest. */
function Reading(props: {
  readonly line: Panel['lines'][number];
  readonly column: readonly (number | null)[];
  readonly at: number | null;
}) {
  const { line, column, at } = props;
  const value = at === null ? lastOf(column) : (column[at] ?? null);
  return (
    <span class={line.isBehind ? 'time-chart-behind' : 'time-chart-front'}>
      {line.label} <span class="mono">{amountText(line.unit, value)}</span>
      {line.isBehind && ', own scale'}
    </span>
  );
}

function spoken({ title, lines }: Panel): string {
  const parts = lines.map(line => `${line.label} ${amountText(line.unit, lastOf(line.series.values))}`);
  return `${title}: ${parts.join(', ')}. The numbers are in the table below.`;
}

function heightOf({ hasTimeAxis, isMain }: TimeChartProps): number {
  return (isMain ? MAIN_HEIGHT : PLOT_HEIGHT) + (hasTimeAxis ? TIME_AXIS_HEIGHT : 0);
}

function lastOf(values: readonly (number | null)[]): number | null {
  return values.findLast(value => value !== null) ?? null;
}

function toColumns({ times, columns }: ChartData): uPlot.AlignedData {
  return [times as number[], ...(columns as (number | null)[][])];
}

/** Everything that may change is read from `latest` when it is drawn, so a chart is made once and then only redrawn. */
function options(latest: { current: TimeChartProps }, onCursor: (index: number | null) => void): uPlot.Options {
  const { panel, width, hasTimeAxis, range } = latest.current;
  const unit = panel.lines[0].unit;
  const axisFont = `11px ${getComputedStyle(document.documentElement).getPropertyValue('--mono')}`;
  const grid = { stroke: () => colour('--line'), width: 1 };
  const quiet = { show: false };
  return {
    width,
    height: heightOf(latest.current),
    padding: [6, RIGHT_MARGIN, hasTimeAxis ? 0 : 6, 0],
    legend: { show: false },
    scales: {
      x: { time: true, min: range[0], max: range[1], auto: false },
      y: { range: () => yRange(latest.current) },
      behind: { range: (_, low, high) => (low === null || high === null ? [0, 1] : [0, Math.max(high, 1) * 1.15]) },
    },
    axes: [
      {
        show: hasTimeAxis,
        size: TIME_AXIS_HEIGHT,
        gap: 2,
        font: axisFont,
        stroke: () => colour('--muted'),
        grid,
        ticks: quiet,
        splits: (u, _, from, to) => axisTicks(from, to, u.width / 90).map(({ at }) => at),
        values: (u, splits) => {
          const texts = new Map(
            axisTicks(u.scales['x'].min ?? 0, u.scales['x'].max ?? 0, u.width / 90).map(t => [t.at, t.text]),
          );
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
        ticks: quiet,
        space: 28,
        ...(unit === 'bytes' ? { incrs: BINARY_STEPS } : {}),
        values: (_, splits) => splits.map(value => tickText(unit, value)),
      },
    ],
    series: [
      {},
      ...panel.lines.map(line =>
        line.isBehind
          ? {
              scale: 'behind',
              stroke: () => colour('--line-strong'),
              fill: () => colour('--sunk'),
              width: 1,
              points: quiet,
            }
          : { scale: 'y', stroke: () => colour('--fg'), width: 1.5, points: quiet },
      ),
    ],
    cursor: {
      y: false,
      points: { size: 6 },
      sync: { key: 'target' },
      drag: { x: true, y: false, setScale: false },
    },
    hooks: {
      drawClear: [u => drawBehind(u, latest.current.overlay)],
      draw: [u => drawAbove(u, latest.current.overlay)],
      setCursor: [u => onCursor(u.cursor.idx ?? null)],
      setSelect: [
        u => {
          if (u.select.width < 4) return;
          const ends = [u.select.left, u.select.left + u.select.width].map(px => u.posToVal(px, 'x'));
          latest.current.onBrush([ends[0], ends[1]]);
        },
      ],
    },
  };
}

const BINARY_STEPS = Array.from({ length: 50 }, (_, power) => 2 ** power);

function tickText(unit: Unit, value: number): string {
  return value === 0 ? '0' : amountText(unit, value);
}

/** A limit belongs to the picture when it is near; else a note at the upper edge tells of it. */
const NEAR_LIMIT = 1.7;

function yRange({ panel, data, overlay, range }: TimeChartProps): [number, number] {
  const front = data.columns.filter((_, line) => panel.lines[line]?.isBehind === false);
  const values = front.flatMap(column => column.filter((_, i) => isWithin(data.times[i], range)));
  const { trend, limit } = overlay;
  const fitted = trend === undefined ? [] : [trend.valueFrom, ...reached(trend, range[1])];
  const top = Math.max(...[...values, ...fitted].map(value => value ?? -Infinity));
  const near = limit !== undefined && limit.value <= top * NEAR_LIMIT ? [limit.value * 1.04] : [];
  const [from, to] = valueRange([...values, ...fitted, ...near], panel.resource === null);
  return [from, to];
}

function isWithin(at: number, [from, to]: readonly [number, number]): boolean {
  return at >= from && at <= to;
}

/** Where the trend and its upper bound are at the right edge of the chart. */
function reached(trend: NonNullable<Overlay['trend']>, edge: number): number[] {
  const share = Math.min(1, Math.max(0, (edge - trend.from) / Math.max(1, trend.to - trend.from)));
  return [trend.valueTo, trend.highTo].map(value => trend.valueFrom + share * (value - trend.valueFrom));
}
