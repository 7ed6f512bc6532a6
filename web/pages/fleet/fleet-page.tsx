/** Which targets leak? One row per target, the worst first, with its heat map. */
import { useMemo } from 'preact/hooks';
import { formatCount } from '../../../src/base/quantities.ts';
import { visible } from '../../../src/base/visible-text.ts';
import type { FleetView } from '../../../src/watch/fleet/fleet.ts';
import type { CohortsView, IncidentSummary } from '../../../src/watch/watch-model.ts';
import { type Verdict, VERDICTS, worst } from '../../../src/judge/verdict.ts';
import { status } from '../../state/live.ts';
import { useApi } from '../../state/use-api.ts';
import { setQuery } from '../../state/router.ts';
import { rangeHours } from '../../state/time-range.ts';
import { WhenLoaded, Notice } from '../../widgets/loading-states.tsx';
import { VerdictMark } from '../../widgets/verdict.tsx';
import { Why } from '../../widgets/why.tsx';
import type { PageProps } from '../page-props.ts';
import { readFilter, type FleetFilter } from './fleet-filter.ts';
import { FleetClusters } from './fleet-clusters.tsx';
import { FleetCohorts } from './fleet-cohorts.tsx';
import { CohortChips } from './cohort-chips.tsx';
import { FleetTable } from './fleet-table.tsx';
import { type Fleet, useFleet } from './use-fleet.ts';

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
