/** What happened right before and after each restart: deaths, storms and recovery, events of the node, log lines. */
import { visible } from '../../../src/base/visible-text.ts';
import type { OomCycle } from '../../../src/evidence/cycle/cycle.ts';
import type { TargetView } from '../../../src/watch/watch-model.ts';
import { Timestamp } from '../../widgets/timestamp.tsx';

/** Seconds before and after a restart. */
const BEFORE = 300;
const AFTER = 300;
const MAX_SHOWN = 24;

interface Happening {
  readonly at: number;
  readonly text: string;
  /** Files and lines that show it. */
  readonly evidence: readonly string[];
}

interface RestartEventsProps {
  readonly cycle: OomCycle | null;
  readonly target: TargetView;
}

export function RestartEvents({ cycle, target }: RestartEventsProps) {
  const found = happenings(cycle, target);
  if (found.length === 0) return null;
  return (
    <details>
      <summary>{found.length === 1 ? 'One event' : `${found.length} events`} beside the restart</summary>
      <ol class="restart-events">
        {found.map(({ at, text, evidence }, i) => (
          <li key={i}>
            <Timestamp at={at} />
            <span>
              {visible(text)}
              {evidence.length > 0 && <span class="muted"> ({visible(evidence.join(', '))})</span>}
            </span>
          </li>
        ))}
      </ol>
    </details>
  );
}

/** In time order; what both the cycle and the events say is said once. */
export function happenings(cycle: OomCycle | null, { epochs, events }: TargetView): Happening[] {
  const lives = epochs.toSorted((a, b) => a.from - b.from);
  // From the last sample of one life to the start of the next, and some time around.
  const isNear = (at: number): boolean =>
    lives.slice(1).some(({ from }, i) => at >= Math.min(from, lives[i]?.to ?? from) - BEFORE && at <= from + AFTER);
  const ofCycle = (cycle?.timeline ?? []).flatMap(({ atSeconds, text, evidence }) =>
    atSeconds === null ? [] : [{ at: atSeconds, text, evidence }],
  );
  const others = events
    .filter(({ kind }) => kind === 'event' || kind === 'condition' || kind === 'oom' || kind === 'reboot')
    .map(({ at, text }) => ({ at, text, evidence: [] }));
  return [...ofCycle, ...others]
    .filter(({ at }) => isNear(at))
    .sort((a, b) => a.at - b.at)
    .filter(({ at, text }, i, all) => all.findIndex(other => other.at === at && other.text === text) === i)
    .slice(0, MAX_SHOWN);
}
