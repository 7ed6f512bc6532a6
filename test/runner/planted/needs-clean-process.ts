import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { it } from 'node:test';

it('finds nothing of other files', () => {
  assert.equal(process.env['PLANTED'], undefined);
  assert.notEqual(process.env['PATH'], undefined);
  assert.ok(existsSync('package.json'));
});
