/** A table of facts that scrolls sideways within its own frame, also by keyboard, where the screen is narrow. */
import type { ComponentChildren } from 'preact';

export interface Column {
  readonly name: string;
  readonly isNumber?: boolean;
}

export interface FactsTableProps {
  /** The id of its heading. */
  readonly labelledBy: string;
  readonly class?: string;
  readonly columns: readonly Column[];
  /** Its rows. */
  readonly children: ComponentChildren;
}

export function FactsTable({ labelledBy, columns, children, ...props }: FactsTableProps) {
  return (
    <div class="scroll-x" tabIndex={0} role="region" aria-labelledby={labelledBy}>
      <table class={`facts ${props.class ?? ''}`}>
        <thead>
          <tr>
            {columns.map(({ name, isNumber }) => (
              <th key={name} scope="col" class={isNumber === true ? 'num' : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
