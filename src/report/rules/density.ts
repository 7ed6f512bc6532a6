/**
 * What one more pod costs, learned from the fleet. Levels are compared over 6 hours, not over days: within 6 hours pods
 * come and go by the dozen and a slow leak hardly shows. Each kubelet gives an estimate, sum(dx*dp) / sum(dp*dp) over a
 * week; the median of the fleet counts, which a few leaking kubelets do not move.
 */
import { ageOf, recorded, RECORDING_INTERVAL } from './recorded.ts';
import { TREND_RULES } from './trend-rules.ts';
import type { RecordingRule, RuleGroup } from './rule.ts';
import type { Scope } from './scope.ts';
import { settledAge } from './windows.ts';

const SPAN_SECONDS = 6 * 3600;

/** With a smaller sum of squares over a week, the pods changed too little: about one change by three pods. */
const LEAST_MOVEMENT = 50;

export function densityGroup(scope: Scope): RuleGroup {
  const settled = `and ${ageOf(scope)} > ${settledAge(SPAN_SECONDS)}`;
  const pods = moved(scope, 'pods');
  const square = recorded(scope, 'pods', 'square6h');
  const rules: RecordingRule[] = [{ record: square, expr: `${pods} ^ 2 ${settled}` }];
  for (const { key } of TREND_RULES) {
    const cross = recorded(scope, `${key}_pods`, 'cross6h');
    const perTarget = `sum_over_time(${cross}[7d:1h]) / (sum_over_time(${square}[7d:1h]) > ${LEAST_MOVEMENT})`;
    rules.push(
      { record: cross, expr: `${moved(scope, key)} * ${pods} ${settled}` },
      { record: effectOfPods(scope, key), expr: `quantile by (${scope.pool}) (0.5, clamp_min(${perTarget}, 0))` },
    );
  }
  return { name: 'oakum-density', interval: RECORDING_INTERVAL, rules };
}

export function effectOfPods(scope: Scope, key: string): string {
  return recorded(scope, `${key}_per_pod`, 'effect7d');
}

function moved(scope: Scope, key: string): string {
  const level = recorded(scope, key, 'floor1h');
  return `(${level} - ${level} offset 6h)`;
}
