/** `oakum detect --replay`: when each verdict would have appeared, one per line. */
import type { Detection, VerdictChange } from '../judge/detect/recorded-detection.ts';
import { detectInputLines } from './detect-phrases.ts';
import type { DetectTextOptions } from './detect-text.ts';
import { MIN_WIDTH, PLAIN, type Style } from './layout.ts';
import { visible } from '../base/visible-text.ts';
import { toMinute } from '../base/say.ts';

/** Without `wide`, changes from unknown to healthy are left out. */
export function renderReplay(detection: Detection, options: DetectTextOptions = {}): string {
  const { style = PLAIN, wide = false, only } = options;
  const width = Math.max(MIN_WIDTH, options.width ?? 100);
  const changes = detection.changes ?? [];
  const matching = changes.filter(change => isMatching(change, only));
  const shown = wide ? matching : matching.filter(({ from, to }) => !(from === 'unknown' && to === 'healthy'));
  const hidden = matching.length - shown.length;
  const lines =
    shown.length === 0 ? ['No verdict but healthy or unknown appears'] : shown.map(one => line(one, style, wide));
  if (hidden > 0) lines.push(`${hidden} times unknown -> healthy: -o wide`);
  return `${[...lines, '', ...detectInputLines(detection, wide, width)].join('\n')}\n`;
}

/** Changes to the given verdict or a worse one, and back. */
function isMatching({ from, to }: VerdictChange, only: DetectTextOptions['only']): boolean {
  if (only === undefined) return true;
  return [from, to].some(verdict => verdict === 'leak' || verdict === only);
}

/** `2026-08-04T06:00Z leak-a live heap healthy -> watch` */
function line({ at, target, resource, from, to, reason }: VerdictChange, style: Style, wide: boolean): string {
  const change = `${toMinute(at)} ${visible(target)} ${resource} ${from} -> ${style.verdict(to, to)}`;
  return wide && reason !== '' ? `${change}\n  ${style.faint(visible(reason))}` : change;
}
