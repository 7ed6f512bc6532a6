/**
 * Which rows to ask the server for, so that those on the screen are there before they are scrolled to.
 *
 *     0 ............ offset [ ahead |  on the screen  | ahead ] offset + limit ............ matching
 */

export interface RowSpan {
  readonly offset: number;
  readonly limit: number;
}

/** Half a screen and more beyond each edge of it. */
const LEAST_AHEAD = 60;
/** Another span is asked for when so many rows are left on the way to its edge. */
const RESERVE = 0.5;
const STEP = 20;
const MOST_LIMIT = 2000;

/** Rows for any screen, before its height is known. */
export const FIRST_SPAN: RowSpan = { offset: 0, limit: 200 };

/** The same span if it still does. `first` and `last` are on the screen, `last` exclusive. */
export function nextSpan(now: RowSpan, first: number, last: number, matching: number): RowSpan {
  const ahead = Math.max(LEAST_AHEAD, last - first);
  const reserve = Math.ceil(ahead * RESERVE);
  const end = now.offset + now.limit;
  const isEnough =
    (now.offset === 0 || first - reserve >= now.offset) && (end >= matching || last + reserve <= end) && last <= end;
  if (isEnough && first >= now.offset) return now;
  const offset = Math.floor(Math.max(0, first - ahead) / STEP) * STEP;
  const limit = Math.min(MOST_LIMIT, Math.max(FIRST_SPAN.limit, Math.ceil((last + ahead - offset) / STEP) * STEP));
  return { offset, limit };
}

/** Whether the span has any of these rows. */
export function overlaps({ offset, limit }: RowSpan, first: number, last: number): boolean {
  return first < offset + limit && last > offset;
}
