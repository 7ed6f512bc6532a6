/** The labels of the series in the answer to an instant query. */
import { type JsonRecord, listOf, parseJsonBytes, recordOf } from '../../../base/json.ts';

const MAX_BYTES = 64 * 1024 * 1024;
const MAX_SERIES = 20_000;

/** Empty when the bytes are no such answer, or too large to be taken apart. */
export function readLabelSets(bytes: Uint8Array): JsonRecord[] {
  const { data } = recordOf(parseJsonBytes(bytes, MAX_BYTES));
  return listOf(recordOf(data)['result'])
    .slice(0, MAX_SERIES)
    .map(series => recordOf(recordOf(series)['metric']));
}
