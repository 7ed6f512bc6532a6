/** Parts of a detection in words. All of it is safe to print. */
import type { DetectedTarget, Detection, ResourceDetection } from '../judge/detect/recorded-detection.ts';
import { mayLeak } from '../judge/verdict.ts';
import { named } from './layout.ts';
import { formatAmount, formatCount, formatHours, formatRate, signed, toMinute } from '../base/say.ts';
import { visible } from '../base/visible-text.ts';

const NONE = '-';

export function levelPhrase(resource: ResourceDetection): string {
  return resource.level === null ? NONE : formatAmount(resource.unit, resource.level);
}

/** `+41.8 MiB/h (40.9 MiB to 42.6 MiB)` */
export function slopePhrase(resource: ResourceDetection): string {
  const { slopePerHour, slopeInterval } = resource;
  if (slopePerHour === null) return NONE;
  const slope = `${signed(formatRate(resource.unit, slopePerHour))}`;
  if (slopeInterval === null) return slope;
  return `${slope} (${formatAmount(resource.unit, slopeInterval[0])} to ${formatAmount(resource.unit, slopeInterval[1])})`;
}

/** When the rise began, or that it began before the recording. */
export function sincePhrase({ from }: DetectedTarget, { onset, verdict }: ResourceDetection): string {
  if (onset !== null) return toMinute(onset);
  return mayLeak(verdict) ? `before ${toMinute(from)}` : NONE;
}

/** `3d4h to 5d`, `12d or more` */
export function limitPhrase({ timeToLimitHours }: ResourceDetection): string {
  if (timeToLimitHours === null) return NONE;
  return formatHours(timeToLimitHours);
}

/** What drives the rise, if it is something other than time. */
export function clockPhrase(resource: ResourceDetection): string[] {
  const { clock } = resource;
  return clock === null || clock.per === 'hour'
    ? []
    : [`${formatAmount(resource.unit, clock.amount)} per ${visible(clock.per)}`];
}

const NOTES = 3;

/** The inputs; in wide, with every note. */
export function detectInputLines(
  { at, timeScale, targets, inputs }: Detection,
  wide: boolean,
  width: number,
): string[] {
  const { readCount, otherCount, unread, notes } = inputs;
  const from = targets.map(target => target.from).sort()[0] ?? at;
  const others = otherCount === 0 ? '' : `; ${formatCount(otherCount)} other files hold no metrics`;
  const scaled = timeScale === 1 ? '' : `; time runs ${formatCount(timeScale)} times faster`;
  const files = `${formatCount(readCount)} ${readCount === 1 ? 'file' : 'files'} of metrics read`;
  const lines = named('INPUTS', [`${files}, ${from} to ${at}${scaled}${others}`], { indent: 0, nameWidth: 8, width });
  const all = [...unread.map(({ path, message }) => `not read: ${path}: ${message}`), ...notes];
  const shown = wide ? all : all.slice(0, NOTES);
  const more = all.length > shown.length ? [`   ${all.length - shown.length} more notes: -o wide`] : [];
  return [...lines, ...named('', shown.map(visible), { indent: 3, nameWidth: 0, width }), ...more];
}
