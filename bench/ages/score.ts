/** Scores the verdicts on simulated families. */
import type { Verdict } from '../../src/judge/verdict.ts';
import type { Judged } from './evaluate.ts';

export interface Score {
  readonly kind: string;
  readonly isLeak: boolean;
  readonly families: number;
  readonly leak: number;
  readonly watch: number;
}

/** One for each kind of family, the healthy ones first. */
export function scoresOf(judged: readonly Judged[]): Score[] {
  const kinds = [...new Set(judged.map(({ population }) => population.kind))];
  const groups = kinds.map(kind => judged.filter(({ population }) => population.kind === kind));
  return groups
    .map(all => ({
      kind: all[0].population.kind,
      isLeak: all[0].population.isLeak,
      families: all.length,
      leak: all.filter(one => isCalled(one, 'leak')).length,
      watch: all.filter(one => isCalled(one, 'watch')).length,
    }))
    .sort((a, b) => Number(a.isLeak) - Number(b.isLeak) || (a.kind < b.kind ? -1 : 1));
}

export function isCalled({ finding }: Judged, verdict: Verdict): boolean {
  return finding?.verdict === verdict;
}

/** Its goroutines live about as long as the process, or longer: a single dump cannot distinguish it from a leak. */
export function outlivesProcess({ population: { lifetimeMinutes = 0 }, endMinutes }: Judged): boolean {
  return lifetimeMinutes >= endMinutes / 2;
}

export interface RateScore {
  readonly judged: number;
  /** How often the interval contains the true rate. */
  readonly covered: number;
  /** The median distance from the true rate, as a share of it. */
  readonly medianError: number;
}

export function rateScore(judged: readonly Judged[]): RateScore {
  const rates = judged.flatMap(({ population: { isLeak, leakPerHour }, finding }) =>
    isLeak && finding?.ages?.perHour != null ? [{ truth: leakPerHour, told: finding.ages.perHour }] : [],
  );
  const errors = rates.map(({ truth, told: [, middle] }) => Math.abs(middle / truth - 1)).sort((a, b) => a - b);
  // The interval is in whole goroutines per hour.
  const covers = rates.filter(({ truth, told: [low, , high] }) => low - 1 <= truth && truth <= high + 1);
  return { judged: rates.length, covered: covers.length, medianError: errors[errors.length >> 1] ?? 0 };
}
