/** The progress of a capture on stderr; on a terminal a gap is one line that counts down. */
import type { CaptureEvent } from '../live/capture/run-capture.ts';
import type { Output } from './io.ts';
import { countdownText, progressLine } from '../live/capture/capture-text.ts';

export interface CaptureProgress {
  readonly show: (event: CaptureEvent) => void;
  /** Wipes the countdown, so that something else can be written. */
  readonly clear: () => void;
}

const WIPE_LINE = '\r\x1b[K';

export function captureProgress(stderr: Output): CaptureProgress {
  const isTerminal = stderr.isTTY === true;
  let isCounting = false;
  const clear = (): void => {
    if (isCounting) stderr.write(WIPE_LINE);
    isCounting = false;
  };
  return {
    clear,
    show: event => {
      if (isTerminal && event.kind === 'waiting') return;
      if (event.kind === 'tick') {
        if (isTerminal) stderr.write(`${WIPE_LINE}${countdownText(event.seconds)}`);
        isCounting = isTerminal;
        return;
      }
      const line = progressLine(event);
      if (line === '') return;
      clear();
      stderr.write(line);
    },
  };
}

/** How far the queries to a Prometheus are, on stderr. */
export interface QueryProgress {
  readonly show: (done: number, all: number) => void;
  readonly clear: () => void;
}

/** One line that counts, on a terminal; otherwise a line for every tenth of the work. */
export function queryProgress(stderr: Output): QueryProgress {
  if (stderr.isTTY !== true)
    return { show: everyTenth((done, all) => stderr.write(`oakum: ${done} of ${all} queries\n`)), clear: () => {} };
  return {
    show: (done, all) => stderr.write(`\r\x1b[K${done} of ${all} queries`),
    clear: () => stderr.write('\r\x1b[K'),
  };
}

export function everyTenth(say: (done: number, all: number) => void): QueryProgress['show'] {
  let tenth = 0;
  return (done, all) => {
    const now = Math.floor((10 * done) / all);
    if (now === tenth) return;
    tenth = now;
    if (now > 0) say(done, all);
  };
}
