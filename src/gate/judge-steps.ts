/**
 * Whether each operation leaves something behind, from rounds that do not share a process: each step has its own noise,
 * so the mean of the steps is the growth. For levels of one process, judge-growth.ts knows more.
 */
import { criticalT } from './critical-t.ts';
import type { GrowthRule, JudgedGrowth, Round } from './judge-growth.ts';

const STRETCHES = 3;
const MOST_STEPS = 2000;

export function judgeSteps(before: number, rounds: readonly Round[], rule: GrowthRule): JudgedGrowth {
  const steps = rounds.map(
    ({ operations, level }, i) => (level - (rounds[i - 1]?.level ?? before)) / Math.max(1, operations),
  );
  const count = steps.length;
  const mean = meanOf(steps);
  const each = meanOf(rounds.map(({ operations }) => Math.max(1, operations)));
  // A step is a difference of two differences of levels.
  const least = (2 * rule.levelNoise) / each;
  const variance = steps.reduce((sum, step) => sum + (step - mean) ** 2, 0) / Math.max(1, count - 1);
  const deviation = Math.max(Math.sqrt(variance), least);
  const margin = count < 2 ? Infinity : (criticalT(count, count - 1, rule.alpha) * deviation) / Math.sqrt(count);
  const weakest = count < STRETCHES ? NaN : Math.min(...stretches(steps).map(meanOf));
  const isLeak = mean - margin > rule.budget && weakest > rule.budget;
  const decision = isLeak ? 'leaks' : mean + margin < rule.budget ? 'within' : 'undecided';
  return {
    decision,
    perOperation: [mean - margin, mean, mean + margin],
    warmUpRounds: 0,
    rounds: count,
    weakest,
    deviation: deviation * each,
    operationsNeeded:
      decision === 'undecided' ? needed(count, Math.abs(mean - rule.budget), deviation, each, rule) : undefined,
  };
}

function stretches(steps: readonly number[]): number[][] {
  const length = Math.floor(steps.length / STRETCHES);
  return Array.from({ length: STRETCHES }, (_, i) => {
    const end = steps.length - i * length;
    return steps.slice(end - length, end);
  });
}

/** As if the mean and the noise stayed as they are. */
function needed(
  now: number,
  distance: number,
  deviation: number,
  each: number,
  { alpha }: GrowthRule,
): number | undefined {
  for (let n = now + 1; n < MOST_STEPS; n = Math.ceil(n * 1.1)) {
    if ((criticalT(n, n - 1, alpha) * deviation) / Math.sqrt(n) < distance) return Math.ceil((n - now) * each);
  }
  return undefined;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
