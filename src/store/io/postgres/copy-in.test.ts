import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { Database, type CopiedRow, copiedRows } from './database.ts';
import { type Postgres, postgresAbsent, sharedPostgres } from '../../../../test/postgres/postgres-server.ts';
import { parseStoreUrl } from './store-url.ts';

describe('COPY', { skip: postgresAbsent }, () => {
  let server: Postgres;
  let db: Database;
  before(async () => {
    server = await sharedPostgres();
    await server.run('CREATE TABLE copied (a bigint, b integer CHECK (b <> 13), c bytea)');
    db = await Database.open(parseStoreUrl(server.urlOf('public')), false);
  });
  after(async () => {
    await db.close();
    await server.remove();
  });

  const write = (rows: Iterable<CopiedRow>): Promise<void> =>
    db.transaction(session => session.copyIn('copied (a, b, c)', rows));

  it('takes rows of any size as they are', async () => {
    const rows: CopiedRow[] = [
      [Number.MAX_SAFE_INTEGER, 2 ** 31 - 1, new Uint8Array()],
      [-Number.MAX_SAFE_INTEGER, -(2 ** 31), randomBytes(1_000_000)],
      ...Array.from({ length: 3000 }, (_, i) => [i, -i, randomBytes(i)] as const),
    ];
    await write(rows);
    const found = await db.all('SELECT a, b, c FROM copied');
    const textOf = ([a, b, c]: CopiedRow): string => `${a} ${b} ${Buffer.from(c).toString('hex')}`;
    assert.deepEqual(
      found.map(({ a, b, c }) => textOf([Number(a), Number(b), c as Uint8Array])).sort(),
      rows.map(textOf).sort(),
    );
  });

  it('is all or nothing: a row that is refused among many leaves none, and the connection works', async () => {
    await server.run('TRUNCATE copied');
    const rows = Array.from({ length: 2000 }, (_, i) => [i, i === 1500 ? 13 : 0, randomBytes(2000)] as const);
    await assert.rejects(write(rows), { code: '23514' });
    assert.deepEqual(await db.all('SELECT count(*)::int AS n FROM copied'), [{ n: 0 }]);
    await write([]);
    await write(rows.slice(0, 3));
    assert.deepEqual(await db.all('SELECT count(*)::int AS n FROM copied'), [{ n: 3 }]);
  });
});

it('is sent in pieces that do not hold everything at once', () => {
  const rows = Array.from({ length: 100 }, (_, i) => [i, 1, new Uint8Array(100_000)] as const);
  const pieces = [...copiedRows(rows)];
  assert.ok(pieces.length > 20);
  assert.ok(pieces.every(({ length }) => length < 500_000));
});
