import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { it } from 'node:test';
import { postgresSteps, sqliteSteps } from './schema-steps.ts';

/** Statements in order, without comments and spaces. */
function digestOf(step: string): string {
  const text = step.replace(/--.*$/gm, '').replace(/\s+/g, ' ').trim();
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

it('released steps never change: add one instead', () => {
  assert.deepEqual(sqliteSteps().slice(0, 5).map(digestOf), [
    'e40715d58cbc713e',
    '32c6773f52cf0af5',
    'bbe6d09977e34d61',
    '87c6a687451ca8a3',
    'e073e7bf17cd2324',
  ]);
  assert.deepEqual(postgresSteps().slice(0, 5).map(digestOf), [
    '67b54cb6b46fee77',
    'cd5613b4b9a9ac2d',
    'bbe6d09977e34d61',
    'aaf400b1ac6cf669',
    '135c31b9dd310526',
  ]);
});
