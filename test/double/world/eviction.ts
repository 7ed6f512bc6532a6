/** What a PodDisruptionBudget says to an eviction, as in pkg/registry/core/pod/storage/eviction.go. */
import { recordOf, textOf, type JsonRecord } from '../../../src/base/json.ts';
import { status, type Mutable, type WorldAnswer } from './world-answer.ts';

export function evictionRefusal(
  pod: JsonRecord,
  budgets: readonly Mutable[],
  isDryRun: boolean,
): WorldAnswer | undefined {
  const phase = recordOf(pod['status'])['phase'];
  if (phase !== 'Running') return undefined;
  const { namespace, labels } = recordOf(pod['metadata']);
  const matching = budgets.filter(budget => {
    const wanted = Object.entries(recordOf(recordOf(recordOf(budget['spec'])['selector'])['matchLabels']));
    const isHere = recordOf(budget['metadata'])['namespace'] === namespace;
    return isHere && wanted.every(([key, value]) => recordOf(labels)[key] === value);
  });
  if (matching.length > 1)
    return status(
      500,
      'InternalError',
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  const [budget] = matching;
  if (budget === undefined) return undefined;
  const numbers = recordOf(budget['status']);
  const allowed = Number(numbers['disruptionsAllowed'] ?? 0);
  if (allowed <= 0) {
    const name = textOf(recordOf(budget['metadata'])['name']);
    const needs = `The disruption budget ${name} needs ${Number(numbers['desiredHealthy'] ?? 0)} healthy pods and has ${Number(numbers['currentHealthy'] ?? 0)} currently`;
    return status(429, 'TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.", {
      causes: [{ reason: 'DisruptionBudget', message: needs }],
    });
  }
  if (!isDryRun) budget['status'] = { ...numbers, disruptionsAllowed: allowed - 1 };
  return undefined;
}
