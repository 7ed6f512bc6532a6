/** A brushed range against the range of the same length before it. */
import { formatAge, signed } from '../../src/base/quantities.ts';
import type { Panel } from '../charts/panels.ts';
import { amountText, NO_VALUE } from '../text/amount-text.ts';
import { FactsTable, type FactsColumn } from '../widgets/facts-table.tsx';
import { rangeMeans, type RangeMeans } from './range-means.ts';

const COLUMNS: readonly FactsColumn<RangeMeans>[] = [
  { name: 'Mean of', kind: 'title', cell: ({ label }) => label },
  { name: 'Before', kind: 'number', cell: ({ unit, before }) => amountText(unit, before) },
  { name: 'In the range', kind: 'number', cell: ({ unit, mean }) => amountText(unit, mean) },
  {
    name: 'Change',
    kind: 'number',
    cell: ({ unit, before, mean }) =>
      before === null || mean === null ? NO_VALUE : signed(amountText(unit, mean - before)),
  },
];

interface RangeComparisonProps {
  readonly panels: readonly Panel[];
  readonly brush: readonly [number, number];
}

export function RangeComparison({ panels, brush }: RangeComparisonProps) {
  return (
    <div class="range-comparison">
      <p id="range-title" class="muted">
        The selected {formatAge(brush[1] - brush[0])} and as long before it
      </p>
      <FactsTable
        labelledBy="range-title"
        columns={COLUMNS}
        rows={rangeMeans(panels, brush)}
        rowKey={({ label }) => label}
        staysTable
      />
    </div>
  );
}
