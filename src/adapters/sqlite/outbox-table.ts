/** Notices that wait: rows for the next commit, and rows read back. */
import { parseJson } from '../../base/json.ts';
import type { Notice, QueuedNotice } from '../../model/notification.ts';
import type { Database } from './database.ts';
import type { Insertion } from './record-tables.ts';

export function noticeRow({ destination, notice }: QueuedNotice): Insertion {
  return {
    sql: `INSERT INTO outbox (destination, notice, body) VALUES (?, ?, ?)
          ON CONFLICT (destination, notice) DO UPDATE SET body = excluded.body`,
    values: [destination, notice.id, JSON.stringify(notice)],
  };
}

export function dropNoticeRow(destination: string, noticeId: string): Insertion {
  return { sql: 'DELETE FROM outbox WHERE destination = ? AND notice = ?', values: [destination, noticeId] };
}

/** Without damaged ones. */
export function readNotices(db: Database): QueuedNotice[] {
  return db.all('SELECT destination, body FROM outbox ORDER BY id').flatMap(row => {
    const notice = parseJson(String(row.body));
    if (typeof notice !== 'object' || notice === null) return [];
    return [{ destination: String(row.destination), notice: notice as Notice }];
  });
}
