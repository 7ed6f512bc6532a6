/** A moment: local time, UTC on hover. */
import { momentText, utcText } from '../text/time-text.ts';
import { worldNow } from '../state/live.ts';

export function Moment({ at }: { readonly at: number }) {
  const when = new Date(at * 1000);
  if (Number.isNaN(when.getTime())) return <span>{String(at)}</span>;
  // The minute is enough: a page full of moments need not be drawn again each second.
  const now = Math.floor(worldNow.peek() / 60) * 60;
  return (
    <time class="mono" dateTime={when.toISOString()} title={utcText(at)}>
      {momentText(at, now)}
    </time>
  );
}
