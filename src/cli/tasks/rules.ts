/** `oakum rules`: alert and recording rules for Prometheus, or a Grafana dashboard over them. */
import { compileGoRegexp } from '../../profile/pprof/go-regexp.ts';
import { dashboardOf } from '../../report/rules/dashboard.ts';
import { ruleGroups } from '../../report/rules/rule-set.ts';
import { operatorRules, prometheusRules, fleetRecords } from '../../report/rules/rules-yaml.ts';
import { watchDashboardOf } from '../../report/rules/watch-dashboard.ts';
import type { Io } from '../terminal/io.ts';
import { EXIT, expected, Failure } from '../../base/errors.ts';
import { shown } from '../options/option.ts';
import { renderJson } from '../../report/json.ts';
import type { RuleOptions } from '../../report/rules/rule.ts';

export interface RulesRequest {
  readonly format: 'prometheus' | 'operator' | 'grafana' | 'grafana-watch' | 'recording';
  readonly rules: RuleOptions;
  /** Where people reach the web UI of `oakum watch`. */
  readonly watchUrl: string;
  /** Labels of the PrometheusRule object. */
  readonly labels: Readonly<Record<string, string>>;
}

export async function printRules(request: RulesRequest, io: Io): Promise<number> {
  checkMatchers(request.rules);
  io.stdout.write(render(request));
  return EXIT.done;
}

function render({ format, rules, watchUrl, labels }: RulesRequest): string {
  if (format === 'grafana-watch') return renderJson(watchDashboardOf(watchUrl));
  if (format === 'grafana') return renderJson(dashboardOf(rules));
  if (format === 'recording') return prometheusRules(fleetRecords(rules));
  const groups = ruleGroups(rules);
  if (format === 'prometheus') return prometheusRules(groups);
  return operatorRules(groups, { name: `oakum-${rules.component}`, labels });
}

/** Checks expressions now: Prometheus would reject them only when it loads the rule. */
function checkMatchers({ matchers }: RuleOptions): void {
  for (const { label, operator, value } of matchers) {
    if (!operator.endsWith('~')) continue;
    try {
      compileGoRegexp(value);
    } catch (error) {
      throw new Failure('usage', `the matcher ${label}${operator}${shown(value)}: ${expected(error).message}`);
    }
  }
}
