/** Which targets leak? One row per target, the worst first, with its heat map. */
import { useMemo } from 'preact/hooks';
import { formatCount } from '../../src/base/say.ts';
import { visible } from '../../src/base/visible-text.ts';
import type { FleetView, FleetCohort } from '../../src/watch/views/fleet.ts';
import type { CohortsView, IncidentSummary, ClusterStatus } from '../../src/watch/watch-model.ts';
import { type Verdict, VERDICTS, worst } from '../../src/judge/verdict.ts';
import { status } from '../state/live.ts';
import { useApi } from '../state/use-api.ts';
import { currentUrl, navigate, type PageProps, readableQuery, setQuery } from '../state/router.ts';
import { rangeHours } from '../state/time-range.ts';
import { WhenLoaded, Notice } from '../widgets/loading-states.tsx';
import { VerdictMark, Why } from '../widgets/verdict.tsx';
import { readFilter, type FleetFilter, type Fleet, useFleet } from './use-fleet.ts';
import { FleetCohorts } from './fleet-cohorts.tsx';
import { FleetTable } from './fleet-table.tsx';
import { NO_VALUE, shareText } from '../widgets/value-text.ts';
import { CLUSTER_ATTRIBUTE } from '../../src/judge/cohorts/cohort-model.ts';
import { FactsTable, type FactsColumn } from '../widgets/facts-table.tsx';
import { Timestamp } from '../widgets/timestamp.tsx';

/** The clusters of the watch, where there are several: which are not reached and why, and how many targets of each leak. */
const MAX_ROWS = 12;

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

/** Cohorts of the fleet by one attribute, to see what the leaking targets have in common. */
const MAX_CHIPS = 12;

export function FleetPage({ query }: PageProps) {
  const search = query.toString();
  const filter = useMemo(() => readFilter(new URLSearchParams(search)), [search]);
  const selected = query.get('row');
  const fleet = useFleet(rangeHours.value, filter, selected ?? '');
  const cohorts = useApi<CohortsView>(
    'cohorts',
    () => '/cohorts?changes=0',
    event => event.kind === 'fleet',
  );
  return (
    <WhenLoaded api={fleet} skeletonRows={16}>
      {view =>
        watchedCount(view) === 0 ? (
          <FirstRun />
        ) : (
          <FleetAnswer view={view} fleet={fleet} filter={filter} selected={selected} cohorts={cohorts.data} />
        )
      }
    </WhenLoaded>
  );
}

/** Without Oakum itself. */
function watchedCount({ counts }: FleetView): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

interface FleetProps {
  readonly view: FleetView;
  readonly fleet: Fleet;
  readonly filter: FleetFilter;
  readonly selected: string | null;
  /** Undefined until they are loaded. */
  readonly cohorts: CohortsView | undefined;
}

function FleetAnswer({ view, fleet, filter, selected, cohorts }: FleetProps) {
  const by = view.cohorts?.attribute;
  const verdict = worst(VERDICTS.filter(one => view.counts[one] > 0));
  const clusters = status.value?.clusters;
  const isJudged = view.counts.unknown < watchedCount(view);
  return (
    <>
      <div class="answer">
        <VerdictMark verdict={verdict} />
        <h1>{visible(view.sentence)}</h1>
        <CohortIncidents incidents={cohorts?.incidents ?? []} />
        {!isJudged && <Learning />}
        <Why
          of="the fleet's verdict"
          reasons={view.leaking.map(({ target, reason }) => `${target}: ${reason}`)}
          inputs={Object.fromEntries(VERDICTS.map(verdict => [verdict, formatCount(view.counts[verdict])]))}
        />
      </div>
      <div class="fleet-filters">
        <VerdictChips view={view} filter={filter} />
        <CohortChips view={view} filter={filter} />
        <MatchCount view={view} isFiltered={fleet.isFiltered} />
      </div>
      {clusters !== undefined && <FleetClusters clusters={clusters} />}
      {cohorts !== undefined && by !== undefined && <FleetCohorts view={cohorts} by={by} />}
      {view.matching === 0 ? (
        <Notice title="No target matches.">
          <p class="notice-steps">
            The filter hides {formatCount(view.total)} targets.
            <button type="button" onClick={() => setQuery({ q: null, v: null, is: null })}>
              Show all
            </button>
          </p>
        </Notice>
      ) : (
        <FleetTable view={view} fleet={fleet} sort={filter.sort} selected={selected} />
      )}
      <Replicas />
    </>
  );
}

/** `3 replicas, this is oakum-1, leader oakum-0` */
function Replicas() {
  const replicas = status.value?.replicas;
  if (replicas === undefined) return null;
  const { id, members, leader } = replicas;
  const count = members.length === 1 ? '1 replica' : `${members.length} replicas`;
  return (
    <p class="muted">
      {count}, this is {visible(id)}, {leader === null ? 'no leader' : `leader ${visible(leader.id)}`}
    </p>
  );
}

/** One link for each cohort that leaks, whatever the number of its targets. */
function CohortIncidents({ incidents }: { readonly incidents: readonly IncidentSummary[] }) {
  if (incidents.length === 0) return null;
  return (
    <p class="answer-facts">
      {incidents.map(({ id, target, cohort, acknowledged }) => (
        <a key={id} href={`/i/${encodeURIComponent(id)}`}>
          incident of {visible(target)}
          {cohort !== null && cohort.open > 0 ? `, with ${formatCount(cohort.open)} of its targets` : ''}
          {acknowledged === null ? '' : `, acknowledged by ${visible(acknowledged.by)}`}
        </a>
      ))}
    </p>
  );
}

function VerdictChips({ view, filter }: { readonly view: FleetView; readonly filter: FleetFilter }) {
  const toggle = (verdict: Verdict): void => {
    const next = VERDICTS.filter(other => filter.verdicts.includes(other) !== (other === verdict));
    setQuery({ v: next.length === 0 ? null : next.join(',') });
  };
  return (
    <div class="chips" role="group" aria-label="Verdicts">
      {VERDICTS.map(verdict => (
        <button
          key={verdict}
          type="button"
          class="chip"
          aria-pressed={filter.verdicts.includes(verdict)}
          disabled={view.counts[verdict] === 0 && !filter.verdicts.includes(verdict)}
          onClick={() => toggle(verdict)}
        >
          <VerdictMark verdict={verdict} />
          {verdict} <span class="mono">{formatCount(view.counts[verdict])}</span>
        </button>
      ))}
    </div>
  );
}

/** What a filter leaves; screen readers say it when it changes. */
function MatchCount({ view, isFiltered }: { readonly view: FleetView; readonly isFiltered: boolean }) {
  return (
    <p class="muted fleet-matching" role="status">
      {isFiltered && (view.matching === 1 ? '1 target matches' : `${formatCount(view.matching)} targets match`)}
    </p>
  );
}

/** There are samples, but too few for a verdict. */
function Learning() {
  return (
    <p class="muted">
      No verdicts yet: the first ones need about an hour of samples, a leak six hours or more. The numbers and captures
      of each target are available from the first minute.
    </p>
  );
}

function FirstRun() {
  const targetCount = status.value?.targetCount ?? 0;
  if (targetCount > 0) {
    return (
      <Notice title={`Waiting for the first samples from ${formatCount(targetCount)} targets.`}>
        <p class="muted">
          They arrive within a minute. A leak shows after some hours; growth between two profiles, right away.
        </p>
      </Notice>
    );
  }
  return (
    <Notice title="Nothing is watched yet.">
      <p>Three ways to begin:</p>
      <ol class="first-run">
        <li>
          <strong>Watch</strong> the nodes of a cluster, single processes, or what a Prometheus knows:
          <pre>
            oakum watch --context NAME{'\n'}
            oakum watch http://localhost:6060{'\n'}
            oakum watch --prometheus http://prometheus:9090
          </pre>
        </li>
        <li>
          <strong>Open</strong> profiles and goroutine dumps that you have: <a href="/p/upload">drop them on a page</a>,
          or
          <pre>oakum analyze FILE...</pre>
        </li>
        <li>
          <strong>Try</strong> it on a recorded cluster that leaks, in two and a half minutes:
          <pre>oakum watch --demo</pre>
        </li>
      </ol>
    </Notice>
  );
}

interface CohortChipsProps {
  readonly view: FleetView;
  readonly filter: FleetFilter;
}

function CohortChips({ view, filter }: CohortChipsProps) {
  if (view.cohorts === null) return null;
  const { attribute: by, values, moreValues } = view.cohorts;
  const isOn = (value: string): boolean => filter.is.some(([key, on]) => key === by && on === value);
  const shown = values.filter(({ value }, i) => i < MAX_CHIPS || isOn(value));
  const more = values.length - shown.length + moreValues;
  return (
    <div class="chips" role="group" aria-label="Cohorts">
      <select aria-label="Cohorts by" value={by} onChange={event => setQuery({ by: event.currentTarget.value })}>
        {view.attributes.map(key => (
          <option key={key} value={key}>
            by {visible(key)}
          </option>
        ))}
      </select>
      {shown.map(({ value, total, counts }) => (
        <button
          key={value}
          type="button"
          class="chip chip-share"
          aria-pressed={isOn(value)}
          onClick={() => toggleAttribute(by, value)}
          title={`${visible(value)}: ${VERDICTS.map(verdict => `${counts[verdict]} ${verdict}`).join(', ')}; ${shareText(total, view.total)} of all`}
        >
          {counts.leak > 0 && <VerdictMark verdict="leak" />}
          <span class="mono">{visible(value) || '(none)'}</span>
          <span class="mono muted">
            {counts.leak > 0 ? `${formatCount(counts.leak)} of ` : ''}
            {formatCount(total)}
            {counts.leak > 0 ? ' leak' : ''}
          </span>
          <ShareBar counts={counts} total={total} />
        </button>
      ))}
      {more > 0 && <span class="muted">{formatCount(more)} more; use the search</span>}
      {filter.is
        .filter(([key]) => key !== by)
        .map(([key, value]) => (
          <button key={key + value} type="button" class="chip" aria-pressed onClick={() => toggleAttribute(key, value)}>
            {visible(`${key}: ${value}`)}
          </button>
        ))}
    </div>
  );
}

/** The verdicts of a cohort as shares of its width. */
function ShareBar({ counts, total }: Pick<FleetCohort, 'counts' | 'total'>) {
  return (
    <span class="share-bar" aria-hidden="true">
      {VERDICTS.filter(verdict => counts[verdict] > 0).map(verdict => (
        <span key={verdict} class={`share-${verdict}`} style={{ width: `${(100 * counts[verdict]) / total}%` }} />
      ))}
    </span>
  );
}

/** One value per attribute: another value replaces it, the same value removes it. */
function toggleAttribute(key: string, value: string): void {
  const next = new URL(currentUrl.peek());
  const pair = `${key}:${value}`;
  const others = next.searchParams.getAll('is').filter(other => !other.startsWith(`${key}:`));
  const wasOn = next.searchParams.getAll('is').includes(pair);
  next.searchParams.delete('is');
  for (const other of wasOn ? others : [...others, pair]) next.searchParams.append('is', other);
  next.search = readableQuery(next.searchParams);
  navigate(next.href, { replace: true });
}

interface FleetClustersProps {
  readonly clusters: readonly ClusterStatus[];
}

function FleetClusters({ clusters }: FleetClustersProps) {
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
          rows={ordered.slice(0, MAX_ROWS)}
          rowKey={({ name }) => name}
        />
        {ordered.length > MAX_ROWS && (
          <p class="muted">{formatCount(ordered.length - MAX_ROWS)} more; the search finds their targets</p>
        )}
      </div>
    </details>
  );
}

/** What needs a look first: not reached, then the most leaks. */
function rank({ state, leakCount }: ClusterStatus): number {
  return (state === 'not reached' ? -1e9 : 0) - leakCount;
}

function clusterUrl(name: string): string {
  const query = new URLSearchParams({ by: CLUSTER_ATTRIBUTE, is: `${CLUSTER_ATTRIBUTE}:${name}` });
  return `/?${readableQuery(query)}`;
}
