/**
 * PodDisruptionBudgets over all pods that a drain would evict. A dry run asks about one pod at a time, so a budget of two
 * says "allowed" to each of ten.
 *
 *     never    it keeps all of its pods: the drain would cordon the node and never end
 *     waits    more pods than it allows at once: they go one after another, as others become Ready
 */
import { listOf, recordOf, textOf, type JsonRecord } from '../../base/json.ts';
import type { BudgetFacts, EvictionAnswer, PodFacts } from './cluster-facts.ts';

function budgetOf(pod: Pick<PodFacts, 'namespace' | 'labels'>, budgets: readonly BudgetFacts[]): BudgetFacts[] {
  return budgets.filter(({ namespace, selector }) => namespace === pod.namespace && selects(selector, pod.labels));
}

/** The answers of the dry runs, with what each budget allows of all of them together. */
export function answersTogether(
  pods: readonly PodFacts[],
  budgets: readonly BudgetFacts[],
  answers: ReadonlyMap<string, EvictionAnswer>,
): Map<string, EvictionAnswer> {
  const left = new Map(budgets.map(budget => [budget, budget.disruptionsAllowed]));
  const together = new Map(answers);
  for (const pod of pods) {
    const key = `${pod.namespace}/${pod.name}`;
    const answer = answers.get(key);
    const [budget] = budgetOf(pod, budgets);
    if (answer?.outcome !== 'allowed' || budget === undefined || !pod.isRunning) continue;
    const free = left.get(budget) ?? 0;
    left.set(budget, free - 1);
    if (free > 0) continue;
    const name = `${budget.namespace}/${budget.name}`;
    const message = `${name} allows ${budget.disruptionsAllowed} at once, and others of it are evicted before`;
    together.set(key, { outcome: 'waits', budget: budget.name, message });
  }
  return together;
}

/** Why the server will never evict the pod; undefined if it may. */
export function whyNever(
  pod: PodFacts,
  budgets: readonly BudgetFacts[],
  answer: EvictionAnswer | undefined,
): string | undefined {
  if (answer?.outcome !== 'refused') return undefined;
  const [budget, second] = budgetOf(pod, budgets);
  if (budget === undefined) return undefined;
  const name = `${budget.namespace}/${budget.name}`;
  if (second !== undefined)
    return `${name} and ${second.namespace}/${second.name} both select it, and the server evicts no such pod; leave it one`;
  const { desiredHealthy, expectedPods, disruptionsAllowed } = budget;
  if (disruptionsAllowed > 0 || expectedPods === 0 || desiredHealthy < expectedPods) return undefined;
  return `${name} never allows a disruption: all ${expectedPods} of its pods must stay; add a replica or relax the budget`;
}

/** As in policy/v1: an empty selector selects all, none selects nothing. */
function selects(selector: JsonRecord | null, labels: Readonly<Record<string, string>>): boolean {
  if (selector === null) return false;
  const isEqual = Object.entries(recordOf(selector['matchLabels'])).every(([key, value]) => labels[key] === value);
  return (
    isEqual &&
    listOf(selector['matchExpressions'])
      .map(recordOf)
      .every(one => fits(one, labels))
  );
}

function fits(expression: JsonRecord, labels: Readonly<Record<string, string>>): boolean {
  const key = textOf(expression['key']);
  const values = listOf(expression['values']).map(textOf);
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (expression['operator']) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}
