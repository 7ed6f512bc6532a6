/** Cohorts of the fleet by one attribute, to see what the leaking targets have in common. */
import { formatCount } from '../../../src/base/quantities.ts';
import { visible } from '../../../src/base/visible-text.ts';
import type { FleetCohort, FleetView } from '../../../src/watch/fleet/fleet.ts';
import { VERDICTS } from '../../../src/judge/verdict.ts';
import { shareText } from '../../text/value-text.ts';
import { navigate, currentUrl, readableQuery, setQuery } from '../../state/router.ts';
import { VerdictMark } from '../../widgets/verdict.tsx';
import type { FleetFilter } from './fleet-filter.ts';

const MAX_CHIPS = 12;

interface CohortChipsProps {
  readonly view: FleetView;
  readonly filter: FleetFilter;
}

export function CohortChips({ view, filter }: CohortChipsProps) {
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
