/** A capture while it runs, a line for each event, for stderr. */
import { oneLine } from '../base/text-layout.ts';
import type { CaptureEvent } from '../engine/capture/run-capture.ts';
import { formatAge, formatBytes } from '../base/quantities.ts';

export function progressLine(event: CaptureEvent): string {
  switch (event.kind) {
    case 'resumed':
      return `going on: ${event.fileCount} files are there already\n`;
    case 'taking':
      return '';
    case 'taken': {
      const { bytes, tookSeconds, truncated } = event.entry;
      const cut = truncated === undefined ? '' : ` (not whole: ${oneLine(truncated)})`;
      return `${label(event.entry)} ${formatBytes(bytes)} in ${tookSeconds.toFixed(1)} s${cut}\n`;
    }
    case 'failed':
      return `${label(event.step)} FAILED: ${event.why.sentence}\n${' '.repeat(22)}next: ${event.why.nextStep}\n`;
    case 'left-out':
      return `${label(event.step)} left out: ${event.why}\n`;
    case 'waiting':
      return `waiting ${formatAge(event.seconds)} for the next set; Ctrl-C keeps what there is\n`;
  }
}

function label({ set, kind }: { readonly set: number; readonly kind: string }): string {
  return `set ${set}  ${kind.padEnd(14)}`;
}
