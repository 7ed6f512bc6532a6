/** The number of operations between two snapshots, to show growth per operation. */
export interface OperationsBoxProps {
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
