/** All rules in groups; each group builds on those before it. */
import { densityGroup } from './density.ts';
import { growthGroup } from './growth.ts';
import { kubeletGroups } from './kubelet-alerts.ts';
import { levelGroup } from './levels.ts';
import { limitGroups } from './limits.ts';
import { processGroup } from './process-alerts.ts';
import type { RuleGroup } from './rule.ts';
import { type RuleOptions, scopeOf } from './scope.ts';
import { trendGroup } from './trend-alerts.ts';

export function ruleGroups(options: RuleOptions): RuleGroup[] {
  const scope = scopeOf(options);
  const ofKubelets = options.component === 'kubelet';
  return [
    levelGroup(scope),
    ...(ofKubelets ? [densityGroup(scope)] : []),
    growthGroup(scope),
    ...(ofKubelets ? kubeletGroups(scope) : []),
    trendGroup(scope),
    ...limitGroups(scope),
    processGroup(scope),
  ];
}
