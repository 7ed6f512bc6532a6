/** The clusters of the watch, where there are several: which are not reached and why, and how many targets of each leak. */
import { useMemo } from 'preact/hooks';
import { formatCount } from '../../../src/base/quantities.ts';
import { visible } from '../../../src/base/visible-text.ts';
import { CLUSTER_ATTRIBUTE } from '../../../src/model/cohort.ts';
import type { ClusterStatus, FleetRow } from '../../../src/model/watch.ts';
import { readableQuery } from '../../state/router.ts';
import { NO_VALUE } from '../../text/amount-text.ts';
import { FactsTable, type FactsColumn } from '../../widgets/facts-table.tsx';
import { Timestamp } from '../../widgets/timestamp.tsx';
import { VerdictMark } from '../../widgets/verdict.tsx';
import { type Cohort, cohortsBy } from './fleet-filter.ts';

const MOST_ROWS = 12;

interface FleetClustersProps {
  readonly clusters: readonly ClusterStatus[];
  readonly rows: readonly FleetRow[];
}

export function FleetClusters({ clusters, rows }: FleetClustersProps) {
  const counts = useMemo(
    () => new Map(cohortsBy(rows, CLUSTER_ATTRIBUTE).map(cohort => [cohort.value, cohort])),
    [rows],
  );
  const lost = clusters.filter(({ state }) => state === 'not reached').length;
  const ordered = useMemo(() => clusters.toSorted((a, b) => rank(a, counts) - rank(b, counts)), [clusters, counts]);
  return (
    <details class="cohorts" open={lost > 0}>
      <summary>
        <h2 id="clusters-title">Clusters</h2>
        <span class="muted">
          {formatCount(clusters.length)}
          {lost > 0 ? `, ${formatCount(lost)} not reached` : ', all that were asked are reached'}
        </span>
      </summary>
      <div class="cohorts-body">
        <FactsTable
          labelledBy="clusters-title"
          columns={columnsFor(counts)}
          rows={ordered.slice(0, MOST_ROWS)}
          rowKey={({ name }) => name}
        />
        {ordered.length > MOST_ROWS && (
          <p class="muted">{formatCount(ordered.length - MOST_ROWS)} more; the search finds their targets</p>
        )}
      </div>
    </details>
  );
}

/** What needs a look first: not reached, then the most leaks. */
function rank({ name, state }: ClusterStatus, counts: ReadonlyMap<string, Cohort>): number {
  return (state === 'not reached' ? -1e6 : 0) - (counts.get(name)?.counts.leak ?? 0);
}

const STATES: Readonly<Record<ClusterStatus['state'], string>> = {
  reached: 'reached',
  'not reached': 'not reached',
  unknown: 'no answer yet',
};

function columnsFor(counts: ReadonlyMap<string, Cohort>): FactsColumn<ClusterStatus>[] {
  return [
    {
      name: 'Cluster',
      kind: 'title',
      isHead: true,
      cell: ({ name }) => (
        <a class="mono" href={clusterUrl(name)} title="its targets">
          {visible(name)}
        </a>
      ),
    },
    { name: 'State', kind: 'title', cell: ({ state }) => STATES[state] },
    {
      name: 'Since',
      kind: 'number',
      cell: ({ since }) => (since === null ? NO_VALUE : <Timestamp at={since} />),
    },
    { name: 'Targets', kind: 'number', cell: ({ targetCount }) => formatCount(targetCount) },
    { name: 'Silent', kind: 'number', cell: ({ silentCount }) => formatCount(silentCount) },
    {
      name: 'Leak',
      kind: 'number',
      cell: ({ name }) => {
        const leaks = counts.get(name)?.counts.leak ?? 0;
        return (
          <>
            {leaks > 0 && <VerdictMark verdict="leak" />} {formatCount(leaks)}
          </>
        );
      },
    },
    { name: 'Why', kind: 'text', class: 'cohort-text', cell: ({ why }) => visible(why ?? '') },
  ];
}

function clusterUrl(name: string): string {
  const query = new URLSearchParams({ by: CLUSTER_ATTRIBUTE, is: `${CLUSTER_ATTRIBUTE}:${name}` });
  return `/?${readableQuery(query)}`;
}
