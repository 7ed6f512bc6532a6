/** A plan as the file that people review. */
import type { Plan } from '../plan/plan.ts';
import { renderYaml } from '../../report/yaml.ts';

export function planYaml(plan: Plan): string {
  const head = [
    '# Written by oakum plan. Nothing has been done yet.',
    '# Review it, then:  oakum apply -f THIS-FILE',
    '# Do not edit it: the hash covers every value, and apply refuses a plan that was changed.',
  ];
  return `${head.join('\n')}\n${renderYaml(plan)}`;
}
