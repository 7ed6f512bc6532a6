/** The charts of a target on one time axis, with lanes for events and captures, and a selection to compare. */
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { TargetView } from '../../../src/model/watch.ts';
import { mayLeak } from '../../../src/model/verdict.ts';
import { aligned, restarts } from '../../charts/chart-data.ts';
import type { Overlay } from '../../charts/overlay.ts';
import { panelsOf, type Panel } from '../../charts/panels.ts';
import { AXIS_WIDTH, RIGHT_MARGIN } from '../../charts/chart-options.ts';
import { TimeChart } from '../../charts/time-chart.tsx';
import { useKeys } from '../../state/keys.ts';
import { navigate, setQuery } from '../../state/router.ts';
import { fixedRange } from '../../state/time-range.ts';
import { amountText, limitText } from '../../text/amount-text.ts';
import { comparisons, readSelection, type Selection } from './target-selection.ts';
import { CaptureLane, EventLane } from './target-lanes.tsx';
import { SelectionBar } from './selection-bar.tsx';

interface TargetChartsProps {
  readonly view: TargetView;
  readonly query: URLSearchParams;
}

export function TargetCharts({ view, query }: TargetChartsProps) {
  const host = useRef<HTMLDivElement>(null);
  const width = useWidth(host);
  const search = query.toString();
  const selection = useMemo(() => readSelection(new URLSearchParams(search), view), [search, view]);
  const panels = useMemo(() => panelsOf(view.series), [view]);
  const data = useMemo(
    () =>
      new Map(
        panels.map(({ id, lines }) => [
          id,
          aligned(
            lines.map(line => line.series),
            view.epochs,
          ),
        ]),
      ),
    [panels],
  );
  const range = useMemo(() => shownRange(view), [view]);
  const lane = { range, left: AXIS_WIDTH, width: width - AXIS_WIDTH - RIGHT_MARGIN };
  const compare = comparisons(selection, view)[0];

  useKeys('Target', {
    c: ['compare the selected captures', () => compare !== undefined && navigate(compare.url)],
    z: ['zoom to the selected time', () => selection.brush !== undefined && zoomTo(selection.brush)],
    ...(isEmpty(selection) ? {} : { Escape: ['clear the selection', clear] as const }),
  });

  const shown = panels.filter(panel => panel.isStandard || isSuspect(panel, view));
  const others = panels.filter(panel => !shown.includes(panel));
  const main = mayLeak(view.verdict) ? view.resources[0]?.resource : undefined;
  const draw = (panel: Panel, hasTimeAxis: boolean) => (
    <TimeChart
      key={panel.id}
      panel={panel}
      data={data.get(panel.id) ?? { times: [], columns: [] }}
      range={range}
      overlay={overlayOf(panel, view, selection)}
      width={width}
      hasTimeAxis={hasTimeAxis}
      isMain={panel.resource !== null && panel.resource === main}
      onBrush={([from, to]) => setQuery({ brush: `${Math.round(from)},${Math.round(to)}` })}
    />
  );
  return (
    <section class="charts" aria-label="Over time" ref={host}>
      {width > 0 && (
        <>
          <EventLane events={view.events} {...lane} />
          {shown.map((panel, i) => draw(panel, i === shown.length - 1))}
          <CaptureLane view={view} selection={selection} {...lane} />
          <SelectionBar view={view} selection={selection} zoom={zoomTo} clear={clear} />
          {others.length > 0 && (
            <details class="charts-more">
              <summary>{others.length === 1 ? 'One more chart' : `${others.length} more charts`}</summary>
              {others.map((panel, i) => draw(panel, i === others.length - 1))}
            </details>
          )}
        </>
      )}
    </section>
  );
}

function isEmpty({ a, b, brush }: Selection): boolean {
  return a === undefined && b === undefined && brush === undefined;
}

function clear(): void {
  setQuery({ a: null, b: null, brush: null });
}

function zoomTo([from, to]: readonly [number, number]): void {
  setQuery({ from: String(Math.round(from)), to: String(Math.round(to)), brush: null });
}

function isSuspect({ resource }: Panel, { resources }: TargetView): boolean {
  const found = resources.find(one => one.resource === resource);
  return found !== undefined && mayLeak(found.verdict);
}

/** Extends into the future up to the limit, by at most half of the range. A range that the user chose stays. */
function shownRange(view: TargetView): readonly [number, number] {
  const { from, to, at } = view;
  if (fixedRange.value !== undefined) return [from, to];
  const ends = view.resources.flatMap(({ timeToLimitHours: hours }) =>
    hours === null ? [] : [at + (hours[1] ?? hours[0]) * 3600 * 1.05],
  );
  return [from, Math.min(to + (to - from) * 0.5, Math.max(to, ...ends))];
}

function overlayOf(panel: Panel, view: TargetView, { a, b }: Selection): Overlay {
  const { resource } = panel;
  const found = view.resources.find(one => one.resource === resource);
  const limit = view.limits.find(one => one.resource === resource);
  const hours = found?.timeToLimitHours ?? null;
  return {
    restarts: restarts(view.epochs),
    trend: view.trends.find(one => one.resource === resource),
    limit:
      limit === undefined
        ? undefined
        : { value: limit.value, text: `limit ${amountText(panel.lines[0]?.unit ?? 'count', limit.value)}` },
    limitIn: `limit in ${limitText(hours)}`,
    limitBand: hours === null ? undefined : [view.at + hours[0] * 3600, view.at + (hours[1] ?? Infinity) * 3600],
    captures: [a, b].flatMap(capture => capture?.at ?? []),
    now: view.at,
  };
}

function useWidth(host: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (host.current === null) return;
    const observer = new ResizeObserver(
      ([entry]) => entry !== undefined && setWidth(Math.floor(entry.contentRect.width)),
    );
    observer.observe(host.current);
    setWidth(Math.floor(host.current.getBoundingClientRect().width));
    return () => observer.disconnect();
  }, []);
  return width;
}
