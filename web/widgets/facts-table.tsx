/**
 * A table that turns each row into a card where a row does not fit, as on a phone:
 *
 *     Resource   Verdict  Level     Summary              live heap  (o) leak
 *     live heap  (o) leak 40.4 MiB  it rises ...    ->   Level 40.4 MiB
 *                                                        it rises ...
 */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useIsNarrow, useWidth } from '../state/use-width.ts';
import { NO_VALUE } from './value-text.ts';

export interface FactsColumn<Row> {
  readonly name: string;
  /**
   * `title` goes on the first line of a card. `number` is right-aligned; in a card its name precedes it. `text` spans
   * the whole width of a card, before or after the numbers as in the table.
   */
  readonly kind: 'title' | 'number' | 'text';
  /** The row's header; by default the first column. */
  readonly isHead?: boolean;
  readonly class?: string;
  readonly cell: (row: Row) => ComponentChildren;
}

interface FactsTableProps<Row> {
  /** The id of the table's heading. */
  readonly labelledBy: string;
  readonly class?: string;
  readonly columns: readonly FactsColumn<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string | number;
  /** Never cards: the table scrolls sideways. For numbers to be read down the columns. */
  readonly staysTable?: boolean;
}

export function FactsTable<Row>(props: FactsTableProps<Row>) {
  const isNarrow = useIsNarrow();
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  /** What the table took when it last did not fit. */
  const [neededWidth, setNeededWidth] = useState(0);
  const isCards = props.staysTable !== true && (isNarrow || width < neededWidth);
  // Before the paint: nobody sees the table that does not fit.
  useLayoutEffect(() => {
    const table = box.current?.querySelector(':scope > .scroll-x');
    if (!isCards && table != null && table.scrollWidth > table.clientWidth) setNeededWidth(table.scrollWidth);
  });
  return <div ref={box}>{isCards ? <Cards {...props} /> : <Table {...props} />}</div>;
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
  const ofKind = (wanted: FactsColumn<Row>['kind']) => columns.filter(({ kind }) => kind === wanted);
  const firstNumber = columns.findIndex(({ kind }) => kind === 'number');
  const texts = (row: Row, areBefore: boolean): ComponentChildren =>
    ofKind('text')
      .filter(column => columns.indexOf(column) < firstNumber === areBefore)
      .map(({ name, cell }) => <div key={name}>{cell(row)}</div>);
  return (
    <ul class="cards" aria-labelledby={labelledBy}>
      {rows.map(row => (
        <li key={rowKey(row)}>
          <div class="card-title">
            {ofKind('title').map(column => (
              <span key={column.name} class={column === head ? 'card-head' : undefined}>
                {column.cell(row)}
              </span>
            ))}
          </div>
          {texts(row, true)}
          <dl class="card-numbers">
            {ofKind('number').map(({ name, cell }) => (
              <NamedNumber key={name} name={name} value={cell(row)} />
            ))}
          </dl>
          {texts(row, false)}
        </li>
      ))}
    </ul>
  );
}

function NamedNumber({ name, value }: { readonly name: string; readonly value: ComponentChildren }) {
  if (value === NO_VALUE) return null;
  return (
    <div>
      <dt class="muted">{name}</dt>
      <dd class="num">{value}</dd>
    </div>
  );
}

function headOf<Row>(columns: readonly FactsColumn<Row>[]): FactsColumn<Row> | undefined {
  return columns.find(({ isHead }) => isHead === true) ?? columns[0];
}

const CLASS_OF = { title: 'facts-title', number: 'num', text: 'facts-text' } as const;

function classOf<Row>({ kind, class: name }: FactsColumn<Row>): string | undefined {
  return [CLASS_OF[kind], name ?? ''].filter(part => part !== '').join(' ') || undefined;
}

/** Named facts, one per line. */
export function FactList({ children }: { readonly children: ComponentChildren }) {
  return <dl class="fact-list">{children}</dl>;
}

export function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt class="muted">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
