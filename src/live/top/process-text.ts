/** The process in one line: `http://localhost:6060  5,529 goroutines +120/min  52 MiB live  90 MiB resident`. */
import { formatAge, formatBytes, formatCount, signed } from '../../base/say.ts';
import { displayWidth } from '../../base/text-layout.ts';
import { visible } from '../../base/visible-text.ts';
import type { TopFrame } from './top.ts';

const SPACE = '  ';

/** What does not fit is left out whole, the least important first; without a width everything stays. */
export function processText(frame: TopFrame, width: number = Infinity): string {
  let line = '';
  for (const part of partsOf(frame)) {
    const longer = line === '' ? part : `${line}${SPACE}${part}`;
    if (line !== '' && displayWidth(longer) > width) continue;
    line = longer;
  }
  return line;
}

/** The most important first. */
function partsOf({ target, process, samples, seconds, notes }: TopFrame): string[] {
  const parts = [visible(target)];
  if (process.goroutines !== null)
    parts.push(`${formatCount(process.goroutines)} goroutines${rate(process.goroutinesPerMinute, formatCount)}`);
  if (process.liveBytes !== null)
    parts.push(`${formatBytes(process.liveBytes)} live${rate(process.liveBytesPerMinute, formatBytes)}`);
  if (process.residentBytes !== null) parts.push(`${formatBytes(process.residentBytes)} resident`);
  parts.push(...notes.slice(0, 1).map(visible));
  if (process.upSeconds !== null) parts.push(`up ${formatAge(process.upSeconds)}`);
  if (process.version !== null) parts.push(visible(process.version));
  return [...parts, samples === 1 ? '1 sample' : `${formatCount(samples)} samples in ${formatAge(seconds)}`];
}

function rate(perMinute: number | null, format: (value: number) => string): string {
  return perMinute === null || Math.abs(perMinute) < 0.05 ? '' : ` ${signed(format(perMinute))}/min`;
}
