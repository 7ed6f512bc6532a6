/** The time range in the address: `?hours=24` up to now, or `?from=...&to=...` in Unix seconds. */
import { computed, type ReadonlySignal } from '@preact/signals';
import { query, setQuery } from './router.ts';

export const RANGES_HOURS = [1, 6, 24, 72, 168, 720] as const;
const DEFAULT_HOURS = 168;
const MAX_HOURS = 24 * 366;

export interface FixedRange {
  readonly from: number;
  readonly to: number;
}

export const rangeHours: ReadonlySignal<number> = computed(() => {
  const hours = Number(query.value.get('hours') ?? DEFAULT_HOURS);
  return hours > 0 && hours <= MAX_HOURS ? hours : DEFAULT_HOURS;
});

/** Undefined while the range ends now. */
export const fixedRange: ReadonlySignal<FixedRange | undefined> = computed(() => {
  const from = Number(query.value.get('from') ?? NaN);
  const to = Number(query.value.get('to') ?? NaN);
  return from < to && to - from <= MAX_HOURS * 3600 ? { from, to } : undefined;
});

export function setHours(hours: number): void {
  setQuery({ hours: hours === DEFAULT_HOURS ? null : String(hours), from: null, to: null });
}

export function setFixedRange({ from, to }: FixedRange): void {
  setQuery({ from: String(Math.round(from)), to: String(Math.round(to)) });
}

/** Switches to the next longer (1) or shorter (-1) range. */
export function stepRange(step: 1 | -1): void {
  const now = rangeHours.peek();
  const next = step > 0 ? RANGES_HOURS.find(hours => hours > now) : RANGES_HOURS.findLast(hours => hours < now);
  if (next !== undefined) setHours(next);
}

/** A link that keeps the current range. */
export function withRange(url: string): string {
  return rangeHours.value === DEFAULT_HOURS ? url : `${url}?hours=${rangeHours.value}`;
}
