/** All incidents, the open ones first. */
import { formatCount } from '../../../src/base/quantities.ts';
import { visible } from '../../../src/base/visible-text.ts';
import type { IncidentSummary } from '../../../src/model/watch.ts';
import { useApi } from '../../state/use-api.ts';
import { setQuery, targetUrl } from '../../state/router.ts';
import type { PageProps } from '../page-props.ts';
import { FactsTable, type FactsColumn } from '../../widgets/facts-table.tsx';
import { NO_VALUE } from '../../text/amount-text.ts';
import { Timestamp } from '../../widgets/timestamp.tsx';
import { WhenLoaded, Notice } from '../../widgets/loading-states.tsx';
import { VerdictMark, VerdictWord } from '../../widgets/verdict.tsx';

const COLUMNS: readonly FactsColumn<IncidentSummary>[] = [
  { name: 'Verdict', kind: 'title', cell: ({ verdict }) => <VerdictWord verdict={verdict} /> },
  {
    name: 'Target',
    kind: 'title',
    isHead: true,
    cell: ({ target, cohort, id }) => (
      <a href={cohort === null ? targetUrl(target) : `/i/${encodeURIComponent(id)}`}>{visible(target)}</a>
    ),
  },
  { name: 'Resource', kind: 'title', cell: ({ resource }) => resource },
  { name: 'Opened', kind: 'number', cell: ({ openedAt }) => <Timestamp at={openedAt} /> },
  {
    name: 'Closed',
    kind: 'number',
    cell: ({ closedAt }) => (closedAt === null ? 'not yet' : <Timestamp at={closedAt} />),
  },
  {
    name: 'Acknowledged',
    kind: 'number',
    cell: ({ acknowledged }) => (acknowledged === null ? NO_VALUE : visible(acknowledged.by)),
  },
  {
    name: 'Summary',
    kind: 'text',
    class: 'incidents-line',
    cell: ({ id, sentence, cohort }) => (
      <>
        <a href={`/i/${encodeURIComponent(id)}`}>{visible(sentence)}</a>
        {cohort !== null && cohort.folded > 0 && (
          <span class="muted"> {formatCount(cohort.folded)} incidents folded into it</span>
        )}
      </>
    ),
  },
];

export function IncidentsPage({ query }: PageProps) {
  const incidents = useApi<readonly IncidentSummary[]>(
    'incidents',
    () => '/incidents',
    event => event.kind === 'incident',
  );
  return (
    <WhenLoaded api={incidents}>
      {all =>
        all.length === 0 ? (
          <Notice title="No incidents so far.">
            <p class="muted">An incident opens when a target's verdict changes to watch or leak.</p>
          </Notice>
        ) : (
          <Incidents all={all} showsFolded={query.has('folded')} />
        )
      }
    </WhenLoaded>
  );
}

interface IncidentsProps {
  readonly all: readonly IncidentSummary[];
  readonly showsFolded: boolean;
}

function Incidents({ all, showsFolded }: IncidentsProps) {
  const folded = all.filter(({ partOf }) => partOf !== null);
  const alone = all.filter(({ partOf }) => partOf === null);
  const open = alone.filter(({ closedAt }) => closedAt === null).length;
  const ordered = (showsFolded ? all : alone).toSorted(
    (a, b) =>
      Number(a.closedAt !== null) - Number(b.closedAt !== null) ||
      Number(a.cohort === null) - Number(b.cohort === null) ||
      b.openedAt - a.openedAt,
  );
  const [first] = ordered;
  const verdict = first?.closedAt === null ? first.verdict : 'healthy';
  return (
    <>
      <div class="answer">
        <VerdictMark verdict={verdict} />
        <h1 id="incidents-title">
          {open} open {open === 1 ? 'incident' : 'incidents'}, {alone.length} in total.
        </h1>
        {folded.length > 0 && (
          <p class="answer-facts">
            <span>{formatCount(folded.length)} incidents of targets are part of those of their cohorts.</span>
            <button
              type="button"
              aria-pressed={showsFolded}
              onClick={() => setQuery({ folded: showsFolded ? null : '1' })}
            >
              Show them
            </button>
          </p>
        )}
      </div>
      <FactsTable labelledBy="incidents-title" columns={COLUMNS} rows={ordered} rowKey={({ id }) => id} />
    </>
  );
}
