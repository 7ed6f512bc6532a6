/** Rows of SQLite and of PostgreSQL are the same, and go from each to each. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { EvidenceFolder } from '../../src/adapters/files/evidence-folder.ts';
import { openPostgresStore } from '../../src/adapters/postgres/open-postgres-store.ts';
import { openPostgresRows } from '../../src/adapters/postgres/store-rows.ts';
import { openSqliteRows } from '../../src/adapters/sqlite/store-rows.ts';
import { openFolderStore } from '../../src/cli/watch/open-folder-store.ts';
import { postgresAbsent, PostgresServer } from '../postgres/postgres-server.ts';
import { type RowsImplementation, storeRowsContract } from './store-rows-contract.ts';

const root = mkdtempSync(join(tmpdir(), 'oakum-rows-'));
after(() => rmSync(root, { recursive: true, force: true }));

const SQLITE: RowsImplementation = {
  name: 'SQLite',
  make: async () => {
    const folder = mkdtempSync(join(root, 'data-'));
    return {
      openStore: () => openFolderStore(folder),
      openRows: toRead => openSqliteRows(folder, { toRead }),
    };
  },
};

storeRowsContract([SQLITE]);

describe('with PostgreSQL', { skip: postgresAbsent }, () => {
  let server: PostgresServer;
  before(async () => {
    server = await new PostgresServer().start();
  });
  after(() => server.remove());
  const postgres: RowsImplementation = {
    name: 'PostgreSQL',
    make: async () => {
      const url = server.newStore();
      const folder = mkdtempSync(join(root, 'files-'));
      return {
        openStore: () => openPostgresStore(url, new EvidenceFolder(folder)),
        openRows: toRead => openPostgresRows(url, { toRead }),
      };
    },
  };
  storeRowsContract([SQLITE, postgres]);
});
