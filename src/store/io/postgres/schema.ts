/** Brings a database to this version of the schema; one process at a time. */
import { postgresSteps, SCHEMA_VERSION } from '../../codec/schema-steps.ts';
import type { Database, Session } from './database.ts';
import { saveSetting } from './record-tables.ts';
import { StoreError } from '../../ports.ts';
import { createHash } from 'node:crypto';

const VERSION_KEY = 'store.schema';

/** Throws a StoreError. */
export async function migrate(db: Database): Promise<void> {
  const { schema, shown } = db.address;
  if ((await versionIn(db, schema, shown)) === SCHEMA_VERSION) return;
  await db.transaction(async session => {
    await session.all('SELECT pg_advisory_xact_lock($1, $2)', lockOf('migrate', schema));
    const version = await versionIn(session, schema, shown);
    if (version === SCHEMA_VERSION) return;
    if (version === undefined) await session.all(`CREATE SCHEMA IF NOT EXISTS "${schema}"`);
    for (const step of postgresSteps().slice(version ?? 0)) await session.all(step);
    await saveSetting(session, VERSION_KEY, String(SCHEMA_VERSION));
  });
}

/** A reader must not migrate. */
export async function requireCurrent(db: Database): Promise<void> {
  const { schema, shown } = db.address;
  const version = await versionIn(db, schema, shown);
  if (version === SCHEMA_VERSION) return;
  throw new StoreError(
    'refused',
    version === undefined
      ? `there is no store of oakum watch in ${shown}, schema ${schema}: give what oakum watch has as --store`
      : `${shown} was written by an earlier version of oakum (schema ${version}, this one writes ${SCHEMA_VERSION}); ` +
          'use that version, or start oakum watch on it with this one once',
  );
}

/** Undefined if there is nothing yet. */
async function versionIn(session: Session, schema: string, shown: string): Promise<number | undefined> {
  const tables = await session.all('SELECT tablename FROM pg_tables WHERE schemaname = $1', [schema]);
  if (tables.length === 0) return undefined;
  const isOurs = ['meta', 'writers'].every(name => tables.some(({ tablename }) => tablename === name));
  const [row] = isOurs ? await session.all('SELECT value FROM meta WHERE key = $1', [VERSION_KEY]) : [];
  const version = Number(row?.['value']);
  if (!(version >= 1))
    throw new StoreError(
      'refused',
      `schema ${schema} of ${shown} has tables of another program; choose another with ?schema=NAME`,
    );
  if (version > SCHEMA_VERSION)
    throw new StoreError(
      'newer',
      `${shown} was written by a later version of oakum (schema ${version}, this one knows ${SCHEMA_VERSION}); ` +
        'use that version, or choose another database',
    );
  return version;
}

/** Numbers of advisory locks, which are the same in all processes of a store. They end with their transaction. */
export type LockedWork = 'migrate' | 'seal' | 'retain' | 'partitions' | 'captures';

/** Two numbers for pg_advisory_xact_lock: of the work in this store, and of the part of it. */
export function lockOf(work: LockedWork, schema: string, part: number = 0): readonly [number, number] {
  const digest = createHash('sha256').update(`oakum ${work} ${schema}`).digest();
  return [digest.readInt32LE(0), part | 0];
}
