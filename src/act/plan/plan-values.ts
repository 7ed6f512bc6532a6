/** The values that a plan file is made of. */
import * as v from 'valibot';
import type { JsonValue } from './plan-step.ts';

export type Schema<T> = v.GenericSchema<unknown, T>;

/** A text on one line or more; longer than any sentence of ours. */
export const TEXT: Schema<string> = v.pipe(
  v.string('must be text'),
  v.maxLength(8192, 'is longer than 8192 characters'),
);

/** A name of Kubernetes, or a path made of such names. */
export const NAME: Schema<string> = v.pipe(
  v.string('must be text'),
  v.maxLength(600, 'is too long'),
  v.regex(/^[!-~]+$/, 'must be a name, without spaces'),
);

export const TIME: Schema<string> = v.pipe(
  v.string('must be a time'),
  v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/, 'must be a time such as 2026-11-17T01:56:30Z'),
);

export const NUMBER: Schema<number> = v.pipe(v.number('must be a number'), v.finite('must be finite'));

export const COUNT: Schema<number> = v.pipe(
  v.number('must be a number'),
  v.safeInteger('must be a whole number'),
  v.minValue(0, 'must not be negative'),
);

export const RANGE: Schema<[number, number | null]> = v.tuple([NUMBER, v.nullable(NUMBER)]);

/** What is not known is null; the field is always there. */
export function orNull<T>(schema: Schema<T>): Schema<T | null> {
  return v.nullable(schema);
}

export function listOf<T>(schema: Schema<T>, most: number): Schema<T[]> {
  return v.pipe(v.array(schema, 'must be a list'), v.maxLength(most, `has more than ${most} entries`));
}

const MAX_DEPTH = 24;

/** JSON without a shape of its own, such as a manifest. */
export const JSON_VALUE: Schema<JsonValue> = v.custom<JsonValue>(value => isJson(value, 0), 'must be plain data');

function isJson(value: unknown, depth: number): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || depth > MAX_DEPTH) return false;
  return Object.values(value).every(one => isJson(one, depth + 1));
}
