/** Families by growth: new, gone, per hour, per operation; and the details of the selected one. */
import { visible } from '../../src/base/visible-text.ts';
import type { FamilyCount } from '../../src/profile/families/family.ts';
import type { Growth } from '../../src/judge/growth/growth.ts';
import { type Column, VirtualTable } from '../widgets/virtual-table.tsx';
import type { GrowthView } from '../reader/messages.ts';
import { FamilyDetails, KnownMark } from './family-details.tsx';
import { changeText, valueText } from '../widgets/value-text.ts';

export interface GrowthTableProps {
  readonly growth: GrowthView;
  /** A family's count in the later profile; for a family that is gone, in the earlier one. */
  readonly countOf: (id: string) => FamilyCount | undefined;
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
}

export function GrowthTable({ growth, countOf, chosen, onChoose }: GrowthTableProps) {
  const rows = growth.growths.filter(({ delta }) => delta !== 0);
  const at = rows.findIndex(({ family }) => family.id === chosen);
  const count = at < 0 ? undefined : countOf(chosen);
  return (
    <>
      <VirtualTable
        label="Growth by family"
        columns={columnsOf(growth)}
        rows={rows}
        rowKey={({ family }) => family.id}
        selected={at}
        onSelect={({ family }) => onChoose(family.id)}
        empty="No family changed."
      />
      {count !== undefined && (
        <FamilyDetails count={count} matches={growth.matches.get(chosen) ?? []} ages={undefined} why={rows[at]?.why} />
      )}
    </>
  );
}

function columnsOf({ growths, matches }: GrowthView): readonly Column<Growth>[] {
  const unit = growths[0]?.family.kind === 'heap' ? 'bytes' : 'count';
  const rate = (value: number | undefined): string => (value === undefined ? '' : changeText(value, unit));
  const columns: Column<Growth>[] = [
    {
      key: 'delta',
      head: 'Change',
      isNumber: true,
      cell: ({ delta }) => <span class={delta > 0 ? 'grow' : 'shrink'}>{changeText(delta, unit)}</span>,
    },
  ];
  if (growths.some(({ perHour }) => perHour !== undefined)) {
    columns.push({
      key: 'hour',
      head: 'Per hour',
      isNumber: true,
      isMinor: true,
      cell: ({ perHour }) => rate(perHour),
    });
  }
  if (growths.some(({ perOperation }) => perOperation !== undefined)) {
    columns.push({
      key: 'operation',
      head: 'Per operation',
      isNumber: true,
      cell: ({ perOperation }) => rate(perOperation),
    });
  }
  columns.push(
    { key: 'from', head: 'Before', isNumber: true, isMinor: true, cell: ({ from }) => valueText(from, unit) },
    { key: 'to', head: 'After', isNumber: true, isMinor: true, cell: ({ to }) => valueText(to, unit) },
    {
      key: 'family',
      head: 'Family',
      cell: ({ family, isNew, isGone, significant, why }) => (
        <>
          {isNew && <span class="growth-mark">new</span>}
          {isGone && <span class="growth-mark">gone</span>}
          <KnownMark matches={matches.get(family.id)} />
          <span class={significant ? '' : 'muted'} title={visible(`${family.frames.join('\n')}\n\n${why}`)}>
            {visible(family.title)}
          </span>
        </>
      ),
    },
  );
  return columns;
}

/** The number of operations between two snapshots, to show growth per operation. */
interface OperationsBoxProps {
  readonly operations: number | undefined;
  readonly onOperations: (count: number | undefined) => void;
}

export function OperationsBox({ operations, onOperations }: OperationsBoxProps) {
  return (
    <label class="operations">
      Operations in between{' '}
      <input
        type="number"
        min="1"
        step="1"
        value={operations ?? ''}
        placeholder="unknown"
        onChange={event => {
          const count = Number(event.currentTarget.value);
          onOperations(count > 0 ? count : undefined);
        }}
      />
    </label>
  );
}
