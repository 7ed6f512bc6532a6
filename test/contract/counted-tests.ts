/**
 * `describe` and `it` of node:test, which also count: how many tests each implementation of a port passes is in a table of
 * docs/store.md, and stays true.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';

/** `SampleStore: SQLite` -> how many. */
const counts = new Map<string, number>();
let current = '';

export const describe = ((name: string, ...rest: [never]) => {
  current = name;
  return test.describe(name, ...rest);
}) as typeof test.describe;

export const it = ((...args: [never]) => {
  counts.set(current, (counts.get(current) ?? 0) + 1);
  return test.it(...args);
}) as typeof test.it;

/** After the contracts of a file. */
export function isInTheTable(): void {
  const found = new Map(counts);
  counts.clear();
  test.it('is in the table of docs/store.md as it is', () => {
    const text = readFileSync(new URL('../../docs/store.md', import.meta.url), 'utf8');
    for (const [suite, count] of found) {
      const [, port = '', implementation = ''] = /^(\w+): (.*)$/.exec(suite) ?? [];
      const row = text.split('\n').find(line => line.startsWith(`| \`${port}\``)) ?? '';
      assert.ok(row.includes(` ${implementation}: ${count}`), `${suite}: ${count} tests; the table says ${row}`);
    }
  });
}
