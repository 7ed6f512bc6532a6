/** Two lanes on the time axis of the charts: events as flags, and captures as dots that can be selected. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { visible } from '../../src/base/visible-text.ts';
import type { CaptureView } from '../../src/watch/watch-model.ts';
import { serverNow } from '../state/live.ts';
import { localTimeText, utcText } from '../widgets/time-text.ts';
import { Timestamp } from '../widgets/timestamp.tsx';
import type { Selection } from './selection.ts';
import type { WatchedEvent } from '../../src/store/records.ts';

interface LaneProps {
  readonly range: readonly [number, number];
  /** The left edge and the width of the plots, in pixels. */
  readonly left: number;
  readonly width: number;
}

/** A letter for each kind, the most severe first: a flag for several events shows the most severe. */
const FLAGS: readonly (readonly [kind: WatchedEvent['kind'], letter: string])[] = [
  ['oom', 'K'],
  ['reboot', 'B'],
  ['restart', 'R'],
  ['verdict', 'V'],
  ['change', 'A'],
  ['condition', 'C'],
  ['event', 'E'],
  ['note', 'N'],
];
const FLAG_WIDTH = 28;

function Lane(props: LaneProps & { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div class="lane">
      <span class="lane-name" style={{ width: `${props.left}px` }}>
        {props.name}
      </span>
      <ul class="lane-track" style={{ width: `${props.width}px` }}>
        {props.children}
      </ul>
    </div>
  );
}

function describe({ at, kind, text }: WatchedEvent): string {
  return `${localTimeText(at, serverNow.peek())} (${utcText(at)}) ${kind}: ${visible(text)}`;
}

/** Without captures, which have their own lane. */
export function EventLane({ events, ...lane }: LaneProps & { readonly events: readonly WatchedEvent[] }) {
  const [shown, setShown] = useState<readonly WatchedEvent[]>([]);
  const flagged = events.filter(({ kind }) => kind !== 'capture');
  const flags = groupOverlapping(flagged, lane.range, lane.width, FLAG_WIDTH);
  if (flags.length === 0) return null;
  return (
    <>
      <Lane {...lane} name="events">
        {flags.map(flag => (
          <Flag key={flag.first.at} flag={flag} show={() => setShown(flag.items)} />
        ))}
      </Lane>
      <p class="lane-details" style={{ paddingLeft: `${lane.left}px` }} role="status">
        {shown.length === 0 && <Legend flags={flags} />}
        {shown.map((event, i) => (
          <span key={i}>
            <Timestamp at={event.at} /> <span class="muted">{event.kind}</span> {visible(event.text)}
          </span>
        ))}
      </p>
    </>
  );
}

/** The meaning of the letters, until the user points at a flag. */
function Legend({ flags }: { readonly flags: readonly LaneGroup<WatchedEvent>[] }) {
  const kinds = new Set(flags.flatMap(({ items }) => items.map(({ kind }) => kind)));
  return (
    <>
      {FLAGS.filter(([kind]) => kinds.has(kind)).map(([kind, letter]) => (
        <span key={kind} class="muted">
          <span class="mono">{letter}</span> {kind}
        </span>
      ))}
    </>
  );
}

function Flag({ flag, show }: { readonly flag: LaneGroup<WatchedEvent>; readonly show: () => void }) {
  const [kind, letter] = FLAGS.find(([one]) => flag.items.some(event => event.kind === one)) ?? ['note', 'N'];
  const descriptions = flag.items.map(describe);
  return (
    <li style={{ left: `${flag.x}px` }}>
      <button
        type="button"
        class={`flag flag-${kind}`}
        title={descriptions.join('\n')}
        aria-label={descriptions.join('; ')}
        onClick={show}
        onFocus={show}
        onPointerEnter={show}
      >
        {letter}
        {flag.items.length > 1 && <small>{flag.items.length}</small>}
      </button>
    </li>
  );
}

interface CaptureLaneProps extends LaneProps {
  readonly captures: readonly CaptureView[];
  readonly selection: Pick<Selection, 'a' | 'b'>;
  readonly onChoose: (id: string) => void;
}

export function CaptureLane({ captures, selection, onChoose, ...lane }: CaptureLaneProps) {
  const dots = groupOverlapping(captures, lane.range, lane.width, 0);
  if (dots.length === 0) return null;
  const mark = ({ id }: CaptureView): string => (id === selection.a?.id ? 'A' : id === selection.b?.id ? 'B' : '');
  return (
    <Lane {...lane} name="captures">
      {dots.map(({ x, first: capture }) => (
        <li key={capture.id} style={{ left: `${x}px` }}>
          <button
            type="button"
            class="dot"
            aria-pressed={mark(capture) !== ''}
            title={`${localTimeText(capture.at, serverNow.peek())} (${utcText(capture.at)})\n${visible(`${capture.trigger}: ${capture.reason}`)}`}
            aria-label={`Capture ${localTimeText(capture.at, serverNow.peek())}, ${visible(capture.trigger)}`}
            onClick={() => onChoose(capture.id)}
          >
            {mark(capture)}
          </button>
        </li>
      ))}
    </Lane>
  );
}

/** Groups items on a lane that would overlap. */
interface LaneGroup<T> {
  /** Pixels from the left end of the lane. */
  readonly x: number;
  readonly first: T;
  /** All items of the group, including the first. */
  readonly items: readonly T[];
}

/** In time order, without items outside of the range. */
export function groupOverlapping<T extends { readonly at: number }>(
  items: readonly T[],
  [from, to]: readonly [number, number],
  width: number,
  minDistance: number,
): LaneGroup<T>[] {
  const groups: { x: number; first: T; items: T[] }[] = [];
  for (const item of items.toSorted((a, b) => a.at - b.at)) {
    if (item.at < from || item.at > to) continue;
    const x = ((item.at - from) / (to - from)) * width;
    const last = groups.at(-1);
    if (last !== undefined && x - last.x < minDistance) last.items.push(item);
    else groups.push({ x, first: item, items: [item] });
  }
  return groups;
}
