/** Goroutines by age, in bins of one minute, or wider ones if waits of many hours would need thousands. */
import type { AgeHistogram } from './ages.ts';

const MAX_BINS = 600;

export function histogramOf(minutes: Int32Array): AgeHistogram {
  let oldest = 0;
  for (const one of minutes) if (one > oldest) oldest = one;
  const binMinutes = Math.ceil((oldest + 1) / MAX_BINS);
  const bins = new Array<number>(Math.floor(oldest / binMinutes) + 1).fill(0);
  for (const one of minutes) bins[Math.floor(one / binMinutes)]++;
  return { binMinutes, bins };
}

export function total(bins: readonly number[], from = 0, to: number = bins.length): number {
  let sum = 0;
  for (let i = Math.max(0, from); i < Math.min(to, bins.length); i++) sum += bins[i];
  return sum;
}
