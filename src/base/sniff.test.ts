import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isGzip } from './sniff.ts';

it('knows gzip by its first two bytes', () => {
  assert.equal(isGzip(Uint8Array.of(0x1f, 0x8b)), true);
  assert.equal(isGzip(Uint8Array.of(0x1f, 0x8b, 8, 0)), true);
  for (const other of [[], [0x1f], [0x8b, 0x1f], [0x1f, 0x8a], [0, 0x1f, 0x8b]])
    assert.equal(isGzip(Uint8Array.from(other)), false, String(other));
});
