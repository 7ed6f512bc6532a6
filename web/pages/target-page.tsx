/** Is this target leaking, since when, and when does it reach its limit? */
import type { TargetView } from '../../src/watch/watch-model.ts';
import { status, serverNow } from '../state/live.ts';
import { useApi } from '../state/use-api.ts';
import { fixedRange, rangeHours } from '../state/time-range.ts';
import { WhenLoaded } from '../widgets/loading-states.tsx';
import type { PageProps } from '../state/router.ts';
import { ChartStack } from '../charts/chart-stack.tsx';
import { TargetAnswer } from './target-answer.tsx';
import { resourceOf } from '../../src/evidence/resource.ts';
import { mayLeak } from '../../src/judge/verdict.ts';
import { LedgerList, ledgerReasons } from '../widgets/ledger.tsx';
import { visible } from '../../src/base/visible-text.ts';
import { FactsTable, type FactsColumn } from '../widgets/facts-table.tsx';
import { amountText, limitText, NO_VALUE, slopeText } from '../widgets/value-text.ts';
import { Timestamp } from '../widgets/timestamp.tsx';
import { FindingsTable } from './findings-table.tsx';
import { VerdictMark, VerdictWord, Why } from '../widgets/verdict.tsx';
import type { ResourceDetection } from '../../src/judge/detect/recorded-detection.ts';

/** How the engine begins the note of a capture that failed. */
const FAILED = 'no evidence could be taken';

/** The series of the charts as a table of numbers. */
const MAX_ROWS = 120;

export function TargetPage({ params, query }: PageProps) {
  const { target = '' } = params;
  const hours = rangeHours.value;
  const fixed = fixedRange.value;
  const hasClock = status.value !== null;
  const view = useApi<TargetView>(
    JSON.stringify([target, hours, fixed, hasClock]),
    () => {
      // The range ends at the server's current time, which the status brings.
      if (fixed === undefined && status.peek() === null) return undefined;
      const now = Math.ceil(serverNow.peek());
      const { from, to } = fixed ?? { from: now - hours * 3600, to: now };
      return `/targets/${encodeURIComponent(target)}?from=${Math.round(from)}&to=${Math.round(to)}`;
    },
    event => event.kind === 'target' && event.target === target,
  );
  return (
    <WhenLoaded api={view}>
      {data => (
        <>
          <TargetAnswer view={data} refresh={view.refresh} />
          <ChartStack view={data} query={query} />
          <TargetEvidence view={data} />
          <TargetResources view={data} />
          <TargetFindings view={data} />
          <TargetNumbers view={data} />
        </>
      )}
    </WhenLoaded>
  );
}

/** The ledger of the resource that is surest to leak. */
function TargetEvidence({ view }: { readonly view: TargetView }) {
  const ledger = view.ledgers.find(({ verdict }) => mayLeak(verdict));
  if (ledger === undefined) return null;
  return (
    <section aria-labelledby="evidence-title">
      <h2 id="evidence-title">Evidence</h2>
      <LedgerList ledger={ledger} of={resourceOf(ledger.resource)} />
    </section>
  );
}

function TargetNumbers({ view }: { readonly view: TargetView }) {
  const series = view.series.filter(({ times }) => times.length > 0);
  if (series.length === 0) return null;
  const all = [...new Set(series.flatMap(({ times }) => times))].sort((a, b) => b - a);
  const every = Math.ceil(all.length / MAX_ROWS);
  const times = all.filter((_, i) => i % every === 0);
  const columns: FactsColumn<number>[] = [
    { name: 'Time', kind: 'title', cell: at => <Timestamp at={at} /> },
    ...series.map(({ times: at, values, unit, metric }): FactsColumn<number> => {
      const byTime = new Map(at.map((time, i) => [time, values[i]]));
      return { name: visible(metric), kind: 'number', cell: time => amountText(unit, byTime.get(time) ?? null) };
    }),
  ];
  return (
    <details class="numbers">
      <summary>
        <h2 id="numbers-title">Numbers</h2>
        <span class="muted">
          {times.length} of {all.length} samples, newest first
        </span>
      </summary>
      <FactsTable labelledBy="numbers-title" columns={columns} rows={times} rowKey={at => at} staysTable />
    </details>
  );
}

/** The families in the newest captures, and the known leaks they match. */
function TargetFindings({ view: { analysis, events } }: { readonly view: TargetView }) {
  return (
    <section>
      <h2 id="families-title">Families</h2>
      {analysis === null ? (
        <NoProfile events={events} />
      ) : (
        <>
          <div class="families-answer">
            <VerdictMark verdict={analysis.verdict} />
            <div>
              {visible(analysis.sentence)} <Why of="the analysis" reasons={analysis.reasons} />
            </div>
          </div>
          <FindingsTable analysis={analysis} />
        </>
      )}
    </section>
  );
}

function NoProfile({ events }: { readonly events: TargetView['events'] }) {
  const failed = events.findLast(({ text }) => text.startsWith(FAILED));
  return (
    <p class="muted">
      No profile has been captured yet, so the code is unknown
      {failed === undefined ? '' : `: ${visible(failed.text)}`}.
    </p>
  );
}

/** The resources of a target with their verdicts and reasons. */
function columnsOf(firstSampleAt: number | null): readonly FactsColumn<ResourceDetection>[] {
  return [
    { name: 'Resource', kind: 'title', cell: ({ resource }) => resource },
    { name: 'Verdict', kind: 'title', cell: ({ verdict }) => <VerdictWord verdict={verdict} /> },
    { name: 'Level', kind: 'number', cell: ({ unit, level }) => amountText(unit, level) },
    { name: 'Slope (90 %)', kind: 'number', cell: resource => <Slope resource={resource} /> },
    {
      name: 'Since',
      kind: 'number',
      cell: resource => <Since resource={resource} firstSampleAt={firstSampleAt} />,
    },
    { name: 'Limit in', kind: 'number', cell: ({ timeToLimitHours }) => limitText(timeToLimitHours) },
    { name: 'Summary', kind: 'text', class: 'resources-why', cell: resource => <Summary resource={resource} /> },
  ];
}

function TargetResources({ view }: { readonly view: TargetView }) {
  const { resources, firstSampleAt } = view;
  if (resources.length === 0) return null;
  return (
    <section>
      <h2 id="resources-title">Resources</h2>
      <FactsTable
        labelledBy="resources-title"
        class="resources"
        columns={columnsOf(firstSampleAt)}
        rows={resources}
        rowKey={({ resource }) => resource}
      />
    </section>
  );
}

interface SinceProps {
  readonly resource: ResourceDetection;
  readonly firstSampleAt: number | null;
}

/** A rise without a known beginning began before the first sample. */
function Since({ resource: { onset, verdict, slopePerHour }, firstSampleAt }: SinceProps) {
  if (onset !== null) return <Timestamp at={Date.parse(onset) / 1000} />;
  if (!mayLeak(verdict) || firstSampleAt === null || !((slopePerHour ?? 0) > 0)) return <>{NO_VALUE}</>;
  return (
    <>
      before <Timestamp at={firstSampleAt} />
    </>
  );
}

function Slope({ resource: { unit, slopePerHour, slopeInterval } }: { readonly resource: ResourceDetection }) {
  return (
    <>
      {slopeText(unit, slopePerHour)}
      {slopeInterval !== null && (
        <span class="muted"> ({slopeInterval.map(end => amountText(unit, end)).join(' to ')})</span>
      )}
    </>
  );
}

function Summary({ resource }: { readonly resource: ResourceDetection }) {
  const { unit, clock, explanation, metric, ledger } = resource;
  const [first = '', ...others] = resource.reasons;
  return (
    <>
      {visible(first)}
      {isSmallRise(resource) && ', which rises too little to be a finding'}{' '}
      <Why
        of={resource.resource}
        reasons={[...others, ...ledgerReasons(ledger)]}
        inputs={{
          metric,
          ...(clock === null ? {} : { 'per operation': `${amountText(unit, clock.amount)} per ${clock.per}` }),
          ...(explanation === null ? {} : { explanation }),
        }}
      />
    </>
  );
}

/** Its whole interval is above nothing, and still it is called healthy. */
function isSmallRise({ verdict, explanation, slopeInterval }: ResourceDetection): boolean {
  return verdict === 'healthy' && explanation === null && (slopeInterval?.[0] ?? 0) > 0;
}
