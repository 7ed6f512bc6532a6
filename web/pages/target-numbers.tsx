/** The charts' table twin: the same series as numbers. */
import { visible } from '../../src/base/visible-text.ts';
import type { TargetView } from '../../src/model/watch.ts';
import { FactsTable } from '../widgets/facts-table.tsx';
import { amountText } from '../widgets/figures.ts';
import { Moment } from '../widgets/moment.tsx';

const MOST_ROWS = 120;

export function TargetNumbers({ view }: { readonly view: TargetView }) {
  const series = view.series.filter(({ times }) => times.length > 0);
  if (series.length === 0) return null;
  const all = [...new Set(series.flatMap(({ times }) => times))].sort((a, b) => b - a);
  const every = Math.ceil(all.length / MOST_ROWS);
  const times = all.filter((_, i) => i % every === 0);
  const columns = series.map(({ times: at, values, unit, metric }) => ({
    metric,
    unit,
    values: new Map(at.map((time, i) => [time, values[i]])),
  }));
  const heads = [{ name: 'Time' }, ...columns.map(({ metric }) => ({ name: visible(metric), isNumber: true }))];
  return (
    <details class="numbers">
      <summary>
        <h2 id="numbers-title">Numbers</h2>
        <span class="muted">
          {times.length} of {all.length} samples, newest first
        </span>
      </summary>
      <FactsTable labelledBy="numbers-title" columns={heads}>
        {times.map(at => (
          <tr key={at}>
            <th scope="row">
              <Moment at={at} />
            </th>
            {columns.map(({ metric, unit, values }) => (
              <td key={metric} class="num">
                {amountText(unit, values.get(at) ?? null)}
              </td>
            ))}
          </tr>
        ))}
      </FactsTable>
    </details>
  );
}
