import { visible } from '../../src/base/visible-text.ts';
import { Timestamp } from './timestamp.tsx';

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
