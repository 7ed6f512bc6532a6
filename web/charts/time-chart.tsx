/** One of the charts on a target's page: uPlot with a caption that shows the value under the cursor. */
import { signal } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { theme } from '../state/theme.ts';
import { serverNow } from '../state/live.ts';
import { amountText } from '../widgets/value-text.ts';
import { localTimeText, secondsText, utcText } from '../widgets/time-text.ts';
import type { ChartData } from './chart-data.ts';
import { chartHeight, chartOptions, type ChartContent } from './chart-options.ts';
import type { Panel, PanelLine } from './panels.ts';

export function TimeChart(props: ChartContent) {
  const { panel, data, range, overlay, width, hasTimeAxis, isMain, brush } = props;
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const cursor = useMemo(() => signal<number | null>(null), []);
  const shape = panel.lines.map(line => line.series.metric + line.isBackground).join();
  const drawnTheme = theme.value;

  useLayoutEffect(() => {
    if (host.current === null) return;
    const made = new uPlot(
      chartOptions(latest, index => void (cursor.value = index)),
      toColumns(data),
      host.current,
    );
    chart.current = made;
    return () => made.destroy();
  }, [shape, hasTimeAxis]);

  // Before the paint: a chart is never wider than its page.
  useLayoutEffect(() => {
    const made = chart.current;
    if (made === undefined) return;
    made.batch(() => {
      made.setSize({ width, height: chartHeight(props) });
      made.setData(toColumns(data), false);
      made.setScale('x', { min: range[0], max: range[1] });
    });
    made.redraw(true, true);
  }, [data, range[0], range[1], overlay, width, drawnTheme, hasTimeAxis, isMain]);

  // After the scale is set. The address decides: what is cleared disappears, and a link shows what was selected.
  useLayoutEffect(() => {
    const made = chart.current;
    if (made === undefined) return;
    const [left, right] = (brush ?? [range[0], range[0]]).map(at => made.valToPos(at, 'x'));
    made.setSelect({ left, top: 0, width: right - left, height: made.over.clientHeight }, false);
  }, [brush?.[0], brush?.[1], range[0], range[1], width, shape, hasTimeAxis]);

  return (
    <figure class="time-chart" aria-label={descriptionOf(panel)}>
      <figcaption>
        <strong>{panel.title}</strong>
        {panel.lines
          .map((line, i) => <LineValue key={line.label} line={line} column={data.columns[i] ?? []} at={cursor.value} />)
          .reverse()}
        {cursor.value !== null && <CursorTime at={data.times[cursor.value]} />}
      </figcaption>
      <div ref={host} aria-hidden="true" />
    </figure>
  );
}

/** With seconds: samples may be some seconds apart. */
function CursorTime({ at }: { readonly at: number | undefined }) {
  if (at === undefined) return null;
  return (
    <span class="time-chart-at mono" title={utcText(at)}>
      {localTimeText(at, serverNow.peek())}
      {secondsText(at)}
    </span>
  );
}

interface LineValueProps {
  readonly line: PanelLine;
  readonly column: readonly (number | null)[];
  readonly at: number | null;
}

/** The value under the cursor, or the newest one. */
function LineValue({ line, column, at }: LineValueProps) {
  const value = at === null ? lastOf(column) : (column[at] ?? null);
  return (
    <span class={line.isBackground ? 'time-chart-background' : undefined}>
      {line.label} <span class="mono">{amountText(line.unit, value)}</span>
      {line.isBackground && ', own scale'}
    </span>
  );
}

function descriptionOf({ title, lines }: Panel): string {
  const parts = lines.map(line => `${line.label} ${amountText(line.unit, lastOf(line.series.values))}`);
  return `${title}: ${parts.join(', ')}. The numbers are in the table below.`;
}

function lastOf(values: readonly (number | null)[]): number | null {
  return values.findLast(value => value !== null) ?? null;
}

function toColumns({ times, columns }: ChartData): uPlot.AlignedData {
  return [times as number[], ...(columns as (number | null)[][])];
}
