/** Growth as words that all reports of a gate share. */
import { amountIn, formatCount, formatMinutes } from '../../base/say.ts';
import type { GateFamily, GateGrowth, GateMeasure } from '../gate.ts';

type Amount = (value: number) => string;

export function amountOf(isBytes: boolean): Amount {
  return amountIn(isBytes ? 'bytes' : 'count');
}

/** `2 (1.98 to 2.02)` */
export function intervalText({ growth }: GateGrowth, amount: Amount): string {
  if (growth === null) return 'too few rounds';
  const [low, middle, high] = growth;
  return `${amount(middle)} (${amount(low)} to ${amount(high)})`;
}

/** `goroutines`, `goroutines of label controller=sync` */
export function measureName({ resource, scope }: GateMeasure): string {
  return scope === null ? resource : `${resource} of ${scope}`;
}

/** `2 (1.98 to 2.02)`, `36,000 (35,000 to 37,000) per hour` */
export function measureGrowth(one: GateMeasure): string {
  return `${intervalText(one, amountOf(one.unit === 'bytes'))}${one.per === 'hour' ? ' per hour' : ''}`;
}

export function budgetText({ budget, unit }: GateMeasure): string {
  return budget === null ? 'none' : amountOf(unit === 'bytes')(budget);
}

/** `2 (1.98 to 2.02) goroutines per workspace` */
export function familyGrowth(one: GateFamily, operation: string): string {
  const growth = intervalText(one, amountOf(one.resource === 'heap'));
  return `${growth}${one.resource === 'heap' ? '' : ' goroutines'} per ${one.per === 'hour' ? 'hour' : operation}`;
}

/** `50 of them are still there: goroutines 34, 36, 38 ...; the oldest waits for 3 min` */
export function survivorsText({ survivors }: GateFamily): string | null {
  if (survivors === null) return null;
  const { count, ids, oldestMinutes } = survivors;
  const more = count > ids.length ? ' ...' : '';
  const waits = oldestMinutes === null ? '' : `; the oldest waits for ${formatMinutes(oldestMinutes)}`;
  return `${formatCount(count)} started during the run and still there: ${ids.join(', ')}${more}${waits}`;
}

/** `controller=sync 40, tenant=a 12`; null without labels. */
export function labelsText({ labels }: GateFamily): string | null {
  return labels.length === 0 ? null : labels.map(({ label, count }) => `${label} ${formatCount(count)}`).join(', ');
}

/** Where to look: a file of the repository if there is one. */
export function placeText({ source, at, createdAt }: GateFamily): string | null {
  return source ?? at ?? createdAt;
}
