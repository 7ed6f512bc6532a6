/** What a maintainer will ask and the evidence does not answer, with the command that does. */
import type { IssueFacts } from './issue/issue-facts.ts';
import type { Unknown } from './issue-parts.ts';

export function unknownsOf(facts: IssueFacts): Unknown[] {
  const { environment, targets, analysis } = facts;
  const unknowns: Unknown[] = analysis.missing.map(({ what, why, command }) => ({ what, why, command }));
  const add = (what: string, why: string, command: string): void => void unknowns.push({ what, why, command });
  const measured = (what: string): boolean =>
    targets.some(({ lives }) => lives.some(life => life.measured.some(one => one.what === what)));
  if (!measured('resident memory')) {
    add(
      'resident memory over time, with one restart in it',
      'separates a leak from memory that is not returned',
      'oakum capture TARGET -o DIR',
    );
  }
  if (targets.some(({ component }) => component === 'kubelet')) {
    if (!measured('running pods')) {
      add(
        'the number of pods on the node, and whether it changed',
        'growth that follows the pods is not a leak',
        'kubectl get pods -A --field-selector spec.nodeName=$NODE -o name | wc -l',
      );
    }
    add(
      'how often pods come and go, and how many have probes',
      'most leaks are per operation',
      'kubectl get events -A --field-selector involvedObject.kind=Pod',
    );
    add(
      'what the container runtime says at the same time',
      'a hung runtime looks like a leaking kubelet',
      'crictl stats; crictl ps -a | wc -l',
    );
  }
  if (environment.capacities.length === 0)
    add('the size of the node', '', "kubectl get node $NODE -o jsonpath='{.status.capacity}'");
  add('the last version that did not leak', 'a good and a bad version lead to the commit', '');
  add('the smallest way to reproduce it, with counts', 'before, after N operations, after cleaning up', '');
  return unknowns;
}
