/** The progress of a capture, one line per event. */
import { formatAge, formatBytes } from '../../base/say.ts';
import { oneLine } from '../../base/text-layout.ts';
import type { CaptureEvent, CapturePart } from './capture-event.ts';

export function progressLine(event: CaptureEvent): string {
  switch (event.kind) {
    case 'resumed':
      return `resuming: ${event.fileCount} files are already there\n`;
    case 'taking':
    case 'tick':
      return '';
    case 'taken': {
      const { bytes, tookSeconds, truncated } = event.entry;
      const cut = truncated === undefined ? '' : ` (incomplete: ${oneLine(truncated)})`;
      return `${label(event.entry)} ${formatBytes(bytes)} in ${tookSeconds.toFixed(1)} s${cut}\n`;
    }
    case 'failed':
      return `${label(event.step)} FAILED: ${event.why.sentence}\n${' '.repeat(22)}next: ${event.why.nextStep}\n`;
    case 'left-out':
      return `${label(event.step)} left out: ${event.why}\n`;
    case 'waiting':
      return `waiting ${formatAge(event.seconds)} for the next set; Ctrl-C keeps what is saved\n`;
  }
}

/** `next set in 4m58s; Ctrl-C keeps what is saved`, to be written over itself. */
export function countdownText(seconds: number): string {
  return `next set in ${formatAge(Math.ceil(seconds))}; Ctrl-C keeps what is saved`;
}

function label({ set, kind }: CapturePart): string {
  return `set ${set}  ${kind.padEnd(14)}`;
}
