import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

describe('a suite', () => {
  it('fails', () => assert.equal(1, 2));
  it('passes', () => {});
  it('has steps', async t => {
    await t.test('good', () => {});
    await t.test('bad', () => assert.fail('step 2'));
  });
});
