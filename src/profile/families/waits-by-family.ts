/** Every goroutine of a dump with its id, wait and state, grouped by family. */
import type { Waits } from './family.ts';
import type { GoroutineDump } from '../goroutine-dump.ts';

/**
 * Columns sorted by family; each family is a slice of them. If a file has several dumps, the last one counts, because
 * ids repeat in the others. Undefined without ids, as in debug=1.
 */
export function waitsByFamily(
  dump: GoroutineDump,
  familyOfStack: Int32Array,
  count: number,
  printed: Distinct,
): ((family: number) => Waits) | undefined {
  if (dump.format !== 'debug2') return undefined;
  const { goroutines, strings } = dump;
  const from = dump.sections.at(-1)?.firstRow ?? 0;
  const starts = new Uint32Array(count + 1);
  for (let row = from; row < goroutines.length; row++) starts[familyOfStack[goroutines.stack[row]] + 1]++;
  for (let i = 0; i < count; i++) starts[i + 1] += starts[i];
  const length = goroutines.length - from;
  const columns = { id: new Float64Array(length), minutes: new Int32Array(length), state: new Uint32Array(length) };
  const next = starts.slice();
  for (let row = from; row < goroutines.length; row++) {
    const at = next[familyOfStack[goroutines.stack[row]]]++;
    columns.id[at] = goroutines.id[row];
    columns.minutes[at] = Math.max(0, goroutines.waitMinutes[row]);
    columns.state[at] = printed.indexOf[goroutines.state[row]];
  }
  const states = printed.values.map(value => strings[value]);
  const isCut = dump.truncated !== undefined;
  return family => {
    const [start, end] = [starts[family], starts[family + 1]];
    return {
      id: columns.id.subarray(start, end),
      minutes: columns.minutes.subarray(start, end),
      state: columns.state.subarray(start, end),
      states,
      isCut,
    };
  };
}

/** The distinct values, and the index of each in that list. */
export interface Distinct {
  readonly values: readonly number[];
  readonly indexOf: Int32Array;
}

export function distinct(column: Uint32Array, length: number, bound: number): Distinct {
  const indexOf = new Int32Array(bound).fill(-1);
  const values: number[] = [];
  for (let i = 0; i < length; i++) {
    if (indexOf[column[i]] < 0) indexOf[column[i]] = values.push(column[i]) - 1;
  }
  return { values, indexOf };
}
