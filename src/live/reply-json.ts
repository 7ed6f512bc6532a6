import { type JsonRecord, parseJsonBytes, recordOf } from '../base/json.ts';
import type { Reply } from './reply.ts';

/**
 * The JSON object of a successful answer. Empty if the answer is cut, too large or not JSON, and for every other reply.
 */
export function replyJson(reply: Reply, maxBytes: number): JsonRecord {
  const isWhole = reply.kind === 'answer' && reply.status >= 200 && reply.status < 300 && reply.cut === undefined;
  return isWhole ? recordOf(parseJsonBytes(reply.body, maxBytes)) : {};
}
