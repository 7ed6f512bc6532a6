/** The values of one attribute against each other: how fast each grows, on how many, and who speaks against it. */
import { useMemo } from 'preact/hooks';
import { formatCount } from '../../src/base/say.ts';
import { visible } from '../../src/base/visible-text.ts';
import { exampleText } from '../../src/judge/cohorts/cohort-words.ts';
import type { CounterExample } from '../../src/judge/cohorts/cohort-model.ts';
import type { CohortsView, ListedCohort } from '../../src/watch/watch-model.ts';
import { mayLeak } from '../../src/judge/verdict.ts';
import { comparedValues, verdictsOf, mostOf, RateBar } from '../charts/compared-values.tsx';
import { RolloutStrip } from '../charts/rollout-strip.tsx';
import { readableQuery, targetUrl } from '../state/router.ts';
import { rangeHours } from '../state/time-range.ts';
import { NO_VALUE } from '../widgets/value-text.ts';
import { FactsTable, type FactsColumn } from '../widgets/facts-table.tsx';
import { Timestamp } from '../widgets/timestamp.tsx';
import { VerdictWord, Why } from '../widgets/verdict.tsx';

const MAX_ROWS = 12;
const NAMED = 3;

interface FleetCohortsProps {
  readonly view: CohortsView;
  readonly by: string;
}

export function FleetCohorts({ view, by }: FleetCohortsProps) {
  const rows = useMemo(() => comparedValues(view.cohorts, by), [view.cohorts, by]);
  const verdicts = useMemo(() => verdictsOf(rows), [rows]);
  const verdictOf = useMemo(() => (value: string) => verdicts.get(value), [verdicts]);
  const columns = useMemo(() => columnsFor(view, rows), [view, rows]);
  if (rows.length === 0) return null;
  const isOpen = rows.some(({ verdict }) => mayLeak(verdict));
  const suspects = [...verdicts.values()].filter(mayLeak).length;
  return (
    <details class="cohorts" open={isOpen}>
      <summary>
        <h2 id="cohorts-title">By {visible(by)}</h2>
        <span class="muted">
          {formatCount(verdicts.size)} {verdicts.size === 1 ? 'value' : 'values'} compared
          {suspects > 0
            ? `, ${formatCount(suspects)} ${suspects === 1 ? 'grows' : 'grow'}`
            : ', no difference is proved'}
        </span>
      </summary>
      <div class="cohorts-body">
        <RolloutStrip attribute={by} hours={rangeHours.value} verdictOf={verdictOf} />
        <FactsTable
          labelledBy="cohorts-title"
          columns={columns}
          rows={rows.slice(0, MAX_ROWS)}
          rowKey={({ value, resource }) => `${value} ${resource}`}
        />
        {rows.length > MAX_ROWS && <p class="muted">{formatCount(rows.length - MAX_ROWS)} more values</p>}
      </div>
    </details>
  );
}

function columnsFor(view: CohortsView, rows: readonly ListedCohort[]): FactsColumn<ListedCohort>[] {
  const incidentOf = ({ attribute, value }: ListedCohort): string | undefined =>
    view.incidents.find(({ cohort }) => cohort?.attribute === attribute && cohort.value === value)?.id;
  return [
    { name: 'Verdict', kind: 'title', cell: ({ verdict }) => <VerdictWord verdict={verdict} /> },
    {
      name: 'Value',
      kind: 'title',
      isHead: true,
      cell: one => (
        <a class="mono" href={nodesUrl(one)} title="its targets">
          {visible(one.value) || '(none)'}
        </a>
      ),
    },
    { name: 'Resource', kind: 'title', cell: ({ resource }) => resource },
    {
      name: 'More than elsewhere',
      kind: 'number',
      cell: one => <RateBar cohort={one} most={mostOf(rows.filter(({ unit }) => unit === one.unit))} />,
    },
    { name: 'Grow', kind: 'number', cell: one => <For cohort={one} /> },
    {
      name: 'Elsewhere',
      kind: 'number',
      cell: ({ controls, controlsLeaking }) =>
        controls === 0 ? NO_VALUE : `${formatCount(controlsLeaking)} of ${formatCount(controls)}`,
    },
    {
      name: 'Since',
      kind: 'number',
      cell: ({ since }) => (since === null ? NO_VALUE : <Timestamp at={Date.parse(since) / 1000} />),
    },
    {
      name: 'Against it, and what else',
      kind: 'text',
      class: 'cohort-text',
      cell: one => <Against cohort={one} incidentId={incidentOf(one)} />,
    },
  ];
}

/** The nodes that speak for it: the fleet page shows them. */
function For({ cohort }: { readonly cohort: ListedCohort }) {
  const { verdict, leakingCount, observed, targets } = cohort;
  if (!mayLeak(verdict)) return <>{formatCount(targets)} in all</>;
  return (
    <a class="cohort-link" href={nodesUrl(cohort, 'leak,watch')}>
      {formatCount(leakingCount)} of {formatCount(observed)}
    </a>
  );
}

function Against({ cohort, incidentId }: { readonly cohort: ListedCohort; readonly incidentId: string | undefined }) {
  const { against, vetoes, alternatives, sentence, onset } = cohort;
  const others = [...vetoes, ...alternatives].map(one => one.sentence);
  return (
    <div class="cohort-against">
      {incidentId !== undefined && (
        <>
          <a href={`/i/${encodeURIComponent(incidentId)}`}>incident</a>{' '}
        </>
      )}
      <Why of={`the verdict on ${cohort.value}`} reasons={[sentence, ...others, ...onset.map(one => one.sentence)]} />
      {against.length > 0 && (
        <span class="cohort-names">
          {against.slice(0, NAMED).map(one => (
            <Example key={one.target} example={one} cohort={cohort} />
          ))}
          {against.length > NAMED && <span class="muted">and {formatCount(against.length - NAMED)} more</span>}
        </span>
      )}
      {others.slice(0, 1).map(text => (
        <div key={text} class="muted">
          {visible(text)}
        </div>
      ))}
    </div>
  );
}

interface ExampleProps {
  readonly example: CounterExample;
  readonly cohort: ListedCohort;
}

function Example({ example: { target, differs, ratePerHour }, cohort }: ExampleProps) {
  return (
    <span>
      <a href={targetUrl(target)}>{visible(target)}</a>{' '}
      <span class="muted">{visible([exampleText(ratePerHour, cohort), ...differs.slice(0, 1)].join('; '))}</span>
    </span>
  );
}

/** The targets that have the value, on this page. */
function nodesUrl({ attribute, value }: ListedCohort, verdicts?: string): string {
  const query = new URLSearchParams({ by: attribute, is: `${attribute}:${value}` });
  if (verdicts !== undefined) query.set('v', verdicts);
  if (rangeHours.peek() !== 168) query.set('hours', String(rangeHours.peek()));
  return `/?${readableQuery(query)}`;
}
