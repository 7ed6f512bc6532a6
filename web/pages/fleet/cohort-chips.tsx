/** The fleet by one attribute: what the leaking targets have in common. */
import { useMemo } from 'preact/hooks';
import { formatCount } from '../../../src/base/quantities.ts';
import { visible } from '../../../src/base/visible-text.ts';
import type { FleetRow } from '../../../src/model/watch.ts';
import { navigate, place, readable, setQuery } from '../../state/router.ts';
import { VerdictMark } from '../../widgets/verdict.tsx';
import { cohortKeys, cohortsBy, type FleetChoice } from './fleet-filter.ts';

const MOST_CHIPS = 12;

interface CohortChipsProps {
  readonly rows: readonly FleetRow[];
  readonly choice: FleetChoice;
}

export function CohortChips({ rows, choice }: CohortChipsProps) {
  const keys = useMemo(() => cohortKeys(rows), [rows]);
  const by = keys.includes(choice.by) ? choice.by : keys[0];
  const cohorts = useMemo(() => (by === undefined ? [] : cohortsBy(rows, by)), [rows, by]);
  if (by === undefined) return null;
  const isOn = (value: string): boolean => choice.attributes.some(([key, on]) => key === by && on === value);
  const shown = cohorts.filter(({ value }, i) => i < MOST_CHIPS || isOn(value));
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
          class="chip"
          aria-pressed={isOn(value)}
          onClick={() => toggleAttribute(by, value)}
          title={`${visible(value)}: ${counts.leak} leak, ${counts.watch} watch of ${total}`}
        >
          {counts.leak > 0 && <VerdictMark verdict="leak" />}
          <span class="mono">{visible(value) || '(none)'}</span>
          <span class="mono muted">
            {counts.leak > 0 ? `${formatCount(counts.leak)} of ` : ''}
            {formatCount(total)}
          </span>
        </button>
      ))}
      {cohorts.length > shown.length && (
        <span class="muted">{cohorts.length - shown.length} more: search for them</span>
      )}
      {choice.attributes
        .filter(([key]) => key !== by)
        .map(([key, value]) => (
          <button key={key + value} type="button" class="chip" aria-pressed onClick={() => toggleAttribute(key, value)}>
            {visible(`${key}: ${value}`)}
          </button>
        ))}
    </div>
  );
}

/** One value per attribute: another value replaces it, the same one takes it away. */
function toggleAttribute(key: string, value: string): void {
  const next = new URL(place.peek());
  const pair = `${key}:${value}`;
  const others = next.searchParams.getAll('is').filter(other => !other.startsWith(`${key}:`));
  const wasOn = next.searchParams.getAll('is').includes(pair);
  next.searchParams.delete('is');
  for (const other of wasOn ? others : [...others, pair]) next.searchParams.append('is', other);
  next.search = readable(next.searchParams);
  navigate(next.href, { replace: true });
}
