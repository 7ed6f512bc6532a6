/** Every label of a profile with its values: how much each covers, and how that has changed. */
import { useState } from 'preact/hooks';
import { visible } from '../../src/base/visible-text.ts';
import type { LabelPair, LabelSummary, LabelTotal } from '../reader/sample-labels.ts';
import { changeText, shareText, valueText } from '../text/value-text.ts';
import { VirtualTable, type Column } from '../widgets/virtual-table.tsx';
import { samePair, toggled } from './label-choice.ts';

export interface LabelTableProps {
  readonly labels: readonly LabelSummary[];
  readonly unit: string;
  /** What shares refer to. */
  readonly whole: number;
  readonly isCompared: boolean;
  readonly chosen: readonly LabelPair[];
  readonly roots: readonly string[];
  readonly onChosen: (chosen: readonly LabelPair[]) => void;
  readonly onRoots: (roots: readonly string[]) => void;
}

interface Row extends LabelPair, LabelTotal {}

export function LabelTable(props: LabelTableProps) {
  const { labels, chosen, roots } = props;
  const [selected, setSelected] = useState<LabelPair | undefined>(undefined);
  const rows: readonly Row[] = labels.flatMap(({ key, values }) => values.map(value => ({ key, ...value })));
  const at = selected === undefined ? -1 : rows.findIndex(row => samePair(row, selected));
  const row = rows[at];
  const choose = ({ key, value }: Row): void => props.onChosen(toggled(chosen, { key, value }, samePair));
  return (
    <>
      <VirtualTable
        label="Labels"
        columns={columnsOf(props)}
        rows={rows}
        rowKey={({ key, value }) => `${key}=${value}`}
        selected={at}
        onSelect={setSelected}
        onOpen={choose}
        empty="No sample of this type has a label."
      />
      {row === undefined ? (
        rows.length > 0 && <p class="muted">Select a value to filter by it or to put its label at the root.</p>
      ) : (
        <p class="label-actions">
          <button type="button" aria-pressed={chosen.some(pair => samePair(pair, row))} onClick={() => choose(row)}>
            Only {visible(row.key)}={visible(row.value)}
          </button>
          <button
            type="button"
            aria-pressed={roots.includes(row.key)}
            onClick={() => props.onRoots(toggled(roots, row.key))}
          >
            {visible(row.key)} as root
          </button>
        </p>
      )}
      {labels.map(
        ({ key, values, valueCount }) =>
          valueCount > values.length && (
            <p key={key} class="muted">
              {visible(key)} has {(valueCount - values.length).toLocaleString()} more values, each smaller.
            </p>
          ),
      )}
    </>
  );
}

function columnsOf({ unit, whole, isCompared, chosen }: LabelTableProps): readonly Column<Row>[] {
  const isChosen = (row: Row): boolean => chosen.some(pair => samePair(pair, row));
  const names: readonly Column<Row>[] = [
    { key: 'key', head: 'Label', isMinor: true, cell: ({ key }) => visible(key) },
    {
      key: 'value',
      head: 'Value',
      cell: row => (
        <>
          <span class="label-key muted">{visible(row.key)}=</span>
          {visible(row.value)}
          {isChosen(row) && <span class="muted"> (filter)</span>}
        </>
      ),
    },
  ];
  if (isCompared) {
    return [
      { key: 'change', head: 'Change', isNumber: true, cell: row => changeText(row.total - row.before, unit) },
      { key: 'before', head: 'Before', isNumber: true, isMinor: true, cell: row => valueText(row.before, unit) },
      { key: 'after', head: 'After', isNumber: true, isMinor: true, cell: row => valueText(row.total, unit) },
      ...names,
    ];
  }
  return [
    { key: 'total', head: 'Total', isNumber: true, cell: ({ total }) => valueText(total, unit) },
    { key: 'share', head: '%', isNumber: true, isNarrow: true, cell: ({ total }) => shareText(total, whole) },
    ...names,
  ];
}
