/** Two lanes on the charts' time axis: what happened, as flags; evidence, as dots that can be chosen. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { visible } from '../../../src/base/visible-text.ts';
import type { CaptureView, TargetView, WatchedEvent } from '../../../src/model/watch.ts';
import { worldNow } from '../../state/live.ts';
import { momentText, utcText } from '../../text/time-text.ts';
import { setQuery } from '../../state/router.ts';
import { Moment } from '../../widgets/timestamp.tsx';
import { gathered, type Placed } from './lane-groups.ts';
import { toggled, type Selection } from './target-selection.ts';

interface LaneProps {
  readonly range: readonly [number, number];
  /** Where the plots begin and how wide they are, in pixels. */
  readonly left: number;
  readonly width: number;
}

/** Letters of the kinds, the gravest first: a flag that stands for several shows the gravest. */
const FLAGS: readonly (readonly [kind: WatchedEvent['kind'], letter: string])[] = [
  ['oom', 'K'],
  ['reboot', 'B'],
  ['restart', 'R'],
  ['verdict', 'V'],
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
  return `${momentText(at, worldNow.peek())} (${utcText(at)}) ${kind}: ${visible(text)}`;
}

/** Captures have a lane of their own. */
export function EventLane({ events, ...lane }: LaneProps & { readonly events: readonly WatchedEvent[] }) {
  const [told, setTold] = useState<readonly WatchedEvent[]>([]);
  const happened = events.filter(({ kind }) => kind !== 'capture');
  const flags = gathered(happened, lane.range, lane.width, FLAG_WIDTH);
  if (flags.length === 0) return null;
  return (
    <>
      <Lane {...lane} name="events">
        {flags.map(flag => (
          <Flag key={flag.items[0].at} flag={flag} tell={() => setTold(flag.items)} />
        ))}
      </Lane>
      <p class="lane-told" style={{ paddingLeft: `${lane.left}px` }} role="status">
        {told.length === 0 && <Legend flags={flags} />}
        {told.map((event, i) => (
          <span key={i}>
            <Moment at={event.at} /> <span class="muted">{event.kind}</span> {visible(event.text)}
          </span>
        ))}
      </p>
    </>
  );
}

/** What the letters that are there mean; the events themselves are told when one is looked at. */
function Legend({ flags }: { readonly flags: readonly Placed<WatchedEvent>[] }) {
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

function Flag({ flag, tell }: { readonly flag: Placed<WatchedEvent>; readonly tell: () => void }) {
  const [kind, letter] = FLAGS.find(([one]) => flag.items.some(event => event.kind === one)) ?? ['note', 'N'];
  const words = flag.items.map(describe);
  return (
    <li style={{ left: `${flag.x}px` }}>
      <button
        type="button"
        class={`flag flag-${kind}`}
        title={words.join('\n')}
        aria-label={words.join('; ')}
        onClick={tell}
        onFocus={tell}
        onPointerEnter={tell}
      >
        {letter}
        {flag.items.length > 1 && <small>{flag.items.length}</small>}
      </button>
    </li>
  );
}

interface CaptureLaneProps extends LaneProps {
  readonly view: TargetView;
  readonly selection: Selection;
}

export function CaptureLane({ view, selection, ...lane }: CaptureLaneProps) {
  const dots = gathered(view.captures, lane.range, lane.width, 0);
  if (dots.length === 0) return null;
  const mark = ({ id }: CaptureView): string => (id === selection.a?.id ? 'A' : id === selection.b?.id ? 'B' : '');
  return (
    <Lane {...lane} name="captures">
      {dots.map(({ x, items: [capture] }) => (
        <li key={capture.id} style={{ left: `${x}px` }}>
          <button
            type="button"
            class="dot"
            aria-pressed={mark(capture) !== ''}
            title={`${momentText(capture.at, worldNow.peek())} (${utcText(capture.at)})\n${visible(`${capture.trigger}: ${capture.reason}`)}`}
            aria-label={`Capture ${momentText(capture.at, worldNow.peek())}, ${visible(capture.trigger)}`}
            onClick={() => setQuery(toggled(selection, capture.id))}
          >
            {mark(capture)}
          </button>
        </li>
      ))}
    </Lane>
  );
}
