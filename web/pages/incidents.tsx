/** What happened? Every incident, the open ones first. */
import { visible } from '../../src/base/visible-text.ts';
import type { IncidentSummary } from '../../src/model/watch.ts';
import { useResource } from '../state/resource.ts';
import { targetUrl } from '../state/router.ts';
import { FactsTable, type Column } from '../widgets/facts-table.tsx';
import { Moment } from '../widgets/moment.tsx';
import { Answered, Notice } from '../widgets/states.tsx';
import { VerdictMark, VerdictWord } from '../widgets/verdict.tsx';

const COLUMNS: readonly Column[] = [
  { name: 'Verdict' },
  { name: 'Target' },
  { name: 'Resource' },
  { name: 'Opened' },
  { name: 'Closed' },
  { name: 'In one line' },
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
      <FactsTable labelledBy="incidents-title" columns={COLUMNS}>
        {ordered.map(incident => (
          <tr key={incident.id}>
            <td>
              <VerdictWord verdict={incident.verdict} />
            </td>
            <td>
              <a href={targetUrl(incident.target)}>{visible(incident.target)}</a>
            </td>
            <td>{incident.resource}</td>
            <td>
              <Moment at={incident.openedAt} />
            </td>
            <td>{incident.closedAt === null ? 'open' : <Moment at={incident.closedAt} />}</td>
            <td class="incidents-line">
              <a href={`/i/${encodeURIComponent(incident.id)}`}>{visible(incident.sentence)}</a>
            </td>
          </tr>
        ))}
      </FactsTable>
    </>
  );
}
