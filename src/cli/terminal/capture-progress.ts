/** The progress of a capture on stderr; on a terminal a gap is one line that counts down. */
import type { CaptureEvent } from '../../live/capture/capture-event.ts';
import { countdownText, progressLine } from '../../live/capture/capture-progress.ts';
import type { Output } from './io.ts';

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
