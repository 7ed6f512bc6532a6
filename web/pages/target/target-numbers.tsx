/** The series of the charts as a table of numbers. */
import { visible } from '../../../src/base/visible-text.ts';
import type { TargetView } from '../../../src/watch/watch-model.ts';
import { FactsTable, type FactsColumn } from '../../widgets/facts-table.tsx';
import { amountText } from '../../text/amount-text.ts';
import { Timestamp } from '../../widgets/timestamp.tsx';

const MAX_ROWS = 120;

export function TargetNumbers({ view }: { readonly view: TargetView }) {
  const series = view.series.filter(({ times }) => times.length > 0);
  if (series.length === 0) return null;
  const all = [...new Set(series.flatMap(({ times }) => times))].sort((a, b) => b - a);
  const every = Math.ceil(all.length / MAX_ROWS);
  const times = all.filter((_, i) => i % every === 0);
  const columns: FactsColumn<number>[] = [
    { name: 'Time', kind: 'title', cell: at => <Timestamp at={at} /> },
    ...series.map(({ times: at, values, unit, metric }): FactsColumn<number> => {
      const byTime = new Map(at.map((time, i) => [time, values[i]]));
      return { name: visible(metric), kind: 'number', cell: time => amountText(unit, byTime.get(time) ?? null) };
    }),
  ];
  return (
    <details class="numbers">
      <summary>
        <h2 id="numbers-title">Numbers</h2>
        <span class="muted">
          {times.length} of {all.length} samples, newest first
        </span>
      </summary>
      <FactsTable labelledBy="numbers-title" columns={columns} rows={times} rowKey={at => at} staysTable />
    </details>
  );
}
