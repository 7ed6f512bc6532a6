/** The incidents, open ones first; the server has the order, and the page as many as one wants to see. */
import { useState } from 'preact/hooks';
import { formatCount } from '../../src/base/say.ts';
import { visible } from '../../src/base/visible-text.ts';
import type { IncidentsView, IncidentSummary } from '../../src/watch/watch-model.ts';
import { useApi } from '../state/use-api.ts';
import { type PageProps, setQuery, targetUrl } from '../state/router.ts';
import { FactsTable, type FactsColumn } from '../widgets/facts-table.tsx';
import { NO_VALUE } from '../widgets/value-text.ts';
import { Timestamp } from '../widgets/timestamp.tsx';
import { WhenLoaded, Notice } from '../widgets/loading-states.tsx';
import { VerdictMark, VerdictWord } from '../widgets/verdict.tsx';

/** How many are shown at first, and how many more with each click. */
const STEP = 200;

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
  const showsFolded = query.has('folded');
  const [limit, setLimit] = useState(STEP);
  const path = `/incidents?limit=${limit}${showsFolded ? '' : '&folded=no'}`;
  const incidents = useApi<IncidentsView>(
    path,
    () => path,
    event => event.kind === 'incident',
  );
  return (
    <WhenLoaded api={incidents}>
      {view =>
        view.total + view.folded === 0 ? (
          <Notice title="No incidents so far.">
            <p class="muted">An incident opens when a target's verdict changes to watch or leak.</p>
          </Notice>
        ) : (
          <Incidents view={view} showsFolded={showsFolded} showMore={() => setLimit(limit + STEP)} />
        )
      }
    </WhenLoaded>
  );
}

interface IncidentsProps {
  readonly view: IncidentsView;
  readonly showsFolded: boolean;
  readonly showMore: () => void;
}

function Incidents({ view, showsFolded, showMore }: IncidentsProps) {
  const { incidents, matching, open, total, folded } = view;
  const [first] = incidents;
  const verdict = first?.closedAt === null ? first.verdict : 'healthy';
  const more = matching - incidents.length;
  return (
    <>
      <div class="answer">
        <VerdictMark verdict={verdict} />
        <h1 id="incidents-title">
          {formatCount(open)} open {open === 1 ? 'incident' : 'incidents'}, {formatCount(total)} in total.
        </h1>
        {folded > 0 && (
          <p class="answer-facts">
            <span>{formatCount(folded)} incidents of targets are part of those of their cohorts.</span>
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
      <FactsTable labelledBy="incidents-title" columns={COLUMNS} rows={incidents} rowKey={({ id }) => id} />
      {more > 0 && (
        <p class="notice-steps">
          <span class="muted">{formatCount(more)} more</span>
          <button type="button" onClick={showMore}>
            Show {formatCount(Math.min(more, STEP))} more
          </button>
        </p>
      )}
    </>
  );
}
