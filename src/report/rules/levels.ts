/**
 * Levels of each process: the hourly floor, and the lowest of a day. The rules compare daily minima instead of fitting a
 * slope: minima have no daily season, a step moves just one of them, and they need only a few samples.
 *
 *     oakum:goroutines:floor1h   ->   oakum:goroutines:floor1d
 */
import { spellings } from '../../evidence/metric-names.ts';
import { ageOf, recorded, RECORDING_INTERVAL } from './recorded.ts';
import { TREND_RULES } from './trend-rules.ts';
import type { RecordingRule, RuleGroup } from './rule.ts';
import { each, ofTargets, type Scope } from './scope.ts';

export function levelGroup(scope: Scope): RuleGroup {
  const age = `time() - ${each(scope, ofTargets(scope, 'process_start_time_seconds'))}`;
  const rules: RecordingRule[] = [{ record: ageOf(scope), expr: age }];
  for (const { key, hourly } of TREND_RULES) rules.push(...floors(scope, key, hourly(scope)));
  if (scope.component === 'kubelet') rules.push(...floors(scope, 'pods', pods(scope)));
  return { name: 'oakum-levels', interval: RECORDING_INTERVAL, rules };
}

/** The name changed with Kubernetes 1.19. */
function pods(scope: Scope): string {
  return spellings('kubelet_running_pods')
    .map(name => `quantile_over_time(0.2, ${ofTargets(scope, name)}[1h])`)
    .join('\nor ');
}

function floors(scope: Scope, key: string, hourly: string): RecordingRule[] {
  const hour = recorded(scope, key, 'floor1h');
  return [
    { record: hour, expr: each(scope, hourly) },
    { record: recorded(scope, key, 'floor1d'), expr: `min_over_time(${hour}[1d])` },
  ];
}
