/**
 * What kubectl prints as JSON: one object, a list, or (from `--watch`) objects one after another. Everything that does
 * not parse is left out; `isCut` says that something was.
 */
import { type JsonRecord, parseJson, recordOf, textOf } from '../../../base/json.ts';
import { decodeText } from '../../../base/text.ts';

export type KubeObject = JsonRecord;

export interface KubeObjects {
  readonly objects: readonly KubeObject[];
  readonly isCut: boolean;
}

/** Longer text is not taken apart: it would cost more memory than the answer is worth. */
const MAX_BYTES = 256 * 1024 * 1024;
const MAX_OBJECTS = 500_000;

/** `json` is the parsed content, if the caller has it. */
export function readKubeObjects(bytes: Uint8Array, json?: unknown): KubeObjects {
  if (json !== undefined) return { objects: flatten(json), isCut: false };
  const text = decodeText(bytes, 0, Math.min(bytes.length, MAX_BYTES));
  const whole = parseJson(text);
  if (whole !== undefined) return { objects: flatten(whole), isCut: false };
  const objects: KubeObject[] = [];
  let isCut = bytes.length > MAX_BYTES;
  for (const part of topLevelObjects(text)) {
    const value = objects.length < MAX_OBJECTS ? parseJson(part) : undefined;
    if (value === undefined) isCut = true;
    else for (const object of flatten(value)) objects.push(object);
  }
  return { objects, isCut };
}

function flatten(value: unknown): KubeObject[] {
  if (Array.isArray(value)) return value.slice(0, MAX_OBJECTS).map(recordOf);
  const { items } = recordOf(value);
  return Array.isArray(items) ? items.slice(0, MAX_OBJECTS).map(recordOf) : [recordOf(value)];
}

/** The texts of objects that follow one another; the last may be cut. */
function* topLevelObjects(text: string): Generator<string> {
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === '"') i = stringEnd(text, i + 1);
    else if (char === '{' && depth++ === 0) start = i;
    else if (char === '}' && depth > 0 && --depth === 0) yield text.slice(start, i + 1);
  }
  if (depth > 0) yield text.slice(start);
}

/** Where the quote is that ends the string: braces in it do not count. */
function stringEnd(text: string, from: number): number {
  for (let i = from; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '"') return i;
  }
  return text.length;
}

/** RFC 3339 to unix seconds. */
export function timeOf(value: unknown): number | undefined {
  const text = textOf(value);
  const millis = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : NaN;
  return Number.isFinite(millis) ? millis / 1000 : undefined;
}
