/** All incidents, the open ones first. */
import { visible } from '../../../src/base/visible-text.ts';
import type { IncidentSummary } from '../../../src/model/watch.ts';
import { useApi } from '../../state/use-api.ts';
import { targetUrl } from '../../state/router.ts';
import { FactsTable, type FactsColumn } from '../../widgets/facts-table.tsx';
import { Timestamp } from '../../widgets/timestamp.tsx';
import { WhenLoaded, Notice } from '../../widgets/loading-states.tsx';
import { VerdictMark, VerdictWord } from '../../widgets/verdict.tsx';

const COLUMNS: readonly FactsColumn<IncidentSummary>[] = [
  { name: 'Verdict', kind: 'title', cell: ({ verdict }) => <VerdictWord verdict={verdict} /> },
  {
    name: 'Target',
    kind: 'title',
    isHead: true,
    cell: ({ target }) => <a href={targetUrl(target)}>{visible(target)}</a>,
  },
  { name: 'Resource', kind: 'title', cell: ({ resource }) => resource },
  { name: 'Opened', kind: 'number', cell: ({ openedAt }) => <Timestamp at={openedAt} /> },
  {
    name: 'Closed',
    kind: 'number',
    cell: ({ closedAt }) => (closedAt === null ? 'open' : <Timestamp at={closedAt} />),
  },
  {
    name: 'Summary',
    kind: 'text',
    class: 'incidents-line',
    cell: ({ id, sentence }) => <a href={`/i/${encodeURIComponent(id)}`}>{visible(sentence)}</a>,
  },
];

export function IncidentsPage() {
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
          <Incidents all={all} />
        )
      }
    </WhenLoaded>
  );
}

function Incidents({ all }: { readonly all: readonly IncidentSummary[] }) {
  const open = all.filter(({ closedAt }) => closedAt === null).length;
  const ordered = all.toSorted(
    (a, b) => Number(a.closedAt !== null) - Number(b.closedAt !== null) || b.openedAt - a.openedAt,
  );
  const [first] = ordered;
  const verdict = first?.closedAt === null ? first.verdict : 'healthy';
  return (
    <>
      <div class="answer">
        <VerdictMark verdict={verdict} />
        <h1 id="incidents-title">
          {open} open {open === 1 ? 'incident' : 'incidents'}, {all.length} in total.
        </h1>
      </div>
      <FactsTable labelledBy="incidents-title" columns={COLUMNS} rows={ordered} rowKey={({ id }) => id} />
    </>
  );
}
