/** Cohorts of the fleet by one attribute, to see what the leaking targets have in common. */
import { useMemo } from 'preact/hooks';
import { formatCount } from '../../../src/base/quantities.ts';
import { visible } from '../../../src/base/visible-text.ts';
import type { FleetRow } from '../../../src/model/watch.ts';
import { VERDICTS } from '../../../src/model/verdict.ts';
import { shareText } from '../../text/value-text.ts';
import { navigate, currentUrl, readableQuery, setQuery } from '../../state/router.ts';
import { VerdictMark } from '../../widgets/verdict.tsx';
import { cohortKeys, cohortsBy, type Cohort, type FleetFilter } from './fleet-filter.ts';

const MAX_CHIPS = 12;

interface CohortChipsProps {
  readonly rows: readonly FleetRow[];
  readonly filter: FleetFilter;
  /** The attribute whose cohorts are compared. */
  readonly by: string | undefined;
  /** Attributes that separate what grows; some of them, such as feature gates, no row shows. */
  readonly suspected: readonly string[];
}

export function CohortChips({ rows, filter, by, suspected }: CohortChipsProps) {
  const keys = useMemo(() => [...new Set([...cohortKeys(rows), ...suspected])], [rows, suspected]);
  const cohorts = useMemo(() => (by === undefined ? [] : cohortsBy(rows, by)), [rows, by]);
  if (by === undefined) return null;
  const isOn = (value: string): boolean => filter.attributes.some(([key, on]) => key === by && on === value);
  const shown = cohorts.filter(({ value }, i) => i < MAX_CHIPS || isOn(value));
  return (
    <div class="chips" role="group" aria-label="Cohorts">
      <select aria-label="Cohorts by" value={by} onChange={event => setQuery({ by: event.currentTarget.value })}>
        {keys.map(key => (
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
          title={`${visible(value)}: ${VERDICTS.map(verdict => `${counts[verdict]} ${verdict}`).join(', ')}; ${shareText(total, rows.length)} of all`}
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
      {cohorts.length > shown.length && <span class="muted">{cohorts.length - shown.length} more; use the search</span>}
      {filter.attributes
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
function ShareBar({ counts, total }: Pick<Cohort, 'counts' | 'total'>) {
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
