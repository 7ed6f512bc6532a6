/** The clusters of the watch, where there are several: which are not reached and why, and how many targets of each leak. */
import { useMemo } from 'preact/hooks';
import { formatCount } from '../../../src/base/quantities.ts';
import { visible } from '../../../src/base/visible-text.ts';
import { CLUSTER_ATTRIBUTE } from '../../../src/judge/cohorts/cohort-model.ts';
import type { ClusterStatus } from '../../../src/watch/watch-model.ts';
import { readableQuery } from '../../state/router.ts';
import { NO_VALUE } from '../../text/amount-text.ts';
import { FactsTable, type FactsColumn } from '../../widgets/facts-table.tsx';
import { Timestamp } from '../../widgets/timestamp.tsx';
import { VerdictMark } from '../../widgets/verdict.tsx';

const MOST_ROWS = 12;

interface FleetClustersProps {
  readonly clusters: readonly ClusterStatus[];
}

export function FleetClusters({ clusters }: FleetClustersProps) {
  const lost = clusters.filter(({ state }) => state === 'not reached').length;
  const ordered = useMemo(() => clusters.toSorted((a, b) => rank(a) - rank(b)), [clusters]);
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
          columns={COLUMNS}
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
function rank({ state, leakCount }: ClusterStatus): number {
  return (state === 'not reached' ? -1e9 : 0) - leakCount;
}

const STATES: Readonly<Record<ClusterStatus['state'], string>> = {
  reached: 'reached',
  'not reached': 'not reached',
  unknown: 'no answer yet',
};

const COLUMNS: readonly FactsColumn<ClusterStatus>[] = [
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
  { name: 'Since', kind: 'number', cell: ({ since }) => (since === null ? NO_VALUE : <Timestamp at={since} />) },
  { name: 'Targets', kind: 'number', cell: ({ targetCount }) => formatCount(targetCount) },
  { name: 'Silent', kind: 'number', cell: ({ silentCount }) => formatCount(silentCount) },
  {
    name: 'Leak',
    kind: 'number',
    cell: ({ leakCount }) => (
      <>
        {leakCount > 0 && <VerdictMark verdict="leak" />} {formatCount(leakCount)}
      </>
    ),
  },
  { name: 'Why', kind: 'text', class: 'cohort-text', cell: ({ why }) => visible(why ?? '') },
];

function clusterUrl(name: string): string {
  const query = new URLSearchParams({ by: CLUSTER_ATTRIBUTE, is: `${CLUSTER_ATTRIBUTE}:${name}` });
  return `/?${readableQuery(query)}`;
}
