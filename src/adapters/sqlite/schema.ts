/** The tables, as migrations: step N turns version N - 1 into version N. Steps are never changed. */
import { StoreError } from '../../ports/store-error.ts';
import type { Database } from './database.ts';

/** "Oakm": tells our file from other SQLite files. */
export const APPLICATION_ID = 0x4f616b6d;

export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE targets (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, attributes TEXT NOT NULL,
    first_seen REAL NOT NULL, last_seen REAL NOT NULL
  );
  CREATE TABLE metrics (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
  -- As they came, until they are sealed.
  CREATE TABLE scrapes (
    id INTEGER PRIMARY KEY AUTOINCREMENT, target_group INTEGER NOT NULL, sample_count INTEGER NOT NULL,
    body BLOB NOT NULL
  );
  CREATE INDEX scrapes_of_group ON scrapes (target_group, id);
  CREATE TABLE chunks (
    id INTEGER PRIMARY KEY, target INTEGER NOT NULL, step INTEGER NOT NULL, slot INTEGER NOT NULL,
    body BLOB NOT NULL, UNIQUE (target, step, slot)
  );
  CREATE INDEX chunks_by_age ON chunks (step, slot, target);
  CREATE TABLE events (
    id INTEGER PRIMARY KEY, target TEXT NOT NULL, at REAL NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL
  );
  CREATE INDEX events_of_target ON events (target, at);
  CREATE INDEX events_by_age ON events (at);
  CREATE TABLE verdict_changes (
    id INTEGER PRIMARY KEY, target TEXT NOT NULL, at REAL NOT NULL, resource TEXT NOT NULL,
    from_verdict TEXT NOT NULL, to_verdict TEXT NOT NULL, reason TEXT NOT NULL
  );
  CREATE INDEX verdict_changes_by_age ON verdict_changes (at);
  CREATE INDEX verdict_changes_of_target ON verdict_changes (target, at);
  CREATE TABLE incidents (
    id TEXT PRIMARY KEY, target TEXT NOT NULL, opened_at REAL NOT NULL, closed_at REAL, version INTEGER NOT NULL,
    document TEXT NOT NULL
  );
  CREATE TABLE captures (
    id TEXT PRIMARY KEY, target TEXT NOT NULL, at REAL NOT NULL, trigger_name TEXT NOT NULL, reason TEXT NOT NULL
  );
  CREATE INDEX captures_of_target ON captures (target, at);
  CREATE TABLE capture_files (
    capture TEXT NOT NULL, position INTEGER NOT NULL, kind TEXT NOT NULL, at REAL NOT NULL, sha256 TEXT NOT NULL,
    bytes INTEGER NOT NULL, truncated TEXT, PRIMARY KEY (capture, position)
  );
  CREATE INDEX capture_files_by_content ON capture_files (sha256);
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
  `,
  `
  -- Which life of the process a capture is of: retention keeps the first and the last of each.
  ALTER TABLE captures ADD COLUMN process_start REAL;
  -- Files on disk that no capture may name: being written, or being removed.
  CREATE TABLE loose_files (sha256 TEXT PRIMARY KEY);
  `,
  `
  -- What was asked: a heap profile with gc=1 shows another moment than one without.
  ALTER TABLE capture_files ADD COLUMN request TEXT;
  `,
  `
  -- Notices that are not delivered yet.
  CREATE TABLE outbox (
    id INTEGER PRIMARY KEY, destination TEXT NOT NULL, notice TEXT NOT NULL, body TEXT NOT NULL,
    UNIQUE (destination, notice)
  );
  `,
  `
  -- Plans and what was done with them: rows are added and, when they are too old, deleted; never changed.
  CREATE TABLE plans (
    id TEXT PRIMARY KEY, incident TEXT NOT NULL, made_by TEXT NOT NULL, made_at REAL NOT NULL, document TEXT NOT NULL
  );
  CREATE TABLE plan_records (
    plan TEXT NOT NULL, number INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (plan, number)
  );
  CREATE TRIGGER plans_stay BEFORE UPDATE ON plans BEGIN SELECT RAISE(ABORT, 'plans are never changed'); END;
  CREATE TRIGGER plan_records_stay BEFORE UPDATE ON plan_records
    BEGIN SELECT RAISE(ABORT, 'records of plans are never changed'); END;
  `,
];

export const SCHEMA_VERSION: number = MIGRATIONS.length;

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
    for (const step of MIGRATIONS.slice(version)) db.exec(step);
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
