import { visible } from '../../src/base/visible-text.ts';
import { serverNow } from '../state/live.ts';
import { localTimeText, utcText } from './time-text.ts';

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

const TIME = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)/;

/** A sentence of the server, with its times as everywhere in the UI: local, UTC on hover. */
export function TextWithTimes({ text }: { readonly text: string }) {
  return (
    <>
      {text
        .split(TIME)
        .map((part, i) => (i % 2 === 1 ? <Timestamp key={i} at={Date.parse(part) / 1000} /> : visible(part)))}
    </>
  );
}
