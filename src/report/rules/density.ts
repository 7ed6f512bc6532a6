/**
 * What one more pod costs, learned from the fleet. Levels over 6 hours are compared, not over days: within 6 hours pods
 * come and go by the dozen and a slow leak hardly shows. Each kubelet gives an estimate, sum(dx*dp) / sum(dp*dp) over a
 * week; the median of the fleet is used, which a few leaking kubelets do not move.
 */
import { RECORDING_INTERVAL } from './levels.ts';
import { RESOURCES } from './resources.ts';
import type { RecordingRule, RuleGroup } from './rule.ts';
import type { Scope } from './scope.ts';
import { AGE, settledAge } from './windows.ts';

const SPAN_SECONDS = 6 * 3600;

/** Below this sum of squares over a week the pods did not move enough to tell: about one change by three pods. */
const LEAST_MOVEMENT = 50;

export function densityGroup({ pool }: Scope): RuleGroup {
  const settled = `and ${AGE} > ${settledAge(SPAN_SECONDS)}`;
  const square = 'oakum:pods:square6h';
  const rules: RecordingRule[] = [{ record: square, expr: `${moved('pods')} ^ 2 ${settled}` }];
  for (const { key } of RESOURCES) {
    const cross = `oakum:${key}_pods:cross6h`;
    const perTarget = `sum_over_time(${cross}[7d:1h]) / (sum_over_time(${square}[7d:1h]) > ${LEAST_MOVEMENT})`;
    rules.push(
      { record: cross, expr: `${moved(key)} * ${moved('pods')} ${settled}` },
      { record: effectOfPods(key), expr: `quantile by (${pool}) (0.5, clamp_min(${perTarget}, 0))` },
    );
  }
  return { name: 'oakum-density', interval: RECORDING_INTERVAL, rules };
}

export function effectOfPods(key: string): string {
  return `oakum:${key}_per_pod:effect7d`;
}

function moved(key: string): string {
  return `(oakum:${key}:floor1h - oakum:${key}:floor1h offset 6h)`;
}
