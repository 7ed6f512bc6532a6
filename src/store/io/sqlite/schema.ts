/** Brings a file to this version of the schema. */
import { SCHEMA_VERSION, sqliteSteps } from '../../codec/schema-steps.ts';
import { StoreError } from '../../store-error.ts';
import type { Database } from './database.ts';

/** "Oakm": tells our file from other SQLite files. */
export const APPLICATION_ID = 0x4f616b6d;

/** Migrates a file of an earlier version, or an empty one, to this version; `shown` is its name in messages. */
export function migrate(db: Database, shown: string): void {
  const version = db.number('PRAGMA user_version');
  const application = db.number('PRAGMA application_id');
  const isEmpty = db.number('SELECT count(*) FROM sqlite_schema') === 0;
  if (!isEmpty && application !== APPLICATION_ID)
    throw new StoreError('refused', `${shown} is a database of another program; choose another folder`);
  if (version > SCHEMA_VERSION)
    throw new StoreError(
      'newer',
      `${shown} was written by a later version of oakum (schema ${version}, this one knows ${SCHEMA_VERSION}); ` +
        'use that version, or choose another folder',
    );
  if (version === SCHEMA_VERSION) return;
  if (!isEmpty && version < 1)
    throw new StoreError(
      'damaged',
      `${shown} is damaged (its schema has version ${version}); restore it, or start with --set-damaged-aside to rename it and begin with an empty one`,
    );
  db.transaction(() => {
    for (const step of sqliteSteps().slice(version)) db.exec(step);
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}`);
  });
}

/** Whoever only reads must not migrate: the watch that writes it may be of the earlier version still. */
export function refuseOlder(db: Database, shown: string): void {
  const version = db.number('PRAGMA user_version');
  if (version === 0 || version >= SCHEMA_VERSION) return;
  throw new StoreError(
    'refused',
    `${shown} was written by an earlier version of oakum (schema ${version}, this one writes ${SCHEMA_VERSION}); ` +
      'use that version, or start oakum watch on it with this one once',
  );
}
