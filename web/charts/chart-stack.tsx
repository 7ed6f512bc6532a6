/**
 * Charts of a target on one time axis, with lanes for events and captures, and a selection to compare. The chart of
 * the resource that leaks comes first.
 */
import { useMemo, useRef } from 'preact/hooks';
import type { Resource } from '../../src/evidence/resource.ts';
import type { TargetView } from '../../src/watch/watch-model.ts';
import { mayLeak } from '../../src/judge/verdict.ts';
import { aligned, restarts } from './chart-data.ts';
import type { Overlay } from './overlay.ts';
import { panelsOf, type Panel } from './panels.ts';
import { AXIS_WIDTH, type Drag, RIGHT_MARGIN } from './chart-options.ts';
import { TimeChart } from './time-chart.tsx';
import { useKeys } from '../state/keys.ts';
import { navigate, setQuery } from '../state/router.ts';
import { useWidth } from '../state/use-width.ts';
import { fixedRange } from '../state/time-range.ts';
import { amountText, limitText, type Unit } from '../widgets/value-text.ts';
import { comparisons, readSelection, toggleCapture, type Selection } from './selection.ts';
import { CaptureLane, EventLane } from './lanes.tsx';
import { SelectionBar } from './selection-bar.tsx';

interface ChartStackProps {
  readonly view: TargetView;
  readonly query: URLSearchParams;
  /** Only what proves the growth of this resource: it, resident memory, and pods. */
  readonly proofOf?: Resource;
}

export function ChartStack({ view, query, proofOf }: ChartStackProps) {
  const host = useRef<HTMLDivElement>(null);
  const drag = useRef<Drag | undefined>(undefined);
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

  const main = proofOf ?? (mayLeak(view.verdict) ? view.resources[0]?.resource : undefined);
  const isMain = ({ resource }: Panel): boolean => resource !== null && resource === main;
  const shown = panels
    .filter(panel => (proofOf === undefined ? panel.isStandard || isSuspect(panel, view) : isProof(panel, proofOf)))
    .sort((a, b) => Number(isMain(b)) - Number(isMain(a)));
  const others = proofOf === undefined ? panels.filter(panel => !shown.includes(panel)) : [];
  const draw = (panel: Panel, hasTimeAxis: boolean) => (
    <TimeChart
      key={panel.id}
      panel={panel}
      data={data.get(panel.id) ?? { times: [], columns: [] }}
      range={range}
      overlay={overlayOf(panel, view, selection)}
      width={width}
      hasTimeAxis={hasTimeAxis}
      isMain={isMain(panel)}
      brush={selection.brush}
      drag={drag}
      onBrush={([from, to], withShift) =>
        setQuery({ brush: `${Math.round(from)},${Math.round(to)}`, vs: withShift ? 'before' : null })
      }
    />
  );
  return (
    <section class="charts" aria-label="Over time" ref={host}>
      {width > 0 && (
        <>
          <EventLane events={view.events} {...lane} />
          {shown.map((panel, i) => draw(panel, i === shown.length - 1))}
          <CaptureLane
            captures={view.captures}
            selection={selection}
            onChoose={id => setQuery(toggleCapture(selection, id))}
            {...lane}
          />
          <SelectionBar view={view} selection={selection} panels={shown} zoom={zoomTo} clear={clear} />
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
  setQuery({ a: null, b: null, brush: null, vs: null });
}

function zoomTo([from, to]: readonly [number, number]): void {
  setQuery({ from: String(Math.round(from)), to: String(Math.round(to)), brush: null, vs: null });
}

function isProof({ resource, limitOf, title }: Panel, proofOf: Resource): boolean {
  // The limit of the live heap is one on resident memory.
  const isOfResident = proofOf === 'live heap' || proofOf === 'memory outside the Go heap';
  return resource === proofOf || title === 'Pods' || (isOfResident && limitOf === 'live heap');
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
  const found = view.resources.find(one => one.resource === panel.limitOf);
  const limit = view.limits.find(one => one.resource === panel.limitOf);
  const hours = found?.timeToLimitHours ?? null;
  const front = panel.lines.find(({ isBackground }) => !isBackground);
  return {
    restarts: restarts(view.epochs),
    trend: view.trends.find(({ metric }) => metric === front?.series.metric),
    limit: limit === undefined ? undefined : { value: limit.value, text: limitLabel(limit, front?.unit ?? 'count') },
    limitIn: `limit in ${limitText(hours)}`,
    limitBand: hours === null ? undefined : [view.at + hours[0] * 3600, view.at + (hours[1] ?? Infinity) * 3600],
    captures: [a, b].flatMap(capture => capture?.at ?? []),
    now: view.at,
  };
}

/** `limit 256 MiB (given)` */
function limitLabel({ value, from }: TargetView['limits'][number], unit: Unit): string {
  return `limit ${amountText(unit, value)}${from === null ? '' : ` (${from})`}`;
}
