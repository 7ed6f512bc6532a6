/** Asks the server, by a dry run, whether it would evict each pod: it checks the budgets without using them up. */
import { listOf, parseJsonBytes, recordOf, textOf } from '../../base/json.ts';
import type { BudgetFacts, EvictionAnswer, PodFacts } from './cluster-facts.ts';
import type { Reply } from '../../live/reply.ts';
import type { ClusterReader } from './cluster-reader.ts';

const AT_ONCE = 8;
const MAX_BYTES = 1024 * 1024;

/** By `namespace/name`. Only pods that a drain would evict are asked about. */
export async function askEvictions(
  pods: readonly PodFacts[],
  budgets: readonly BudgetFacts[],
  reader: ClusterReader,
): Promise<Map<string, EvictionAnswer>> {
  const answers = new Map<string, EvictionAnswer>();
  const waiting = pods.filter(({ drain, isTerminating }) => drain.act === 'evict' && !isTerminating);
  const ask = async (): Promise<void> => {
    for (let pod = waiting.shift(); pod !== undefined; pod = waiting.shift()) {
      const { namespace, name, uid } = pod;
      const reply = await reader.post(`/api/v1/namespaces/${namespace}/pods/${name}/eviction`, {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name, namespace },
        deleteOptions: { dryRun: ['All'], preconditions: { uid } },
      });
      answers.set(`${namespace}/${name}`, answerOf(reply, namespace, budgets));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, ask));
  return answers;
}

function answerOf(reply: Reply, namespace: string, budgets: readonly BudgetFacts[]): EvictionAnswer {
  if (reply.kind !== 'answer') return { outcome: 'not-asked', budget: '', message: reply.message };
  if (reply.status < 300) return { outcome: 'allowed', budget: '', message: '' };
  const status = recordOf(parseJsonBytes(reply.body, MAX_BYTES));
  const causes = listOf(recordOf(status['details'])['causes']).map(recordOf);
  const cause = textOf(causes.find(({ reason }) => reason === 'DisruptionBudget')?.['message']);
  const message = cause || textOf(status['message']) || `status ${reply.status}`;
  switch (reply.status) {
    case 429: {
      const budget = /disruption budget (\S+) /i.exec(cause)?.[1] ?? '';
      return { outcome: 'refused', budget, message: `${message}. ${whatFrees(budget, namespace, budgets)}` };
    }
    case 500:
      // More than one budget selects the pod: the server never evicts it.
      return { outcome: 'refused', budget: '', message: `${message}; leave it only one PodDisruptionBudget` };
    // It is gone or replaced by now.
    case 404:
    case 409:
      return { outcome: 'allowed', budget: '', message: '' };
    default:
      return { outcome: 'not-asked', budget: '', message };
  }
}

/** What would let the eviction through, from the budget's own numbers. */
function whatFrees(budget: string, namespace: string, budgets: readonly BudgetFacts[]): string {
  const found = budgets.find(one => one.namespace === namespace && one.name === budget);
  if (found === undefined) return 'Wait until more of its pods are Ready, or ask its owner to relax the budget';
  const { currentHealthy, desiredHealthy, expectedPods } = found;
  const name = `${namespace}/${budget}`;
  if (currentHealthy < desiredHealthy)
    return `${name} frees when ${desiredHealthy - currentHealthy + 1} more pods are Ready (${currentHealthy} of ${expectedPods} are, ${desiredHealthy} must stay)`;
  if (desiredHealthy >= expectedPods)
    return `${name} never allows a disruption: all ${expectedPods} pods must stay; add a replica or relax the budget`;
  return `${name} frees when 1 more pod is Ready, or with one more replica (${currentHealthy} of ${expectedPods} are Ready, ${desiredHealthy} must stay)`;
}
