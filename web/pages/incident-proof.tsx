/** The proof of an incident on one time axis: how it grows, what grew, how fast before and after a restart. */
import { visible } from '../../src/base/visible-text.ts';
import { resourceOf, type Resource } from '../../src/evidence/resource.ts';
import type { IncidentView, TargetView, CaptureView } from '../../src/watch/watch-model.ts';
import { serverNow, status } from '../state/live.ts';
import { useApi, useAsync } from '../state/use-api.ts';
import { fixedRange } from '../state/time-range.ts';
import { ChartStack } from '../charts/chart-stack.tsx';
import { choosePair, kindFor, pairOf, type FilePair } from '../charts/choose-pair.ts';
import { readSelection } from '../charts/selection.ts';
import { LedgerList } from '../widgets/ledger.tsx';
import type { OomCycle } from '../../src/evidence/cycle/cycle.ts';
import { Timestamp } from '../widgets/timestamp.tsx';
import type { ComponentChildren } from 'preact';
import { amountText, keepUnits, slopeText } from '../widgets/value-text.ts';
import type { RestartSlopes } from '../../src/judge/cycle/after-restart.ts';
import { useState } from 'preact/hooks';
import { formatAge } from '../../src/base/say.ts';
import type { CaptureKind } from '../../src/evidence/capture.ts';
import { FlameGraph } from '../profiles/flame-graph.tsx';
import { ChangeLegend } from '../profiles/flame-legend.tsx';
import { WHOLE, type ViewWindow } from '../profiles/view-window.ts';
import { largestChange } from '../profiles/answers.ts';
import { useProfileView } from '../profiles/use-profile-view.ts';
import { unitOf, type OpenedProfile } from '../reader/open-profile.ts';
import { useReader } from '../reader/profile-reader.ts';
import { captureName } from '../widgets/short-names.ts';

/**
 * What happened right before and after each restart: deaths, storms and recovery, events of the node, log lines.
 *
 * Seconds before and after a restart.
 */
const BEFORE = 300;

const AFTER = 300;

const MAX_SHOWN = 24;

interface IncidentProofProps {
  readonly view: IncidentView;
  readonly query: URLSearchParams;
}

export function IncidentProof({ view, query }: IncidentProofProps) {
  const target = useIncidentTarget(view);
  const [ledger] = view.ledgers;
  const epochs = target?.epochs ?? [];
  const kind = kindFor(view.resource);
  const selection = target === undefined ? undefined : readSelection(query, target);
  const selected =
    selection?.a === undefined || selection.b === undefined ? undefined : pairOf([selection.a, selection.b], kind);
  const pair = selected ?? choosePair(view.captures, epochs, kind);
  return (
    <>
      {target !== undefined && (
        <section aria-labelledby="growth-title">
          <h2 id="growth-title">How it grows</h2>
          <ChartStack view={target} query={query} proofOf={view.resource} />
        </section>
      )}
      {view.afterRestart !== null && (
        <RestartComparison afterRestart={view.afterRestart} resource={view.resource}>
          {target !== undefined && <RestartEvents cycle={view.cycle} target={target} />}
        </RestartComparison>
      )}
      {pair !== undefined && <GrowthGraph key={`${pair.a} ${pair.b}`} pair={pair} />}
      {ledger !== undefined && (
        <section aria-labelledby="ledger-title">
          <h2 id="ledger-title">Evidence</h2>
          <LedgerList ledger={ledger} of={visible(resourceOf(ledger.resource))} />
        </section>
      )}
    </>
  );
}

/** Some time before the first thing that happened, in shares of the whole. */
const LEAD_SHARE = 0.1;

/** The target over the time of the incident; undefined if it is no longer watched. */
function useIncidentTarget(view: IncidentView): TargetView | undefined {
  const { id, target, openedAt, closedAt } = view;
  const fixed = fixedRange.value;
  const first = Math.min(openedAt, ...view.timeline.map(({ at }) => at), ...view.captures.map(({ at }) => at));
  const hasClock = status.value !== null;
  const found = useApi<TargetView>(
    JSON.stringify(['incident', id, fixed, closedAt, hasClock]),
    () => {
      if (fixed === undefined && closedAt === null && status.peek() === null) return undefined;
      const end = Math.ceil(closedAt ?? serverNow.peek());
      const { from, to } = fixed ?? { from: Math.floor(first - LEAD_SHARE * (end - first)), to: end };
      return `/targets/${encodeURIComponent(target)}?from=${Math.round(from)}&to=${Math.round(to)}`;
    },
    event => event.kind === 'target' && event.target === target,
  );
  return found.data;
}

interface RestartEvent {
  readonly at: number;
  readonly text: string;
  /** Files and lines that show it. */
  readonly evidence: readonly string[];
}

interface RestartEventsProps {
  readonly cycle: OomCycle | null;
  readonly target: TargetView;
}

function RestartEvents({ cycle, target }: RestartEventsProps) {
  const found = restartEvents(cycle, target);
  if (found.length === 0) return null;
  return (
    <details>
      <summary>{found.length === 1 ? 'One event' : `${found.length} events`} beside the restart</summary>
      <ol class="restart-events">
        {found.map(({ at, text, evidence }, i) => (
          <li key={i}>
            <Timestamp at={at} />
            <span>
              {visible(text)}
              {evidence.length > 0 && <span class="muted"> ({visible(evidence.join(', '))})</span>}
            </span>
          </li>
        ))}
      </ol>
    </details>
  );
}

/** In time order; what is both in the cycle and in the events is shown once. */
function restartEvents(cycle: OomCycle | null, { epochs, events }: TargetView): RestartEvent[] {
  const lives = epochs.toSorted((a, b) => a.from - b.from);
  // From the last sample of one life to the start of the next, and some time around.
  const isNear = (at: number): boolean =>
    lives.slice(1).some(({ from }, i) => at >= Math.min(from, lives[i]?.to ?? from) - BEFORE && at <= from + AFTER);
  const ofCycle = (cycle?.timeline ?? []).flatMap(({ atSeconds, text, evidence }) =>
    atSeconds === null ? [] : [{ at: atSeconds, text, evidence }],
  );
  const others = events
    .filter(({ kind }) => kind === 'event' || kind === 'condition' || kind === 'oom' || kind === 'reboot')
    .map(({ at, text }) => ({ at, text, evidence: [] }));
  return [...ofCycle, ...others]
    .filter(({ at }) => isNear(at))
    .sort((a, b) => a.at - b.at)
    .filter(({ at, text }, i, all) => all.findIndex(other => other.at === at && other.text === text) === i)
    .slice(0, MAX_SHOWN);
}

/** The slopes before and after a restart side by side: the same bar twice means that a restart only buys time. */
interface RestartComparisonProps {
  readonly afterRestart: NonNullable<IncidentView['afterRestart']>;
  readonly resource: Resource;
  /** Below the slopes. */
  readonly children: ComponentChildren;
}

function RestartComparison({ afterRestart, resource, children }: RestartComparisonProps) {
  const { verdict, text, slopes, at, now } = afterRestart;
  const most =
    slopes === null ? 1 : Math.max(...slopes.before.interval, ...slopes.after.interval, ...(now?.interval ?? []), 1e-9);
  return (
    <section aria-labelledby="restart-title">
      <h2 id="restart-title">Before and after the restart</h2>
      <p>
        <strong>{verdict}</strong>. {visible(text)}
      </p>
      {slopes !== null && (
        <dl class="restart-slopes">
          <SlopeBar name="before" slope={slopes.before} unit={slopes.unit} most={most} resource={resource} />
          <SlopeBar name="after" slope={slopes.after} unit={slopes.unit} most={most} resource={resource}>
            {at !== null && (
              <span class="muted">
                until <Timestamp at={at} />, when it was judged
              </span>
            )}
          </SlopeBar>
          {now !== null && <SlopeBar name="now" slope={now} unit={slopes.unit} most={most} resource={resource} />}
        </dl>
      )}
      {children}
    </section>
  );
}

interface SlopeBarProps {
  readonly name: string;
  readonly slope: RestartSlopes['before'];
  readonly unit: RestartSlopes['unit'];
  /** Fills the whole width. */
  readonly most: number;
  readonly resource: Resource;
  readonly children?: ComponentChildren;
}

function SlopeBar({ name, slope: { perHour, interval }, unit, most, resource, children }: SlopeBarProps) {
  const percent = (value: number): number => Math.min(100, Math.max(0, (100 * value) / most));
  const [low, high] = interval;
  return (
    <div>
      <dt class="muted">{name}</dt>
      <dd>
        <span class="restart-track" aria-hidden="true">
          <span class="restart-bar" style={{ width: `${percent(perHour)}%` }} />
          <span
            class="restart-interval"
            style={{ left: `${percent(low)}%`, width: `${percent(high) - percent(low)}%` }}
          />
        </span>
        <span>
          {resource} <span class="mono">{slopeText(unit, perHour)}</span>{' '}
          <span class="muted">
            ({amountText(unit, low)} to {amountText(unit, high)})
          </span>
        </span>
        {children}
      </dd>
    </div>
  );
}

/** What grew between two captures: the flame graph of the difference, in the page. */
function GrowthGraph({ pair }: { readonly pair: FilePair }) {
  const { a, b, before, after, kind } = pair;
  const reader = useReader();
  const { value: opened, error } = useAsync(() => Promise.all([reader.open(a), reader.open(b)]), [a, b]);
  const { value: growth } = useAsync(
    () => (opened === undefined ? undefined : reader.ask('growth', { before: a, after: b, operations: undefined })),
    [a, b, opened],
  );
  const url = `/compare?a=${a}&b=${b}`;
  return (
    <section class="growth-graph" aria-labelledby="graph-title">
      <h2 id="graph-title">What grew</h2>
      {growth !== undefined && growth.growths.length > 0 && <p>{keepUnits(largestChange(growth))}</p>}
      <p class="growth-pair">
        <CaptureName kind={kind} capture={before} at={pair.atA} /> <span aria-hidden="true">→</span>{' '}
        <CaptureName kind={kind} capture={after} at={pair.atB} />
        <span class="muted">{formatAge(pair.atB - pair.atA)} apart</span>
        <a class="button" href={url}>
          Open the comparison
        </a>
      </p>
      {error !== undefined && <p class="muted">The profiles cannot be shown: {visible(error.message)}</p>}
      {opened !== undefined && <Graph pair={pair} opened={opened[1]} />}
    </section>
  );
}

interface CaptureNameProps {
  readonly kind: CaptureKind;
  readonly capture: CaptureView;
  /** When the file was collected. */
  readonly at: number;
}

function CaptureName({ kind, capture, at }: CaptureNameProps) {
  return (
    <span>
      {captureName(kind)} at <Timestamp at={at} /> <span class="muted">({visible(capture.trigger)})</span>
    </span>
  );
}

function Graph({ pair: { a, b }, opened }: { readonly pair: FilePair; readonly opened: OpenedProfile }) {
  const sampleType = opened.defaultSampleType;
  const { value: view } = useProfileView(b, a, { sampleType, labels: [], roots: [], widthOf: 'after' });
  const [selected, setSelected] = useState(-1);
  const [window, setWindow] = useState<ViewWindow>(WHOLE);
  if (view === undefined) return null;
  const unit = unitOf(opened.sampleTypes, sampleType);
  return (
    <>
      <FlameGraph
        label="Flame graph of what grew"
        tree={view.tree}
        unit={unit}
        colouring="change"
        flipped={false}
        window={window}
        selected={selected < view.tree.length ? selected : -1}
        onSelect={setSelected}
        onWindow={setWindow}
      />
      <ChangeLegend tree={view.tree} unit={unit} widthOf="after" />
    </>
  );
}
