/** Who leaks? One row per target, worst first, its heat map beside it on the same line. */
import { useMemo } from 'preact/hooks';
import { formatCount } from '../../../src/base/quantities.ts';
import { visible } from '../../../src/base/visible-text.ts';
import type { FleetView } from '../../../src/model/watch.ts';
import { type Verdict, VERDICTS, worst } from '../../../src/model/verdict.ts';
import { status } from '../../state/live.ts';
import { useResource } from '../../state/use-api.ts';
import { setQuery } from '../../state/router.ts';
import { rangeHours } from '../../state/time-range.ts';
import { Answered, Notice } from '../../widgets/loading-states.tsx';
import { VerdictMark } from '../../widgets/verdict.tsx';
import { Why } from '../../widgets/why.tsx';
import { chosenRows, readChoice, type FleetChoice } from './fleet-filter.ts';
import { CohortChips } from './cohort-chips.tsx';
import { FleetTable } from './fleet-table.tsx';

export function FleetPage({ query }: { readonly params: Record<string, string>; readonly query: URLSearchParams }) {
  const hours = rangeHours.value;
  const fleet = useResource<FleetView>(
    `fleet ${hours}`,
    () => `/fleet?hours=${hours}`,
    event => event.kind === 'fleet',
  );
  return (
    <Answered resource={fleet} skeletonRows={16}>
      {view => (view.rows.length === 0 ? <FirstRun /> : <Fleet view={view} query={query} />)}
    </Answered>
  );
}

function Fleet({ view, query }: { readonly view: FleetView; readonly query: URLSearchParams }) {
  const search = query.toString();
  const choice = useMemo(() => readChoice(new URLSearchParams(search)), [search]);
  const rows = useMemo(() => chosenRows(view.rows, choice), [view.rows, choice]);
  const verdict = worst(VERDICTS.filter(one => view.counts[one] > 0));
  const isJudged = view.counts.unknown < view.rows.length;
  return (
    <>
      <div class="answer">
        <VerdictMark verdict={verdict} />
        <h1>{visible(view.sentence)}</h1>
        {!isJudged && <Learning />}
        <Why
          of="the fleet's verdict"
          reasons={view.rows
            .filter(({ verdict }) => verdict === 'leak')
            .slice(0, 5)
            .map(({ target, reason }) => `${target}: ${reason}`)}
          inputs={Object.fromEntries(VERDICTS.map(verdict => [verdict, formatCount(view.counts[verdict])]))}
        />
      </div>
      <div class="fleet-filters">
        <VerdictChips view={view} choice={choice} />
        <CohortChips rows={view.rows} choice={choice} />
      </div>
      {rows.length === 0 ? (
        <Notice title="No target is like that.">
          <p class="notice-steps">
            {formatCount(view.rows.length)} targets are hidden by the filter.
            <button type="button" onClick={() => setQuery({ q: null, v: null, is: null })}>
              Show all
            </button>
          </p>
        </Notice>
      ) : (
        <FleetTable view={view} rows={rows} choice={choice} selected={query.get('row')} />
      )}
    </>
  );
}

function VerdictChips({ view, choice }: { readonly view: FleetView; readonly choice: FleetChoice }) {
  const toggle = (verdict: Verdict): void => {
    const next = VERDICTS.filter(other => choice.verdicts.includes(other) !== (other === verdict));
    setQuery({ v: next.length === 0 ? null : next.join(',') });
  };
  return (
    <div class="chips" role="group" aria-label="Verdicts">
      {VERDICTS.map(verdict => (
        <button
          key={verdict}
          type="button"
          class="chip"
          aria-pressed={choice.verdicts.includes(verdict)}
          disabled={view.counts[verdict] === 0 && !choice.verdicts.includes(verdict)}
          onClick={() => toggle(verdict)}
        >
          <VerdictMark verdict={verdict} />
          {verdict} <span class="mono">{formatCount(view.counts[verdict])}</span>
        </button>
      ))}
    </div>
  );
}

/** Samples come in, and nothing can be said of them yet. */
function Learning() {
  return (
    <p class="muted">
      Nothing is judged yet: the first verdicts need about an hour of samples, a leak six or more. Captures and numbers
      of each target are there from the first minute.
    </p>
  );
}

function FirstRun() {
  const known = status.value;
  if (known !== null && known.targetCount > 0) {
    return (
      <Notice title={`Waiting for the first samples of ${formatCount(known.targetCount)} targets.`}>
        <p class="muted">They come within a minute. A leak shows after some hours; a growing profile right away.</p>
      </Notice>
    );
  }
  return (
    <Notice title="Nothing is watched yet.">
      <p>Name a cluster or targets, or see a recorded one leak:</p>
      <pre>
        oakum watch --context NAME{'\n'}
        oakum watch http://localhost:6060{'\n'}
        oakum watch --prometheus http://prometheus:9090{'\n'}
        oakum watch --demo
      </pre>
      <p>
        Or <a href="/p/upload">open a profile, a dump or a scrape</a> that you have.
      </p>
    </Notice>
  );
}
