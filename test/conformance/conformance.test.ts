import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fastGroups } from './groups.ts';
import { missingData } from './places.ts';

const missing = missingData();

describe('conformance', { skip: missing ?? false }, () => {
  for (const group of missing === undefined ? fastGroups() : []) {
    it(`${group.name}: ${group.size} cases`, async () => {
      const results = await group.run(() => true);
      const failures = results.filter(({ passed }) => !passed).map(({ name, detail }) => `${name}: ${detail}`);
      assert.deepEqual(failures, []);
      assert.ok(results.length >= group.size, `${results.length} cases found of ${group.size}`);
    });
  }
});
