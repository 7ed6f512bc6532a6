/** Rules as a file for Prometheus, or as an object for its operator. */
import { stringify } from 'yaml';
import type { RuleGroup } from './rule.ts';

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
