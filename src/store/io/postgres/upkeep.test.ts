import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DEFAULT_LIMITS } from '../../codec/store-limits.ts';
import type { Database } from './database.ts';
import { Upkeep } from './upkeep.ts';

describe('upkeep of the database', () => {
  it('says why it fails, until another process does it', async () => {
    let nowMs = 0;
    const gone = async (): Promise<never> => Promise.reject(new Error('Connection terminated unexpectedly'));
    const cutOff = { all: gone, transaction: gone, address: { schema: 'oakum' } };
    const upkeep = new Upkeep(
      cutOff as unknown as Database,
      DEFAULT_LIMITS,
      () => 1,
      () => {},
      () => nowMs,
    );
    assert.equal(upkeep.trouble, undefined);
    for (let commit = 0; commit < 60; commit++) {
      nowMs += 2000;
      await upkeep.run(1_794_772_000 + nowMs / 1000, async () => {});
      assert.match(upkeep.trouble ?? '', /the connection was lost/);
    }
    // It does not lead any more.
    nowMs += 40_000;
    assert.equal(upkeep.trouble, undefined);
  });
});
