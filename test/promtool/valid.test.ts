/** Prometheus can load everything that is printed. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dashboardOf } from '../../src/report/rules/dashboard.ts';
import { ruleGroups } from '../../src/report/rules/rule-set.ts';
import { operatorRules, prometheusRules } from '../../src/report/rules/rules-yaml.ts';
import { OPTIONS } from './options.ts';
import { checkRules, withPromtool } from './recording.ts';

describe('rules, loaded by Prometheus', withPromtool, () => {
  it('are valid for every component and selector', () => {
    assert.equal(checkRules(prometheusRules(ruleGroups(OPTIONS))), '');
    assert.equal(checkRules(prometheusRules(ruleGroups({ ...OPTIONS, component: 'any', matchers: [] }))), '');
    const awkward = { label: 'job', operator: '=~', value: 'a"b\\d|c' } as const;
    assert.equal(
      checkRules(prometheusRules(ruleGroups({ ...OPTIONS, matchers: [awkward], nodeLabel: 'instance' }))),
      '',
    );
  });

  it('are the same in the PrometheusRule', () => {
    const [, spec] = operatorRules(ruleGroups(OPTIONS), { name: 'oakum', labels: {} }).split(/^spec:\n/m);
    assert.equal(checkRules(spec.replace(/^ {2}/gm, '')), '');
  });

  it('are really checked: an invalid expression is refused', () => {
    assert.notEqual(checkRules('groups: [{ name: a, rules: [{ record: a:b, expr: "max by (" }] }]'), '');
  });

  it('every expression of the dashboards is valid', () => {
    for (const component of ['kubelet', 'any'] as const) {
      const { panels } = dashboardOf({ ...OPTIONS, component });
      const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => chosen(expr)));
      const rules = expressions.map((expr, index) => ({ record: `panel:${index}`, expr }));
      assert.equal(checkRules(prometheusRules([{ name: 'dashboard', rules }])), '');
    }
  });
});

/** Replaces Grafana's variables with a value. */
function chosen(expr: string): string {
  return expr.replace(/\$(job|node|instance)\b/g, '.*');
}
