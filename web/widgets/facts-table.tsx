/**
 * A table of facts; on a phone, where a row does not fit, each row is a card:
 *
 *     Resource   Verdict  Level     In one line          live heap  (o) leak
 *     live heap  (o) leak 40.4 MiB  it rises ...    ->   Level 40.4 MiB
 *                                                        it rises ...
 */
import type { ComponentChildren } from 'preact';
import { useIsNarrow } from '../state/screen-width.ts';
import { NOTHING } from '../text/amount-text.ts';

export interface Column<Row> {
  readonly name: string;
  /**
   * `title`: what the row is, on the first line of a card. `number`: to the right, in a card with its name before it.
   * `text`: sentences, in a card over its whole width, before or after the numbers as in the table.
   */
  readonly kind: 'title' | 'number' | 'text';
  /** What the row is called; the first one unless told. */
  readonly isHead?: boolean;
  readonly class?: string;
  readonly cell: (row: Row) => ComponentChildren;
}

export interface FactsTableProps<Row> {
  /** The id of its heading. */
  readonly labelledBy: string;
  readonly class?: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string | number;
  /** Numbers to be read down the columns stay a table, which scrolls sideways. */
  readonly staysTable?: boolean;
}

export function FactsTable<Row>(props: FactsTableProps<Row>) {
  const isNarrow = useIsNarrow();
  return isNarrow && props.staysTable !== true ? <Cards {...props} /> : <Table {...props} />;
}

function Table<Row>({ labelledBy, columns, rows, rowKey, ...props }: FactsTableProps<Row>) {
  const head = headOf(columns);
  return (
    <div class="scroll-x" tabIndex={0} role="region" aria-labelledby={labelledBy}>
      <table class={`facts ${props.class ?? ''}`}>
        <thead>
          <tr>
            {columns.map(column => (
              <th key={column.name} scope="col" class={classOf(column)}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <tr key={rowKey(row)}>
              {columns.map(column =>
                column === head ? (
                  <th key={column.name} scope="row" class={classOf(column)}>
                    {column.cell(row)}
                  </th>
                ) : (
                  <td key={column.name} class={classOf(column)}>
                    {column.cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cards<Row>({ labelledBy, columns, rows, rowKey }: FactsTableProps<Row>) {
  const head = headOf(columns);
  const of = (wanted: Column<Row>['kind']): readonly Column<Row>[] => columns.filter(({ kind }) => kind === wanted);
  const firstNumber = columns.findIndex(({ kind }) => kind === 'number');
  const texts = (row: Row, areBefore: boolean): ComponentChildren =>
    of('text')
      .filter(column => columns.indexOf(column) < firstNumber === areBefore)
      .map(({ name, cell }) => <div key={name}>{cell(row)}</div>);
  return (
    <ul class="cards" aria-labelledby={labelledBy}>
      {rows.map(row => (
        <li key={rowKey(row)}>
          <div class="card-title">
            {of('title').map(column => (
              <span key={column.name} class={column === head ? 'card-head' : undefined}>
                {column.cell(row)}
              </span>
            ))}
          </div>
          {texts(row, true)}
          <dl class="card-numbers">
            {of('number').map(({ name, cell }) => (
              <Named key={name} name={name} value={cell(row)} />
            ))}
          </dl>
          {texts(row, false)}
        </li>
      ))}
    </ul>
  );
}

function Named({ name, value }: { readonly name: string; readonly value: ComponentChildren }) {
  if (value === NOTHING) return null;
  return (
    <div>
      <dt class="muted">{name}</dt>
      <dd class="num">{value}</dd>
    </div>
  );
}

function headOf<Row>(columns: readonly Column<Row>[]): Column<Row> {
  return columns.find(({ isHead }) => isHead === true) ?? columns[0];
}

function classOf<Row>({ kind, class: name }: Column<Row>): string | undefined {
  return [kind === 'number' ? 'num' : '', name ?? ''].filter(part => part !== '').join(' ') || undefined;
}
