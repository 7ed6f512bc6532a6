/** Recording rules that make `oakum detect` and `oakum bisect --prometheus` cheap for thousands of targets. */
import { FLEET_METRICS, hourlyQuery, hourlyRecord } from '../../evidence/recording/hourly-query.ts';
import { isOfProcess } from '../../evidence/metric-names.ts';
import { writeMatchers } from './matchers.ts';
import type { RuleGroup } from './rule.ts';
import type { RuleOptions } from './scope.ts';

/** Hourly values per target: 15 to 20 series instead of all samples. */
export function fleetRecords({ component, matchers }: RuleOptions): RuleGroup[] {
  const metrics = FLEET_METRICS.filter(({ name }) => component === 'kubelet' || isOfProcess(name));
  return [
    {
      name: 'oakum-fleet',
      interval: '1h',
      rules: metrics.map(metric => ({
        record: hourlyRecord(metric.name),
        expr: hourlyQuery(metric, writeMatchers(matchers)),
      })),
    },
  ];
}
