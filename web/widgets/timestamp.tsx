import { serverNow } from '../state/live.ts';
import { localTimeText, utcText } from '../text/time-text.ts';

/** A point in time in Unix seconds: local time, UTC on hover. */
export function Timestamp({ at }: { readonly at: number }) {
  const date = new Date(at * 1000);
  if (Number.isNaN(date.getTime())) return <span>{String(at)}</span>;
  // Peeks at the clock: a page full of timestamps need not be redrawn every second.
  const now = Math.floor(serverNow.peek() / 60) * 60;
  return (
    <time class="mono" dateTime={date.toISOString()} title={utcText(at)}>
      {localTimeText(at, now)}
    </time>
  );
}
