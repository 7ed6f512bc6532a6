/**
 * A value as JSON. A fleet of thousands is serialised in slices, so that nothing else waits long:
 *
 *     { "schema": ..., "rows": [ 5,000 of them ] }      the rows some at a time, the rest at once
 */
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { concatBytes, encodeText } from '../../base/text.ts';
import { unicodeEscaped } from '../../base/visible-text.ts';
import { body, type Body } from './body.ts';

const LONG_LIST = 100;
const SLICE_MS = 8;

export async function jsonBody(value: object): Promise<Body> {
  const parts: Uint8Array[] = [];
  const hash = createHash('sha256');
  const keep = (text: string): void => {
    const part = encodeText(unicodeEscaped(text));
    hash.update(part);
    parts.push(part);
  };
  let text = '';
  let beganMs = performance.now();
  for (const piece of jsonPieces(value)) {
    text += piece;
    if (performance.now() - beganMs < SLICE_MS) continue;
    keep(text);
    text = '';
    await nextTurn();
    beganMs = performance.now();
  }
  keep(text);
  const hashed = hash.digest('base64url').slice(0, 22);
  return body(concatBytes(parts), 'application/json; charset=utf-8', { hash: hashed });
}

/** Together they are `JSON.stringify(value)`: NaN and infinities are null, and undefined members are left out. */
export function* jsonPieces(value: object): Generator<string> {
  if (Array.isArray(value)) {
    yield* listPieces(value);
    return;
  }
  let separator = '{';
  for (const [key, member] of Object.entries(value)) {
    const isLong = Array.isArray(member) && member.length > LONG_LIST;
    const whole = isLong ? '' : JSON.stringify(member);
    if (whole === undefined) continue;
    yield `${separator}${JSON.stringify(key)}:${whole}`;
    if (isLong) yield* listPieces(member);
    separator = ',';
  }
  yield separator === '{' ? '{}' : '}';
}

function* listPieces(list: readonly unknown[]): Generator<string> {
  yield '[';
  for (const [index, item] of list.entries()) yield `${index === 0 ? '' : ','}${JSON.stringify(item) ?? 'null'}`;
  yield ']';
}
