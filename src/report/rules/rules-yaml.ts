/** Rules as a file for Prometheus, or as an object for its operator. */
import { stringify } from 'yaml';
import { type RuleGroup, writeMatchers, type RuleOptions } from './rule.ts';
import { FLEET_METRICS, hourlyQuery, hourlyRecord } from '../../evidence/recording/hourly-query.ts';
import { isOfProcess } from '../../evidence/metric-names.ts';

const OPTIONS = { lineWidth: 0, aliasDuplicateObjects: false, blockQuote: 'literal' } as const;

export function prometheusRules(groups: readonly RuleGroup[]): string {
  return stringify({ groups }, OPTIONS);
}

export interface ObjectMeta {
  readonly name: string;
  /** The operator loads the rules whose labels its Prometheus selects. */
  readonly labels: Readonly<Record<string, string>>;
}

export function operatorRules(groups: readonly RuleGroup[], metadata: ObjectMeta): string {
  return stringify(
    { apiVersion: 'monitoring.coreos.com/v1', kind: 'PrometheusRule', metadata, spec: { groups } },
    OPTIONS,
  );
}

/** Recording rules that make `oakum detect` and `oakum bisect --prometheus` cheap for thousands of targets. */

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
