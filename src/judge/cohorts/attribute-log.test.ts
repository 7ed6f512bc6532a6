import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AttributeLog } from './attribute-log.ts';

describe('the attribute log', () => {
  it('takes the first description as old and later differences as changes', () => {
    const log = new AttributeLog();
    assert.deepEqual(log.describe('a', { version: 'v1.35.7', pool: 'x' }, 100), []);
    assert.deepEqual(log.describe('a', { version: 'v1.35.7' }, 200), []);
    assert.deepEqual(log.describe('a', { version: 'v1.36.0' }, 300), [
      { target: 'a', attribute: 'version', from: 'v1.35.7', to: 'v1.36.0', atSeconds: 300 },
    ]);
    assert.deepEqual(log.attributesOf('a')?.get('pool'), { value: 'x', sinceSeconds: -Infinity });
    assert.deepEqual(log.attributesOf('a')?.get('version'), { value: 'v1.36.0', sinceSeconds: 300 });
    assert.equal(log.changesOf('a').length, 1);
  });

  it('lets an attribute appear and go', () => {
    const log = new AttributeLog();
    log.describe('a', { version: 'v1' }, 100);
    assert.deepEqual(log.describe('a', { 'gate/X': 'true', other: '' }, 200), [], 'it may have been there before');
    assert.deepEqual(log.describe('a', { 'gate/X': '' }, 300), [
      { target: 'a', attribute: 'gate/X', from: 'true', to: undefined, atSeconds: 300 },
    ]);
    assert.deepEqual(log.describe('a', { 'gate/X': 'true' }, 400), [
      { target: 'a', attribute: 'gate/X', from: undefined, to: 'true', atSeconds: 400 },
    ]);
    assert.deepEqual(log.names(), ['gate/X', 'version']);
  });

  it('forgets the oldest changes of a target that never rests', () => {
    const log = new AttributeLog();
    for (let i = 0; i < 200; i++) log.describe('a', { version: String(i) }, i);
    assert.equal(log.changesOf('a').length, 64);
    assert.equal(log.changesOf('a').at(-1)?.to, '199');
  });
});
