/** What happened? Every incident, the open ones first. */
import { visible } from '../../../src/base/visible-text.ts';
import type { IncidentSummary } from '../../../src/model/watch.ts';
import { useResource } from '../../state/use-api.ts';
import { targetUrl } from '../../state/router.ts';
import { FactsTable, type Column } from '../../widgets/facts-table.tsx';
import { Moment } from '../../widgets/timestamp.tsx';
import { Answered, Notice } from '../../widgets/loading-states.tsx';
import { VerdictMark, VerdictWord } from '../../widgets/verdict.tsx';

const COLUMNS: readonly Column<IncidentSummary>[] = [
  { name: 'Verdict', kind: 'title', cell: ({ verdict }) => <VerdictWord verdict={verdict} /> },
  {
    name: 'Target',
    kind: 'title',
    isHead: true,
    cell: ({ target }) => <a href={targetUrl(target)}>{visible(target)}</a>,
  },
  { name: 'Resource', kind: 'title', cell: ({ resource }) => resource },
  { name: 'Opened', kind: 'number', cell: ({ openedAt }) => <Moment at={openedAt} /> },
  { name: 'Closed', kind: 'number', cell: ({ closedAt }) => (closedAt === null ? 'open' : <Moment at={closedAt} />) },
  {
    name: 'In one line',
    kind: 'text',
    class: 'incidents-line',
    cell: ({ id, sentence }) => <a href={`/i/${encodeURIComponent(id)}`}>{visible(sentence)}</a>,
  },
];

export function IncidentsPage(_: { readonly params: Record<string, string>; readonly query: URLSearchParams }) {
  const incidents = useResource<readonly IncidentSummary[]>(
    'incidents',
    () => '/incidents',
    event => event.kind === 'incident',
  );
  return (
    <Answered resource={incidents}>
      {all =>
        all.length === 0 ? (
          <Notice title="No incident so far.">
            <p class="muted">One opens by itself when a target's verdict turns to watch or leak.</p>
          </Notice>
        ) : (
          <Incidents all={all} />
        )
      }
    </Answered>
  );
}

function Incidents({ all }: { readonly all: readonly IncidentSummary[] }) {
  const open = all.filter(({ closedAt }) => closedAt === null).length;
  const ordered = all.toSorted(
    (a, b) => Number(a.closedAt !== null) - Number(b.closedAt !== null) || b.openedAt - a.openedAt,
  );
  return (
    <>
      <div class="answer">
        <VerdictMark verdict={ordered[0].closedAt === null ? ordered[0].verdict : 'healthy'} />
        <h1 id="incidents-title">
          {open} open {open === 1 ? 'incident' : 'incidents'}, {all.length} in all.
        </h1>
      </div>
      <FactsTable labelledBy="incidents-title" columns={COLUMNS} rows={ordered} rowKey={({ id }) => id} />
    </>
  );
}
