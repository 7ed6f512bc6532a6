/** Whether a file is an answer of the Prometheus HTTP API, or promtool's print of one, by how it begins. */
import { decodeText } from '../../../base/text.ts';
import { sniffPromtoolText } from './promtool-text.ts';

const ANSWER =
  /^\ufeff?\s*(?:\{\s*"status"\s*:\s*"(?:success|error)"|\{\s*(?:"data"\s*:\s*\{\s*)?"resultType"\s*:|\[\s*\{\s*"metric"\s*:\s*\{)/;

export function sniffRangeQuery(head: Uint8Array): boolean {
  return ANSWER.test(decodeText(head.subarray(0, 400))) || sniffPromtoolText(head);
}
