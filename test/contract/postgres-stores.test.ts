/** The store on PostgreSQL fulfils the contract: on a real server, with a schema for each test. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, type TestContext } from 'node:test';
import { EvidenceFolder } from '../../src/store/io/evidence-folder.ts';
import { openPostgresStore } from '../../src/store/io/postgres/watch-store.ts';
import type { WatchStore } from '../../src/store/ports.ts';
import { type Postgres, postgresAbsent, schemaIn, sharedPostgres } from '../postgres/postgres-server.ts';
import { isInTheTable } from './counted-tests.ts';
import { allStoreContracts } from './all-store-contracts.ts';
import type { StoreOptions } from './store-under-test.ts';

describe('on PostgreSQL', { skip: postgresAbsent }, () => {
  let server: Postgres;
  before(async () => {
    server = await sharedPostgres();
  });
  after(() => server.remove());

  const make = async (t: TestContext, limits: StoreOptions = {}) => {
    const url = server.newStore();
    const evidence = mkdtempSync(join(server.folder, 'evidence-'));
    const open = (): Promise<WatchStore> =>
      openPostgresStore(url, new EvidenceFolder(evidence), { shown: 'data', limits });
    let current = await open();
    t.after(() => current.close());
    const reopen = async (): Promise<WatchStore> => {
      await current.close();
      return (current = await open());
    };
    return { store: current, reopen, refuseWrites: (refuses: boolean) => refuse(server, schemaIn(url), refuses) };
  };
  allStoreContracts({ name: 'PostgreSQL', isLasting: true, hasDisk: true, make });
  isInTheTable();
});

/** As a full disk does. */
async function refuse(server: Postgres, schema: string, refuses: boolean): Promise<void> {
  await server.run(
    refuses
      ? `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
           BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$;
         CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON writers EXECUTE FUNCTION refuse();
         CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON targets EXECUTE FUNCTION refuse()`
      : 'DROP FUNCTION refuse CASCADE',
    schema,
  );
}
