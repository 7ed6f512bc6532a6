import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { postgresAbsent, sharedPostgres } from '../postgres/postgres-server.ts';
import { killedDatabase } from './killed-database.ts';
import { killStores } from './kill-store.ts';

it('keeps everything that was committed through kill -9', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'oakum-kills-'));
  try {
    const { batches, captures, problems } = await killStores({ kills: 3, folder, log: () => {} });
    assert.deepEqual(problems, []);
    assert.ok(batches + captures > 0, 'the writers wrote something');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it('keeps everything that was committed to PostgreSQL through kill -9', { skip: postgresAbsent }, async () => {
  const server = await sharedPostgres();
  try {
    const folder = mkdtempSync(join(server.folder, 'kills-'));
    const { batches, captures, problems } = await killStores({
      kills: 3,
      folder,
      database: killedDatabase(server),
      log: () => {},
    });
    assert.deepEqual(problems, []);
    assert.ok(batches + captures > 0, 'the writers wrote something');
  } finally {
    await server.remove();
  }
});
