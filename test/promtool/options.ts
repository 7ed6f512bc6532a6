/** The rules that `oakum rules` prints by default. */

import type { RuleOptions } from '../../src/report/rules/rule.ts';

export const OPTIONS: RuleOptions = {
  component: 'kubelet',
  matchers: [{ label: 'job', operator: '=~', value: 'kubelet' }],
  nodeLabel: 'node',
  holdFor: '6h',
  docsUrl: 'docs/rules.md',
};
