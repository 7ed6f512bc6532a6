/** JSON from outside, whose shape is unknown. */
import { decodeText } from './text.ts';

export type JsonRecord = Readonly<Record<string, unknown>>;

/** An object or a list; undefined when the text is anything else, or not JSON. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The same for UTF-8; also undefined when there are more than `maxBytes`. */
export function parseJsonBytes(bytes: Uint8Array, maxBytes: number): unknown {
  return bytes.length > maxBytes ? undefined : parseJson(decodeText(bytes));
}

/** The value as an object; an empty one when it is not. */
export function recordOf(value: unknown): JsonRecord {
  return typeof value === 'object' && value !== null ? (value as JsonRecord) : {};
}

/** The value as a list; an empty one when it is not. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value as text; '' when it is not. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function optionalText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function optionalNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
